import { NEW_WALLET } from "../../simulation/holdings";
import { simulate } from "../../cloud/simulate";
import { Desk, JOURNAL, KEY, OTHER } from "./desk";

/** Plays `play` by hand; all that the rules say of it is `text`, to the letter: "" where it breaks none. */
function says(text: string, play: (desk: Desk) => void): void {
	simulate({ seed: 1 }, (world) => {
		const desk = new Desk(world);
		play(desk);
		const said = desk.said();
		if (said !== text) error(`not "${text}", but "${said}"`, 0);
	});
}

/** S1's lock, and S2's over it when it is so old. */
function takenAt(seconds: number, lock: Parameters<Desk["lock"]>[1], prepare?: (desk: Desk) => void) {
	return (desk: Desk): void => {
		prepare?.(desk);
		desk.write(desk.record(desk.lock("a", lock)));
		desk.world.wait(seconds);
		desk.write(desk.record(desk.lock("b", { Turn: 2 }, desk.s2)), desk.s2);
	};
}

/** Operation 1 of both records. */
function begin(desk: Desk): void {
	desk.book.operations.begin("trade", desk.s1, 0).keys = [KEY, OTHER];
}

function point(desk: Desk): void {
	const meta = { PendingTransaction: { Key: JOURNAL, Token: "journal" } };
	desk.write(desk.record(desk.lock("a"), {}, meta));
	desk.write(desk.record(desk.lock("b"), {}, meta), desk.s1, OTHER);
}

function pend(desk: Desk): void {
	const Pending = { Id: "tx", Data: NEW_WALLET, Migrations: [], JobId: desk.s1.jobId };
	desk.write({ ...desk.record(desk.lock("a")), Pending });
}

