import { StoredRecord } from "../../../src/record/types";
import { Journal } from "../../../src/trade/journal";
import { KEYS, must, sibling, SIDES, STORE, withTraders } from "./traders";

/** Prior faults of two-phase protocols, as far as trades can have them: one spec each, named by the rule it taught. */
export = () => {
	describe("prior faults of two-phase protocols", () => {
		it("one decision record: commit and abort go to the same record, and only one of them counts", () => {
			withTraders((traders, _, world) => {
				// Between prepares and decision the trader's server stands still, and another one aborts.
				traders.fault({ durableOnly: true, nth: 4, count: 1, effect: "delay", stage: "arrive", seconds: 60 });
				traders.start();
				world.waitUntil(() => traders.points("A") && traders.points("B"));
				const key = traders.journalKeys()[0];
				const journal = traders.journal()!;
				world.store(STORE).set(key, { ...journal, State: "Aborted" });
				const answer = traders.answered();
				must(!answer.success && answer.error.type === "trade_aborted", "the abort did not win");
				traders.audit("aborted");
			});
		});

		it("evidence outlives intents: while a record points at it, the journal is there", () => {
			for (let nth = 1; nth <= 6; nth++) {
				withTraders((traders, [fresh], world) => {
					const crash = traders.fault({ durableOnly: true, nth, effect: "crashAfter" });
					traders.start();
					world.waitUntil(() => crash.hits > 0);
					for (const side of SIDES) {
						must(
							!traders.points(side) || traders.journal() !== undefined,
							`after write ${nth}: ${side} points nowhere`,
						);
					}
					fresh.joined("A");
					must(
						!traders.points("B") || traders.journal() !== undefined,
						`after write ${nth}, A loaded: B points nowhere`,
					);
				});
			}
		});

		it("decide durably, then show: no load hands out data while the journal is undecided", () => {
			withTraders((traders, [fresh], world) => {
				const crash = traders.fault({ durableOnly: true, nth: 3, effect: "crashAfter" });
				traders.start();
				world.waitUntil(() => crash.hits > 0);
				const ended = fresh.coming("A");
				let states = "";
				world.waitUntil(() => {
					const journal = traders.journal();
					if (ended() === undefined) states = journal !== undefined ? journal.State : states;
					return ended() !== undefined;
				}, 30);
				must(states === "Aborted", `the data were shown over a journal that said ${states}`);
			});
		});

		it("an absent journal is never a commit: the record keeps what it held before the trade", () => {
			withTraders((traders, [fresh], world) => {
				const crash = traders.fault({ durableOnly: true, nth: 4, effect: "crashAfter" });
				traders.start();
				world.waitUntil(() => crash.hits > 0);
				world.store(STORE).remove(traders.journalKeys()[0]);
				const data = traders.record("A").Data;
				const { cause } = fresh.join("A");
				// The crashed server's lock protects the record at first: a rejoin goes on from there.
				const last = cause?.type === "recovery_failed" ? cause : fresh.join("A").cause;
				must(last?.type === "recovery_failed", `the load answered ${last?.type}`);
				must(
					(traders.record("A").Data as { coins: number }).coins === (data as { coins: number }).coins,
					"A changed",
				);
				must(traders.points("A"), "the pointer is gone");
			});
		});

		it("giving up is no abort: a decision that may have landed is not written over", () => {
			withTraders((traders, _, world) => {
				traders.fault({ durableOnly: true, nth: 4, count: 1, effect: "loseAnswer" });
				traders.start();
				world.waitUntil(() => traders.journal()?.State === "Committed", 30);
				const answer = traders.answered();
				must(
					answer.success && answer.value.outcome === "committed",
					"a committed trade was not told as committed",
				);
				traders.audit("committed");
			});
		});

		it("the lock is checked in the write that prepares: one that was lost aborts the trade, and the taker's data stay", () => {
			for (const side of SIDES) {
				withTraders((traders, _, world) => {
					const record = traders.record(side);
					const taken: StoredRecord = {
						...record,
						Data: { coins: 77, items: [] },
						Lock: { ...record.Lock!, JobId: "elsewhere", Token: "theirs", Turn: record.Meta.Turn + 1 },
						Meta: { ...record.Meta, Turn: record.Meta.Turn + 1 },
					};
					world.store(STORE).set(KEYS[side], taken);
					traders.start();
					const answer = traders.answered();
					must(!answer.success && answer.error.type === "save_failed", "the trade did not fail");
					must(!answer.success && answer.error.cause?.type === "lock_lost", "its cause is not the lost lock");
					must(
						(traders.record(side).Data as { coins: number }).coins === 77,
						"the taker's data were changed",
					);
					must(!traders.points(sibling(side)), "the other one still points at the journal");
				});
			}
		});

		it("the decision's place is fixed at the start: both pointers name one journal and its token", () => {
			withTraders((traders, _, world) => {
				const crash = traders.fault({ durableOnly: true, nth: 3, effect: "crashAfter" });
				traders.start();
				world.waitUntil(() => crash.hits > 0);
				const journal = traders.journal() as Journal;
				for (const side of SIDES) {
					const pointer = traders.record(side).Meta.PendingTransaction!;
					must(pointer.Key === traders.journalKeys()[0], `${side} points elsewhere`);
					must(pointer.Token === journal.Token, `${side} has another token`);
				}
			});
		});

		it("acknowledged can be checked: after a commit is answered, every load and every later trade finds its id", () => {
			withTraders((traders) => {
				traders.start();
				traders.answered().unwrap();
				for (const side of SIDES) {
					must(
						traders.record(side).Meta.TransactionIds?.includes("swap-1") === true,
						`${side} does not note the id`,
					);
				}
				traders.answer = undefined;
				traders.start();
				const again = traders.answered();
				must(!again.success && again.error.type === "duplicate_id", "it was traded twice");
			});
		});

		it("every ending cleans up: committed, aborted and cancelled trades leave no journal and no pointer", () => {
			withTraders((traders, _, world) => {
				traders.start();
				traders.answered().unwrap();
				world.wait(5);
				must(traders.journalKeys().isEmpty(), "a committed trade left its journal");
			});
			withTraders((traders, _, world) => {
				traders.fault({ key: KEYS.B, durableOnly: true, count: 20, effect: "failBefore" });
				traders.start();
				must(!traders.answered().success, "the trade did not fail");
				world.wait(60);
				must(traders.journalKeys().isEmpty() && !traders.points("A"), "an aborted trade left something");
			});
		});
	});
};
