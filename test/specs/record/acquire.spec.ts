import { AcquireDecision, AcquireRequest, acquire } from "../../../src/record/acquire";
import { StoredRecord } from "../../../src/record/types";
import { acquisition, claim, lock, record } from "./records";

function keepOf(value: unknown, updatedTime: number | undefined, request: AcquireRequest): string {
	const decision = acquire(value, updatedTime, request);
	return decision.write !== undefined ? "wrote" : decision.keep;
}

function writeOf(decision: AcquireDecision): StoredRecord {
	if (decision.write === undefined) error(`kept: ${decision.keep}`, 2);
	return decision.write;
}

const pointer = { Key: "CKTxn_1", Token: "j1" };
const pending = { Id: "x1", Data: { n: 2 }, Migrations: [], JobId: "S1" };

export = () => {
	describe("acquire on nothing", () => {
		it("makes the record with defaults, every migration's name, and the lock of turn 1", () => {
			const decision = acquire(undefined, undefined, acquisition({ migrations: ["a", "b"], presence: true }));
			const written = writeOf(decision);
			expect((written.Data as { n: number }).n).to.equal(0);
			expect(written.Meta.Turn).to.equal(1);
			expect(written.Meta.Migrations.join()).to.equal("a, b");
			expect(written.Lock?.JobId).to.equal("S2");
			expect(written.Lock?.Token).to.equal("t2");
			expect(written.Lock?.Turn).to.equal(1);
			expect(written.Lock?.Seq).to.equal(0);
			expect(written.Lock?.Time).to.equal(1000);
			expect(written.Lock?.Presence).to.equal(true);
			expect(decision.write !== undefined && decision.created).to.equal(true);
		});
	});

	describe("acquire on a record", () => {
		it("leaves data, migrations and lanes as stored, opens a turn, clears ReleasedToken", () => {
			const stored = record(
				{},
				{
					Turn: 7,
					Migrations: ["a"],
					ReleasedToken: "t1",
					TransactionIds: ["i1"],
					Flushed: { w: 3 },
					FlushFloor: 2,
				},
			);
			const written = writeOf(acquire(stored, 900, acquisition({ migrations: ["a", "b"] })));
			expect(written.Data).to.equal(stored.Data);
			expect(written.Meta.Migrations.join()).to.equal("a");
			expect(written.Meta.Turn).to.equal(8);
			expect(written.Lock?.Turn).to.equal(8);
			expect(written.Meta.ReleasedToken).to.equal(undefined);
			expect(written.Meta.TransactionIds?.[0]).to.equal("i1");
			expect(written.Meta.Flushed?.w).to.equal(3);
			expect(written.Meta.FlushFloor).to.equal(2);
			expect(stored.Meta.Turn).to.equal(7);
		});

		it("refuses a lock that is held, with its holder", () => {
			const decision = acquire(record({ Lock: lock() }), 1000, acquisition());
			expect(decision.write).to.equal(undefined);
			expect(decision.write === undefined && decision.keep === "held" && decision.lock.JobId).to.equal("S1");
		});

		it("takes a stale one and says from whom", () => {
			const request = acquisition({ claim: claim({ storeNow: 2000 }) });
			const decision = acquire(record({ Lock: lock() }), 1000, request);
			expect(writeOf(decision).Meta.Turn).to.equal(2);
			expect(decision.write !== undefined && decision.took?.verdict).to.equal("stale");
			expect(decision.write !== undefined && decision.took?.lock.Token).to.equal("t1");
		});

		it("scenario 10: recognizes its own earlier write, before any refusal, and writes nothing", () => {
			const mine = record({ Lock: lock({ JobId: "S2", Token: "t2" }) }, { Migrations: ["newer"] });
			expect(keepOf(mine, 1000, acquisition())).to.equal("mine");
			const blocked = record({ Lock: lock({ JobId: "S2", Token: "t2" }) }, { PendingTransaction: pointer });
			expect(keepOf(blocked, 1000, acquisition())).to.equal("mine");
		});

		it("writes nothing when its own token was released already", () => {
			expect(keepOf(record({}, { ReleasedToken: "t2" }), 1000, acquisition())).to.equal("released");
		});
	});

	describe("acquire refuses with nothing written", () => {
		it("a record of a newer version, held or not", () => {
			const request = acquisition({ migrations: ["a"] });
			expect(keepOf(record({}, { Migrations: ["a", "b"] }), 1000, request)).to.equal("outdated");
			expect(keepOf(record({ Lock: lock() }, { Migrations: ["a", "b"] }), 1000, request)).to.equal("outdated");
		});

		it("migrations that do not match", () => {
			expect(keepOf(record({}, { Migrations: ["b"] }), 1000, acquisition({ migrations: ["a"] }))).to.equal(
				"mismatch",
			);
		});

		it("an undecided trade or transaction, malformed pointers included; a held lock wins over it", () => {
			expect(keepOf(record({}, { PendingTransaction: pointer }), 1000, acquisition())).to.equal("unresolved");
			expect(keepOf(record({}, { PendingTransaction: 5 as never }), 1000, acquisition())).to.equal("unresolved");
			expect(keepOf(record({ Pending: pending }), 1000, acquisition())).to.equal("unresolved");
			const held = record({ Lock: lock() }, { PendingTransaction: pointer });
			expect(keepOf(held, 1000, acquisition())).to.equal("held");
			expect(keepOf(held, 1000, acquisition({ claim: claim({ storeNow: 2000 }) }))).to.equal("unresolved");
		});

		it("rule 5.8: an operator's word clears the pointer that it names, and no other, nor a Pending", () => {
			const traded = record({}, { PendingTransaction: pointer });
			const written = writeOf(acquire(traded, 1000, acquisition({ abandons: pointer.Token })));
			expect(written.Meta.PendingTransaction).to.equal(undefined);
			expect(written.Data).to.equal(traded.Data);
			expect(keepOf(traded, 1000, acquisition({ abandons: "another" }))).to.equal("unresolved");
			expect(keepOf(record({ Pending: pending }), 1000, acquisition({ abandons: pointer.Token }))).to.equal(
				"unresolved",
			);
		});

		it("a value that is no Baton record", () => {
			expect(keepOf({ coins: 5 }, 1000, acquisition())).to.equal("invalid");
		});
	});

	describe("orphan locks (protocol 1.4)", () => {
		const orphaned = record({ Lock: lock({ JobId: "S2" }) });

		it("are taken only by an acquire that names the token", () => {
			expect(keepOf(orphaned, 1000, acquisition())).to.equal("orphan");
			expect(keepOf(orphaned, 1000, acquisition({ takeOrphan: "t9" }))).to.equal("orphan");
			const decision = acquire(orphaned, 1000, acquisition({ takeOrphan: "t1" }));
			expect(writeOf(decision).Lock?.Token).to.equal("t2");
			expect(decision.write !== undefined && decision.took?.verdict).to.equal("orphan");
		});

		it("are reported on a record that is refused for good, so that they can be cleared", () => {
			const newer = record({ Lock: lock({ JobId: "S2" }) }, { Migrations: ["b"] });
			const decision = acquire(newer, 1000, acquisition());
			expect(decision.write === undefined && decision.keep === "outdated" && decision.orphan?.Token).to.equal(
				"t1",
			);
		});

		it("an acquire that lands late does not take a newer session of its own server", () => {
			// t2 was sent and never answered; the server went on with t3, which it holds.
			const newer = record({ Lock: lock({ JobId: "S2", Token: "t3", Turn: 5 }) }, { Turn: 5 });
			expect(keepOf(newer, 1000, acquisition({ takeOrphan: "t1" }))).to.equal("orphan");
		});
	});

	describe("importLegacy", () => {
		it("makes a new record of a value of another kind", () => {
			const importLegacy = (value: unknown): unknown => ({ n: (value as { coins: number }).coins });
			const decision = acquire({ coins: 5 }, 1000, acquisition({ importLegacy, migrations: ["a"] }));
			const written = writeOf(decision);
			expect((written.Data as { n: number }).n).to.equal(5);
			expect(written.Meta.Turn).to.equal(1);
			expect(written.Meta.Migrations.join()).to.equal("a");
			expect(written.Lock?.Token).to.equal("t2");
			expect(decision.write !== undefined && decision.imported).to.equal(true);
			expect(decision.write !== undefined && decision.created).to.equal(false);
		});

		it("is not asked about a record, nor about nothing", () => {
			let asked = 0;
			const importLegacy = (): unknown => {
				asked += 1;
				return { n: 9 };
			};
			acquire(record(), 1000, acquisition({ importLegacy }));
			acquire(undefined, undefined, acquisition({ importLegacy }));
			expect(asked).to.equal(0);
		});

		it("leaves the value alone when it gives nothing, throws, yields, or is refused by the check", () => {
			const imports: Array<AcquireRequest["importLegacy"]> = [
				() => undefined,
				() => error("broken"),
				() => {
					coroutine.yield();
					return { n: 1 };
				},
			];
			for (const importLegacy of imports) {
				expect(keepOf({ coins: 5 }, 1000, acquisition({ importLegacy }))).to.equal("invalid");
			}
			const decision = acquire(
				{ coins: 5 },
				1000,
				acquisition({ importLegacy: () => ({ n: 1 }), checkImported: () => "n must be 2" }),
			);
			const reason = decision.write === undefined && decision.keep === "invalid" ? decision.reason : "";
			expect(reason.find("n must be 2", 1, true)[0]).to.be.ok();
		});
	});
};
