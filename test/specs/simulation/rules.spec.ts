import { breaks, Desk, JOURNAL, KEY, OTHER } from "./desk";
import { WALLETS } from "../../simulation/book";
import { NEW_WALLET } from "../../simulation/holdings";

/** A session of S1 that has written once. */
function opened(desk: Desk): void {
	desk.write(desk.record(desk.lock("a")));
	desk.write(desk.record(desk.lock("a", { Seq: 1 })));
}

/** Both records point at a journal that is not decided; operation 1 is theirs. */
function prepared(desk: Desk): void {
	const operation = desk.book.operations.begin("trade", desk.s1, 0);
	operation.keys = [KEY, OTHER];
	desk.journal("Preparing", [1]);
	const meta = { PendingTransaction: { Key: JOURNAL, Token: "journal" } };
	desk.write(desk.record(desk.lock("a"), {}, meta));
	desk.write(desk.record(desk.lock("b"), {}, meta), desk.s1, OTHER);
}

/** S1 waits with a transaction's outcome on the record; operation 1 is in it. */
function pending(desk: Desk): void {
	const operation = desk.book.operations.begin("transaction", desk.s1, 0);
	operation.keys = [KEY];
	desk.write({
		...desk.record(desk.lock("a")),
		Pending: { Id: "tx", Data: { ...NEW_WALLET, operations: [1] }, Migrations: [], JobId: desk.s1.jobId },
	});
}

