import { BatonError } from "../../../src/errors";
import { flush } from "../../../src/lockless/flush";
import { err, ok } from "../../../src/result";
import { claim, lock, record } from "../record/records";
import { textOf } from "../driver/drivers";
import { add, flushing, keepOf, locking, numberIn, refusing, txLock, written } from "./flushes";

const pointer = { Key: "CKTxn_1", Token: "j1" };
const pending = { Id: "x1", Data: { n: 7 }, Migrations: ["a"], JobId: "S1" };

export = () => {
	describe("flush: what is stored, and the updates on top", () => {
		it("makes a record of the defaults where nothing is stored; it has had no lock", () => {
			const { write } = written(
				flush(undefined, undefined, flushing({ updates: [add(5, 3)], migrations: ["a"] })),
			);
			expect(textOf(write)).to.equal(
				textOf({
					Data: { n: 3 },
					Meta: { Turn: 0, Migrations: ["a"], Flushed: { w1: 1_000_000 } },
				}),
			);
		});

		it("applies the updates in order, and writes the lane", () => {
			const updates = [
				add(5, 1),
				{ number: 5, apply: (data: unknown) => ok({ n: (data as { n: number }).n * 10 }) },
			];
			const decision = flush(record(), 1000, flushing({ updates }));
			expect(numberIn(decision)).to.equal(20);
			expect(written(decision).write.Meta.Flushed?.w1).to.equal(1_000_000);
		});

		it("keeps everything else of the record, but for ReleasedToken (4.3)", () => {
			const meta = {
				Turn: 4,
				TransactionIds: ["i1"],
				RefusedTransaction: "j0",
				ReleasedToken: "t0",
				Flushed: { w2: 999_000 },
				FlushFloor: 3,
			};
			const { write } = written(flush(record({}, meta), 1000, flushing({ updates: [add(5, 1)] })));
			expect(textOf(write.Meta)).to.equal(
				textOf({
					...meta,
					ReleasedToken: undefined,
					Migrations: [],
					Flushed: { w1: 1_000_000, w2: 999_000 },
				}),
			);
		});

		it("drops an update that the stored data refuse, and no other", () => {
			const decision = written(flush(record(), 1000, flushing({ updates: [add(5, 1), refusing(5), add(6, 1)] })));
			expect(numberIn(decision)).to.equal(3);
			expect(decision.refused.size()).to.equal(1);
			expect(decision.refused[0].index).to.equal(1);
		});

		it("writes nothing where there is nothing to apply, clear or lock", () => {
			expect(keepOf(record(), flushing())).to.equal("clean");
			expect(keepOf(undefined, flushing())).to.equal("clean");
		});

		it("clears a dead lock that it meets, also where there is nothing to apply: I14, no residue", () => {
			const expired = flushing({ claim: claim({ token: "", storeNow: 2000, txTtlSeconds: 10 }) });
			expect(written(flush(record({ Lock: txLock() }), 1000, expired)).write.Lock).to.equal(undefined);
		});

		it("scenario 28: run again on other bases, it answers as if it ran once", () => {
			const request = flushing({ updates: [add(5, 1), refusing(5)] });
			flush(record({ Data: { n: 100 } }), 1000, request);
			flush(undefined, undefined, request);
			const decision = written(flush(record(), 1000, request));
			expect(numberIn(decision)).to.equal(2);
			expect(decision.refused.size()).to.equal(1);
			// On its own result, as an engine does that missed the commit.
			expect(keepOf(decision.write, request)).to.equal("clean");
		});
	});

	describe("flush: 6.6, lanes", () => {
		it("applies those above the writer's entry only", () => {
			const stored = record({}, { Flushed: { w1: 5 } });
			expect(numberIn(flush(stored, 1000, flushing({ updates: [add(4, 100), add(5, 10), add(6, 1)] })))).to.equal(
				2,
			);
		});

		it("a late or doubled flush that lands after a later one changes nothing", () => {
			const first = flushing({ stamp: 5, updates: [add(5, 1)] });
			const second = flushing({ stamp: 6, updates: [add(5, 1), add(6, 2)] });
			const after = written(flush(record(), 1000, second)).write;
			expect(keepOf(after, first)).to.equal("clean");
			expect(keepOf(after, second)).to.equal("clean");
		});

		it("a flush that landed and was not answered is not applied again by the next, which carries it", () => {
			const landed = written(flush(record(), 1000, flushing({ stamp: 5, updates: [add(5, 1)] }))).write;
			const request = flushing({ stamp: 6, updates: [add(5, 1), add(6, 2)] });
			expect(numberIn(flush(landed, 1000, request))).to.equal(4);
		});

		it("without an entry, a first number that is not above the floor writes nothing and is to be renumbered", () => {
			const stored = record({}, { FlushFloor: 5 });
			const decision = flush(stored, 1000, flushing({ updates: [add(5, 1), add(6, 1)] }));
			expect(decision.write === undefined && decision.keep === "renumber" && decision.floor).to.equal(5);
			expect(keepOf(stored, flushing({ updates: [add(6, 1)] }))).to.equal("wrote");
			// With an entry the floor is that of others.
			const known = record({}, { FlushFloor: 50, Flushed: { w1: 4 } });
			expect(keepOf(known, flushing({ updates: [add(5, 1)] }))).to.equal("wrote");
		});

		it("closing removes the entry and raises the floor to it, so that a late flush of that writer lands nowhere", () => {
			const stored = record({}, { Flushed: { w1: 5, w2: 9 }, FlushFloor: 2 });
			const { write } = written(flush(stored, 1000, flushing({ closes: true })));
			expect(textOf(write.Meta.Flushed)).to.equal(textOf({ w2: 9 }));
			expect(write.Meta.FlushFloor).to.equal(5);
			expect(keepOf(write, flushing({ updates: [add(4, 1), add(5, 1)] }))).to.equal("renumber");
			expect(keepOf(write, flushing({ closes: true }))).to.equal("clean");
		});

		it("an entry that is a day old by store time goes with any write, and the floor rises to the highest of them", () => {
			const now = 200_000;
			const old = (now - 86_401) * 1000;
			const young = (now - 86_399) * 1000;
			const stored = record({}, { Flushed: { w2: old, w3: young, w4: old - 1 } });
			const request = flushing({
				claim: claim({ token: "", storeNow: now }),
				stamp: now * 1000,
				updates: [add(now * 1000, 1)],
			});
			const { write } = written(flush(stored, now, request));
			expect(textOf(write.Meta.Flushed)).to.equal(textOf({ w1: now * 1000, w3: young }));
			expect(write.Meta.FlushFloor).to.equal(old);
			expect(keepOf(write, flushing({ writer: "w2", updates: [add(old, 1)] }))).to.equal("renumber");
		});

		it("no entry goes by age where the store has no time, and none by count", () => {
			const entries: Record<string, number> = {};
			for (let index = 0; index < 300; index++) entries[`other${index}`] = 1;
			const request = flushing({
				claim: claim({ token: "", storeNow: undefined, hasStoreTime: false, wallNow: 1e9 }),
				updates: [add(5, 1)],
			});
			const { write } = written(flush(record({}, { Flushed: entries }), undefined, request));
			let count = 0;
			for (const [_name] of pairs(write.Meta.Flushed!)) count += 1;
			expect(count).to.equal(301);
		});

		it("updates that waited for days leave a young entry: its number is that of the write, not of the updates", () => {
			const { write } = written(flush(record(), 1000, flushing({ stamp: 900_000_000, updates: [add(5, 1)] })));
			expect(write.Meta.Flushed?.w1).to.equal(900_000_000);
		});
	});

	describe("flush: 2.3 and 6.3, locks and undecided outcomes are not passed over", () => {
		const updates = [add(5, 1)];

		it("a live session lock keeps it out", () => {
			expect(keepOf(record({ Lock: lock() }), flushing({ updates }))).to.equal("locked");
		});

		it("a stale one is cleared by the write; its holder's presence is asked for first", () => {
			const late = { token: "", storeNow: 2000 };
			const { write } = written(flush(record({ Lock: lock() }), 1000, flushing({ updates, claim: claim(late) })));
			expect(write.Lock).to.equal(undefined);
			expect(write.Meta.Turn).to.equal(1);
			const asking = flushing({ updates, claim: claim({ ...late, asksPresence: true }) });
			const decision = flush(record({ Lock: lock({ Presence: true }) }), 1000, asking);
			expect(decision.write === undefined && decision.keep === "locked" && decision.needsPresence).to.equal(true);
			const silent = flushing({ updates, claim: claim({ ...late, asksPresence: true, silentToken: "t1" }) });
			expect(keepOf(record({ Lock: lock({ Presence: true }) }), silent)).to.equal("wrote");
		});

		it("another transaction's lock is busy until it expires: 10 s, or what it says itself", () => {
			const at = (storeNow: number) =>
				flushing({ updates, claim: claim({ token: "", storeNow, txTtlSeconds: 10 }) });
			expect(keepOf(record({ Lock: txLock() }), at(1010))).to.equal("busy");
			expect(keepOf(record({ Lock: txLock() }), at(1011))).to.equal("wrote");
			expect(keepOf(record({ Lock: txLock({ Expires: 20 }) }), at(1020))).to.equal("busy");
			expect(keepOf(record({ Lock: txLock({ Expires: 20 }) }), at(1021))).to.equal("wrote");
			const seen = flushing({ updates, claim: claim({ token: "", expiredTxTurn: 1 }) });
			expect(keepOf(record({ Lock: txLock() }), seen)).to.equal("wrote");
		});

		it("1.4: a lock of this server that nothing here owns is taken only once it was named; a running one's never", () => {
			const own = record({ Lock: txLock({ JobId: "S2" }) });
			expect(keepOf(own, flushing({ updates }))).to.equal("orphan");
			expect(keepOf(own, flushing({ updates, takeOrphan: "t9" }))).to.equal("orphan");
			expect(written(flush(own, 1000, flushing({ updates, takeOrphan: "t1" }))).write.Lock).to.equal(undefined);
			const running = claim({ token: "", otherTokens: new Set(["t1"]) });
			expect(keepOf(own, flushing({ updates, claim: running, takeOrphan: "t1" }))).to.equal("busy");
		});

		it("a Pending or a pointer that is not named keeps it out, with what is needed to resolve it", () => {
			const met = flush(record({ Pending: pending }), 900, flushing({ updates }));
			expect(met.write === undefined && met.keep === "unresolved" && met.pending?.Id).to.equal("x1");
			expect(met.write === undefined && met.keep === "unresolved" && met.updatedTime).to.equal(900);
			expect(keepOf(record({}, { PendingTransaction: pointer }), flushing({ updates }))).to.equal("unresolved");
			expect(keepOf(record({ Pending: pending }), locking())).to.equal("unresolved");
		});

		it("a decided Pending is applied or dropped, and the updates are replayed on that base", () => {
			const migrations = ["a"];
			const committed = flushing({ updates, migrations, decided: [{ id: "x1", outcome: "committed" }] });
			const after = flush(record({ Pending: pending }), 1000, committed);
			expect(numberIn(after)).to.equal(8);
			expect(written(after).write.Pending).to.equal(undefined);
			const aborted = flushing({ updates, migrations, decided: [{ id: "x1", outcome: "aborted" }] });
			expect(numberIn(flush(record({ Pending: pending }), 1000, aborted))).to.equal(2);
		});

		it("clears a decided Pending also with nothing to apply", () => {
			const request = flushing({ migrations: ["a"], decided: [{ id: "x1", outcome: "committed" }] });
			expect(numberIn(flush(record({ Pending: pending }), 1000, request))).to.equal(7);
		});

		it("compares the migrations of what a decided Pending leaves, not of what it replaces", () => {
			const stored = record({ Pending: { ...pending, Migrations: ["a", "b"] } });
			const request = flushing({ updates, migrations: ["a"], decided: [{ id: "x1", outcome: "committed" }] });
			expect(keepOf(stored, request)).to.equal("outdated");
		});
	});

	describe("flush: prior fault: an old server wrote over data that a newer one had migrated; lockless keys too", () => {
		const updates = [add(5, 1)];

		it("leaves a newer or foreign format, and what is no record, as they are", () => {
			expect(keepOf(record({}, { Migrations: ["a"] }), flushing({ updates }))).to.equal("outdated");
			expect(keepOf(record({}, { Migrations: ["b"] }), flushing({ updates, migrations: ["a"] }))).to.equal(
				"mismatch",
			);
			expect(keepOf({ coins: 1 }, flushing({ updates }))).to.equal("invalid");
		});

		it("writes an older one in this server's format", () => {
			const request = flushing({ updates, migrations: ["a"], gate: () => ok({ n: 50 }) });
			const decision = flush(record(), 1000, request);
			expect(numberIn(decision)).to.equal(51);
			expect(written(decision).write.Meta.Migrations.join()).to.equal("a");
		});

		it("stored data that do not pass are left as they are", () => {
			const request = flushing({ updates, gate: () => err(new BatonError("migration_failed", "no")) });
			expect(keepOf(record(), request)).to.equal("refused");
		});

		it("takes in what importLegacy makes of another value", () => {
			const request = flushing({ updates, importLegacy: (value) => ({ n: (value as { coins: number }).coins }) });
			expect(numberIn(flush({ coins: 4 }, 1000, request))).to.equal(5);
		});
	});

	describe("flush with a lock: 6.5, flush, lock and snapshot are one write", () => {
		it("opens a turn, with the updates applied and the data as locked", () => {
			const decision = written(flush(record(), 1000, locking({ updates: [add(5, 1)], lock: { expires: 20 } })));
			expect(textOf(decision.write.Lock)).to.equal(
				textOf({ JobId: "S2", Token: "t2", Turn: 2, Seq: 0, Time: 1000, Tx: true, Expires: 20 }),
			);
			expect(decision.write.Meta.Turn).to.equal(2);
			expect(textOf(decision.data)).to.equal(textOf({ n: 2 }));
		});

		it("also without updates, and where nothing is stored", () => {
			const decision = written(flush(undefined, undefined, locking()));
			expect(decision.write.Lock?.Turn).to.equal(1);
			expect(decision.write.Meta.Turn).to.equal(1);
			expect(decision.write.Lock?.Expires).to.equal(undefined);
			expect(decision.write.Meta.Flushed).to.equal(undefined);
		});

		it("1.2: its own token there is its own earlier run, before any refusal: nothing is written", () => {
			const stored = record({ Lock: txLock({ JobId: "S2", Token: "t2" }) }, { Migrations: ["newer"] });
			const decision = flush(stored, 1000, locking({ updates: [add(5, 1)] }));
			expect(decision.write === undefined && decision.keep).to.equal("mine");
			expect(decision.write === undefined && decision.keep === "mine" && textOf(decision.data)).to.equal(
				textOf({ n: 1 }),
			);
		});

		it("1.1: its own token in ReleasedToken was given back: it takes nothing", () => {
			expect(keepOf(record({}, { ReleasedToken: "t2" }), locking({ updates: [add(5, 1)] }))).to.equal("released");
		});

		it("takes over an expired lock of another transaction, and no live one", () => {
			const live = record({ Lock: txLock() });
			expect(keepOf(live, locking())).to.equal("busy");
			const { write } = written(flush(live, 1000, locking({ claim: claim({ expiredTxTurn: 1 }) })));
			expect(write.Lock?.Token).to.equal("t2");
			expect(write.Lock?.Turn).to.equal(2);
		});
	});
};