export = () => {
	describe("the search tells nothing more, and nothing less", () => {
		it("I1: sessions that follow each other, and a fence that keeps the number, break nothing", () => {
			says("", (desk) => {
				desk.write(desk.record(desk.lock("a")));
				desk.write(desk.record(desk.lock("a", { Seq: 1 })));
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), {}, { RefusedTransaction: "fence" }), desk.s2);
				desk.write(desk.record(undefined, {}, { ReleasedToken: "a" }));
				desk.write(desk.record(desk.lock("b", { Turn: 2 }, desk.s2)), desk.s2);
				desk.write(desk.record(undefined, {}, { Turn: 2, ReleasedToken: "b" }), desk.s2);
				// An acquire that lands once more opens a turn in which nobody writes.
				desk.write(desk.record(desk.lock("a", { Turn: 3 })));
			});
			says("S2 wrote under the lock of S1", (desk) => {
				desk.write(desk.record(desk.lock("a")));
				desk.write(desk.record(desk.lock("a", { Seq: 1 })), desk.s2);
			});
		});

		it("I2: a transaction's lock goes at its own age, or at 10 s where it does not say", () => {
			says("", takenAt(4, { Tx: true, Expires: 4 }));
			says("a transaction's lock was taken at the age of 3 s", takenAt(3, { Tx: true, Expires: 4 }));
			says("", takenAt(10, { Tx: true }));
			says("a transaction's lock was taken at the age of 9 s", takenAt(9, { Tx: true }));
		});

		it("I2: a lock without presence goes by the game's own age, and a dead server's at any", () => {
			const soon = ({ book }: Desk): void => {
				book.staleSeconds = 30;
			};
			says("", takenAt(241, {}));
			says("the lock of S1, which has no presence, was taken at the age of 239 s", takenAt(239, {}));
			says("", takenAt(31, {}, soon));
			says("the lock of S1, which has no presence, was taken at the age of 29 s", takenAt(29, {}, soon));
			says(
				"",
				takenAt(1, {}, ({ s1 }) => s1.crash()),
			);
		});

		it("I4: deposits in order break nothing, also queued ones under a session's lock", () => {
			says("", (desk) => {
				const first = desk.deposit(1);
				desk.write(desk.record(desk.lock("a"), { deposits: [first] }));
				const gift = { coins: 5, hasItem: true, key: KEY, server: desk.s1, isQueued: true };
				const second = desk.book.deposit({ ...gift, session: 2 });
				const data = { deposits: [first, second], coins: 105, items: [second] };
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), data));
				desk.book.acknowledge(KEY, [first, second], "a save");
			});
		});

		it("I4, I11: a load of a record that is not there, and a read of a deposit that is not stored", () => {
			says("a load sees a record that is not stored", ({ book }) => book.expectSame(KEY, NEW_WALLET, "a load"));
			const read = (own: ReadonlyArray<number>) => (desk: Desk) => {
				const id = desk.deposit(1);
				desk.write(desk.record(desk.lock("a")));
				desk.book.expectRead(KEY, { ...NEW_WALLET, deposits: [id] }, 0, new Set(own), "a read");
			};
			says("", read([1]));
			says("a read sees deposit 1, which is not stored", read([]));
		});

		it("I7: a decision that is made anew when nothing waits for it breaks nothing", () => {
			says("", (desk) => {
				desk.marker("tx", "committed");
				desk.marker("tx", undefined);
				desk.marker("tx", "aborted");
				desk.journal("Aborted");
				desk.world.store("Wallets").remove(JOURNAL);
				desk.journal("Committed");
			});
			says("the marker said committed, and now aborted", (desk) => {
				desk.marker("tx", "committed");
				desk.marker("tx", "aborted");
			});
		});

		it("I7: a trade that is decided anew while records point at it", () => {
			says(
				"the journal said Aborted, and now Preparing; trade CKTxn_guid was aborted, and now is not",
				(desk) => {
					desk.journal("Preparing");
					point(desk);
					desk.journal("Aborted");
					desk.journal("Preparing");
				},
			);
		});

		it("I8: an aborted marker may go while a record waits, and a journal once nothing points at it", () => {
			says("", (desk) => {
				pend(desk);
				desk.marker("tx", "aborted");
				desk.marker("tx", undefined);
			});
			says("", (desk) => {
				desk.journal("Preparing");
				point(desk);
				desk.journal("Aborted");
				desk.write(desk.record(desk.lock("a", { Seq: 1 })));
				desk.write(desk.record(desk.lock("b", { Seq: 1 })), desk.s1, OTHER);
				desk.world.store("Wallets").remove(JOURNAL);
			});
		});

		it("I5, I6, I10: a trade that commits, is told so and is settled breaks nothing; one told unknown may go either way", () => {
			const commit = (desk: Desk): void => {
				begin(desk);
				desk.journal("Preparing", [1]);
				point(desk);
				desk.book.operations.tell(desk.book.operations.all[0], "unknown");
				desk.journal("Committed", [1]);
				desk.book.operations.tell(desk.book.operations.all[0], "committed");
				desk.write(desk.record(desk.lock("a", { Seq: 1 }), { operations: [1] }));
				desk.write(desk.record(desk.lock("b", { Seq: 1 }), { operations: [1] }), desk.s1, OTHER);
			};
			says("", commit);
			says("operation 1 is called failed, and is committed", (desk) => {
				commit(desk);
				desk.book.operations.tell(desk.book.operations.all[0], "failed");
			});
		});

		it("I10: a lane that is closed, a floor that rises, and the oldest of 200 trade ids may go", () => {
			const ids = (from: number, to: number): Array<string> => {
				const all = new Array<string>();
				for (let index = from; index <= to; index++) all.push(`id ${index}`);
				return all;
			};
			const kept = (first: number, last: number) => (desk: Desk) => {
				desk.write(desk.record(undefined, {}, { Flushed: { writer: 4 }, TransactionIds: ids(1, 200) }));
				desk.write(desk.record(undefined, {}, { FlushFloor: 4, TransactionIds: ids(first, last) }));
			};
			says("", kept(2, 201));
			says("it keeps 201 ids of trades", kept(1, 201));
			says("it has forgotten the trade id 1", kept(2, 200));
		});
	});
};