export = () => {
	describe("I1, fencing: the search tells", () => {
		it("a record that is removed", () => {
			breaks("the record was removed", opened, (desk) => desk.world.store(WALLETS).remove(KEY));
		});

		it("a turn that goes back", () => {
			breaks(
				"Turn went back from 2 to 1",
				(desk) => desk.write(desk.record(desk.lock("a", { Turn: 2 }))),
				(desk) => desk.write(desk.record(undefined, {}, { Turn: 1, ReleasedToken: "a" })),
			);
		});

		it("a lock whose turn is not the record's", () => {
			breaks("a lock of turn 1 under turn 2", opened, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 2 }), {}, { Turn: 2 })),
			);
		});

		it("a number that does not rise", () => {
			breaks("seq 1 was written over seq 1", opened, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 1 }))),
			);
		});

		it("a session that comes back after the next one", () => {
			breaks(
				"the session of a came back",
				(desk) => {
					opened(desk);
					desk.write(desk.record(undefined, {}, { ReleasedToken: "a" }));
					desk.write(desk.record(desk.lock("b", { Turn: 2 })));
					desk.write(desk.record(undefined, {}, { Turn: 2, ReleasedToken: "b" }));
				},
				(desk) => desk.write(desk.record(desk.lock("a", { Turn: 3, Seq: 2 }))),
			);
		});

		it("a new lock that opens no turn of its own", () => {
			breaks(
				"a new lock opened no turn of its own",
				(desk) => {
					opened(desk);
					desk.write(desk.record(undefined, {}, { ReleasedToken: "a" }));
				},
				(desk) => desk.write(desk.record(desk.lock("b"))),
			);
		});

		it("a write under another server's lock, and a release of it", () => {
			breaks("S2 wrote under the lock of S1", opened, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 2 })), desk.s2),
			);
			breaks("S2 released the lock of S1", opened, (desk) =>
				desk.write(desk.record(undefined, {}, { ReleasedToken: "a" }), desk.s2),
			);
			breaks("S2 released the lock of S1", opened, (desk) =>
				desk.write(desk.record(undefined, {}, { ReleasedToken: "unseen" }), desk.s2),
			);
		});

		it("a release of another session's lock", () => {
			breaks(
				"b released the lock a",
				(desk) => {
					desk.write(desk.record(desk.lock("b")));
					desk.write(desk.record(undefined, {}, { ReleasedToken: "b" }));
					desk.write(desk.record(desk.lock("a", { Turn: 2 })));
				},
				(desk) => desk.write(desk.record(undefined, {}, { Turn: 2, ReleasedToken: "b" })),
			);
		});
	});

	describe("I2, no steal from the living: the search tells", () => {
		const flagged = (desk: Desk): void => desk.write(desk.record(desk.lock("a", { Presence: true })));

		it("a lock that is taken from a server that beats", () => {
			breaks(
				"S2 took the lock of S1, which beats",
				(desk) => {
					flagged(desk);
					desk.world.wait(9);
				},
				(desk) => desk.write(desk.record(desk.lock("b", { Turn: 2 }, desk.s2)), desk.s2),
			);
		});

		it("not one of a server that is silent for 10 s, or is gone", () => {
			const take = (desk: Desk): void => desk.write(desk.record(desk.lock("b", { Turn: 2 }, desk.s2)), desk.s2);
			breaks(
				"the record was removed",
				(desk) => {
					flagged(desk);
					desk.world.wait(11);
					take(desk);
				},
				(desk) => desk.world.store(WALLETS).remove(KEY),
			);
			breaks(
				"the record was removed",
				(desk) => {
					flagged(desk);
					desk.s1.crash();
					take(desk);
				},
				(desk) => desk.world.store(WALLETS).remove(KEY),
			);
		});

		it("a lock without presence that is taken before it is stale", () => {
			breaks(
				"the lock of S1, which has no presence, was taken at the age of 200 s",
				(desk) => {
					desk.write(desk.record(desk.lock("a")));
					desk.world.wait(200);
				},
				(desk) => desk.write(desk.record(desk.lock("b", { Turn: 2 }, desk.s2)), desk.s2),
			);
		});

		it("a transaction's lock that is taken before it has expired", () => {
			breaks(
				"a transaction's lock was taken at the age of 9 s",
				(desk) => {
					desk.write(desk.record(desk.lock("a", { Tx: true, Expires: 10 })));
					desk.world.wait(9);
				},
				(desk) => desk.write(desk.record(desk.lock("b", { Turn: 2, Tx: true }, desk.s2)), desk.s2),
			);
		});
	});

	describe("I4, acknowledged is durable, and whose a deposit is: the search tells", () => {
		const withDeposit = (desk: Desk): void => {
			const id = desk.deposit(1);
			desk.write(desk.record(desk.lock("a"), { deposits: [id] }));
		};

		it("a deposit that is stored twice, was never made, or was refused", () => {
			breaks("deposit 1 was stored twice", withDeposit, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), { deposits: [1, 1] })),
			);
			breaks("deposit 2 was never made", withDeposit, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), { deposits: [1, 2] })),
			);
			breaks("deposit 1 was refused, and is stored", opened, (desk) => {
				const id = desk.deposit(1);
				desk.book.deposits[id - 1].isRefused = true;
				desk.write(desk.record(desk.lock("a", { Seq: 2 }), { deposits: [id] }));
			});
		});

		it("a deposit of another key or server, out of order, or under another session's lock", () => {
			breaks(
				"deposit 1 is of Player_1",
				(desk) => desk.deposit(1),
				(desk) => desk.write(desk.record(desk.lock("b"), { deposits: [1] }), desk.s1, OTHER),
			);
			breaks(
				"deposit 1 of S1 was written by S2",
				(desk) => desk.deposit(1),
				(desk) => desk.write(desk.record(desk.lock("b", {}, desk.s2), { deposits: [1] }), desk.s2),
			);
			breaks(
				"deposit 1 comes after a later one of its source",
				(desk) => {
					desk.deposit(1);
					desk.deposit(1);
				},
				(desk) => desk.write(desk.record(desk.lock("a"), { deposits: [2, 1] })),
			);
			breaks("deposit 2 of session 2 was written by session 1", withDeposit, (desk) => {
				desk.deposit(2);
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), { deposits: [1, 2] }));
			});
		});

		it("what was stored, and now is not", () => {
			breaks("deposit 1 was stored, and now is not", withDeposit, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), { deposits: [] })),
			);
		});

		it("a save that was answered and is not stored, and a load or read without what was acknowledged", () => {
			breaks(
				"tells that deposit 1 is stored, and it is not",
				(desk) => desk.deposit(1),
				(desk) => desk.book.acknowledge(KEY, [1], "a save"),
			);
			const acknowledged = (desk: Desk): void => {
				withDeposit(desk);
				desk.book.acknowledge(KEY, [1], "a save");
				desk.world.wait(1);
				desk.book.expectAcknowledged(KEY, [1], desk.world.now(), "a load");
			};
			breaks("a load does not see deposit 1, acknowledged before", acknowledged, (desk) =>
				desk.book.expectAcknowledged(KEY, [], desk.world.now(), "a load"),
			);
		});
	});

	describe("I6, I11, every reader agrees: the search tells", () => {
		it("a load that gives something else than what is stored", () => {
			breaks(
				"a load sees 0 deposits, 0 operations, 99 coins",
				(desk) => {
					opened(desk);
					desk.book.expectSame(KEY, NEW_WALLET, "a load");
				},
				(desk) => desk.book.expectSame(KEY, { ...NEW_WALLET, coins: 99 }, "a load"),
			);
		});

		it("a read of what nobody could find since it began", () => {
			breaks(
				"a read sees operation 1, which is not stored",
				(desk) => {
					opened(desk);
					desk.book.expectRead(KEY, NEW_WALLET, 0, new Set(), "a read");
				},
				(desk) => desk.book.expectRead(KEY, { ...NEW_WALLET, operations: [1] }, 0, new Set(), "a read"),
			);
			breaks(
				"which nobody could find since it began",
				(desk) => {
					desk.deposit(1);
					opened(desk);
					desk.world.wait(5);
					desk.write(desk.record(desk.lock("a", { Seq: 2 }), { deposits: [1] }));
					desk.world.wait(5);
				},
				(desk) => desk.book.expectRead(KEY, NEW_WALLET, desk.world.now() - 2, new Set(), "a read"),
			);
		});
	});

	describe("I7, one decision, and I8, evidence outlives intents: the search tells", () => {
		it("a marker and a journal that are written over", () => {
			breaks(
				"the marker said aborted, and now committed",
				(desk) => desk.marker("tx", "aborted"),
				(desk) => desk.marker("tx", "committed"),
			);
			breaks(
				"the journal said Aborted, and now Committed",
				(desk) => desk.journal("Aborted"),
				(desk) => desk.journal("Committed"),
			);
		});

		it("a decision that is another one when it is made anew, while a record waits for it", () => {
			breaks(
				"transaction tx was aborted, and now is not",
				(desk) => {
					pending(desk);
					desk.marker("tx", "aborted");
					desk.marker("tx", undefined);
				},
				(desk) => desk.marker("tx", "committed"),
			);
		});

		it("a pointer whose journal is gone", () => {
			breaks("it points at a journal that is gone", prepared, (desk) => {
				desk.world.store(WALLETS).remove(JOURNAL);
			});
		});

		it("a record that waits for a committed marker which is gone", () => {
			breaks(
				"it waits for a marker that has committed and is gone",
				(desk) => {
					pending(desk);
					desk.marker("tx", "committed");
				},
				(desk) => desk.marker("tx", undefined),
			);
		});

		it("a trade and a transaction on one record", () => {
			breaks("a trade and a transaction are on the record at once", prepared, (desk) => {
				const meta = { PendingTransaction: { Key: JOURNAL, Token: "journal" } };
				const Pending = { Id: "tx", Data: NEW_WALLET, Migrations: [], JobId: desk.s1.jobId };
				desk.write({ ...desk.record(desk.lock("a", { Seq: 1 }), {}, meta), Pending });
			});
		});
	});

	describe("I6, atomic, and I9, conservation: the search tells", () => {
		it("a trade that only one side has", () => {
			breaks("operation 1 changed 1 of 2 records", prepared, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), { operations: [1] })),
			);
		});

		it("a committed journal gives it to both at once, and a side that drops it is told", () => {
			breaks(
				"operation 1 was stored, and now is not",
				(desk) => {
					prepared(desk);
					desk.journal("Committed", [1]);
				},
				(desk) => desk.write(desk.record(desk.lock("a", { Seq: 1 }))),
			);
		});

		it("an operation that is applied twice, or is none of the record's", () => {
			breaks(
				"operation 1 was applied twice",
				(desk) => {
					prepared(desk);
					desk.journal("Committed", [1]);
				},
				(desk) => desk.write(desk.record(desk.lock("a", { Seq: 1 }), { operations: [1, 1] })),
			);
			breaks("operation 1 is none of this record", opened, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 2 }), { operations: [1] })),
			);
		});

		it("coins from nowhere, fewer than none, and an item in two places or in none", () => {
			breaks("5 coins came from nowhere", opened, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 2 }), { coins: 105 })),
			);
			breaks("it has -1 coins", opened, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 2 }), { coins: -1 })),
			);
			const withItem = (desk: Desk): void => {
				const id = desk.deposit(1, { hasItem: true });
				desk.write(desk.record(desk.lock("a"), { deposits: [id], items: [id] }));
			};
			breaks("item 1 is in 2 places", withItem, (desk) =>
				desk.write(desk.record(desk.lock("b"), { items: [1] }), desk.s1, OTHER),
			);
			breaks("item 1 is in 0 places", withItem, (desk) =>
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), { deposits: [1] })),
			);
		});
	});

	describe("I5, honest answers, and I10, exactly once: the search tells", () => {
		it("committed where not all have it, failed where it is, and failed where it commits later", () => {
			const operation = ({ book }: Desk) => book.operations.all[0];
			breaks("operation 1 is called committed, and 0 of 2 have it", prepared, (desk) =>
				desk.book.operations.tell(operation(desk), "committed"),
			);
			const committed = (desk: Desk): void => {
				prepared(desk);
				desk.journal("Committed", [1]);
				desk.book.operations.tell(operation(desk), "committed");
			};
			breaks("operation 1 is called failed, and is committed", committed, (desk) =>
				desk.book.operations.tell(operation(desk), "failed"),
			);
			breaks(
				"operation 1 was called failed, and commits",
				(desk) => {
					prepared(desk);
					desk.book.operations.tell(operation(desk), "failed");
				},
				(desk) => desk.journal("Committed", [1]),
			);
		});

		it("lanes and floors that fall, and trade ids that are forgotten or too many", () => {
			const kept = (desk: Desk): void =>
				desk.write(
					desk.record(undefined, {}, { Flushed: { writer: 4 }, FlushFloor: 3, TransactionIds: ["id"] }),
				);
			breaks("the lane of writer went back", kept, (desk) =>
				desk.write(
					desk.record(undefined, {}, { Flushed: { writer: 3 }, FlushFloor: 3, TransactionIds: ["id"] }),
				),
			);
			breaks("the lane of writer went back", kept, (desk) =>
				desk.write(desk.record(undefined, {}, { FlushFloor: 3, TransactionIds: ["id"] })),
			);
			breaks("its FlushFloor fell", kept, (desk) =>
				desk.write(
					desk.record(undefined, {}, { Flushed: { writer: 4 }, FlushFloor: 2, TransactionIds: ["id"] }),
				),
			);
			breaks("it has forgotten the trade id", kept, (desk) =>
				desk.write(desk.record(undefined, {}, { Flushed: { writer: 4 }, FlushFloor: 3 })),
			);
			const many = new Array<string>();
			for (let index = 0; index <= 200; index++) many.push(`id ${index}`);
			const full = (desk: Desk, from: number): void => {
				const ids = new Array<string>();
				for (let id = from; id < from + 200; id++) ids.push(`id ${id}`);
				desk.write(desk.record(undefined, {}, { TransactionIds: ids }));
			};
			breaks(
				"it has forgotten the trade id 1",
				(desk) => {
					full(desk, 0);
					full(desk, 1);
				},
				(desk) => desk.write(desk.record(undefined, {}, { TransactionIds: ["id 200", "id 201"] })),
			);
			breaks("it keeps 201 ids of trades", kept, (desk) =>
				desk.write(
					desk.record(undefined, {}, { Flushed: { writer: 4 }, FlushFloor: 3, TransactionIds: [...many] }),
				),
			);
		});
	});
};
