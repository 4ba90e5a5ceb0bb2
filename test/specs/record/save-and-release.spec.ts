import { release } from "../../../src/record/release";
import { SaveDecision, save } from "../../../src/record/save";
import { StoredRecord } from "../../../src/record/types";
import { lock, record } from "./records";

function writeOf(decision: SaveDecision): StoredRecord {
	if (decision.write === undefined) error(`kept: ${decision.keep}`, 2);
	return decision.write;
}

function keepOf(decision: SaveDecision): string {
	return decision.write !== undefined ? "wrote" : decision.keep;
}

const id = { token: "t1", turn: 1 };
const part = { data: { n: 2 }, migrations: ["a"] };
const held = record({ Lock: lock({ Seq: 4, Presence: true }) }, { TransactionIds: ["i1"], RefusedTransaction: "j0" });
const pointer = { Key: "CKTxn_1", Token: "j1" };
const pending = { Id: "x1", Data: { n: 3 }, Migrations: [], JobId: "S1" };

export = () => {
	describe("save", () => {
		it("writes data and migrations with time, number and presence, and leaves the lanes as stored", () => {
			const written = writeOf(save(held, { ...id, seq: 5, time: 1100, presence: false, part }));
			expect(written.Data).to.equal(part.data);
			expect(written.Meta.Migrations).to.equal(part.migrations);
			expect(written.Lock?.Seq).to.equal(5);
			expect(written.Lock?.Time).to.equal(1100);
			expect(written.Lock?.Presence).to.equal(false);
			expect(written.Lock?.Token).to.equal("t1");
			expect(written.Lock?.JobId).to.equal("S1");
			expect(written.Meta.Turn).to.equal(1);
			expect(written.Meta.TransactionIds?.[0]).to.equal("i1");
			expect(written.Meta.RefusedTransaction).to.equal("j0");
		});

		it("touches: refreshes the lock and leaves data and migrations", () => {
			const written = writeOf(save(held, { ...id, seq: 5, time: 1100 }));
			expect(written.Data).to.equal(held.Data);
			expect(written.Meta.Migrations).to.equal(held.Meta.Migrations);
			expect(written.Lock?.Time).to.equal(1100);
			expect(written.Lock?.Presence).to.equal(undefined);
		});

		it("recognizes itself, and refuses to land over a later save", () => {
			expect(keepOf(save(held, { ...id, seq: 4, time: 1100, part }))).to.equal("mine");
			expect(keepOf(save(held, { ...id, seq: 3, time: 1100, part }))).to.equal("superseded");
		});

		it("scenarios 1 and 2: changes nothing under another's lock, and names the thief", () => {
			const stolen = record({ Lock: lock({ JobId: "S2", Token: "t2", Turn: 2 }) }, { Turn: 2 });
			const decision = save(stolen, { ...id, seq: 9, time: 1100, part });
			expect(keepOf(decision)).to.equal("lost");
			expect(decision.write === undefined && decision.keep === "lost" && decision.holder?.jobId).to.equal("S2");
		});

		it("changes nothing under its own token in another turn", () => {
			const other = record({ Lock: lock({ Turn: 2 }) }, { Turn: 2 });
			expect(keepOf(save(other, { ...id, seq: 9, time: 1100, part }))).to.equal("lost");
		});

		it("is lost, without a thief, on nothing, on another value, and on an unlocked record", () => {
			expect(keepOf(save(undefined, { ...id, seq: 9, time: 1, part }))).to.equal("lost");
			expect(keepOf(save({ coins: 5 }, { ...id, seq: 9, time: 1, part }))).to.equal("lost");
			expect(keepOf(save(record(), { ...id, seq: 9, time: 1, part }))).to.equal("lost");
		});

		it("says so when its own session was released", () => {
			expect(keepOf(save(record({}, { ReleasedToken: "t1" }), { ...id, seq: 9, time: 1, part }))).to.equal(
				"released",
			);
		});

		it("writes no data over an undecided trade or transaction, but may touch", () => {
			const both = [
				record({ Lock: lock() }, { PendingTransaction: pointer }),
				record({ Lock: lock(), Pending: pending }),
			];
			for (const stored of both) {
				expect(keepOf(save(stored, { ...id, seq: 1, time: 1, part }))).to.equal("unresolved");
				const touched = writeOf(save(stored, { ...id, seq: 1, time: 1 }));
				expect(touched.Pending).to.equal(stored.Pending);
				expect(touched.Meta.PendingTransaction).to.equal(stored.Meta.PendingTransaction);
			}
		});
	});

	describe("release", () => {
		it("writes the last data, removes the lock, stamps its token, keeps the turn", () => {
			const written = writeOf(release(held, { ...id, seq: 5, part }));
			expect(written.Lock).to.equal(undefined);
			expect(written.Data).to.equal(part.data);
			expect(written.Meta.Migrations).to.equal(part.migrations);
			expect(written.Meta.ReleasedToken).to.equal("t1");
			expect(written.Meta.Turn).to.equal(1);
			expect(written.Meta.TransactionIds?.[0]).to.equal("i1");
		});

		it("metadata-only: leaves data, Pending and pointer as stored", () => {
			const stored = record({ Lock: lock(), Pending: pending }, { Migrations: ["z"] });
			const written = writeOf(release(stored, { ...id, seq: 1 }));
			expect(written.Lock).to.equal(undefined);
			expect(written.Data).to.equal(stored.Data);
			expect(written.Pending).to.equal(pending);
			expect(written.Meta.Migrations).to.equal(stored.Meta.Migrations);
			expect(written.Meta.ReleasedToken).to.equal("t1");
			const traded = record({ Lock: lock() }, { PendingTransaction: pointer });
			expect(writeOf(release(traded, { ...id, seq: 1 })).Meta.PendingTransaction).to.equal(pointer);
		});

		it("writes no data over an undecided trade or transaction", () => {
			const traded = record({ Lock: lock() }, { PendingTransaction: pointer });
			expect(keepOf(release(traded, { ...id, seq: 1, part }))).to.equal("unresolved");
		});

		it("recognizes itself by token and turn", () => {
			const released = record({}, { ReleasedToken: "t1" });
			expect(keepOf(release(released, { ...id, seq: 5, part }))).to.equal("released");
			expect(keepOf(release(released, { token: "t1", turn: 2, seq: 5, part }))).to.equal("lost");
			expect(keepOf(release(record(), { ...id, seq: 5, part }))).to.equal("lost");
		});

		it("does not undo a later write, and does not end another session", () => {
			expect(keepOf(release(held, { ...id, seq: 3, part }))).to.equal("superseded");
			// A lock that is still there with the release's number is not the release's work.
			expect(keepOf(release(held, { ...id, seq: 4, part }))).to.equal("superseded");
			const taken = record({ Lock: lock({ Token: "t2", Turn: 2 }) }, { Turn: 2 });
			expect(keepOf(release(taken, { ...id, seq: 9, part }))).to.equal("lost");
		});
	});

	describe("the first write under an adoption, rule 4.2", () => {
		const fresh = { token: "t9", turn: 2, seq: 1, adopts: { jobId: "S1", from: [{ token: "t1", turn: 1 }] } };

		it("takes over from the old lock, and opens its own turn", () => {
			const written = writeOf(save(held, { ...fresh, time: 1100, part }));
			expect(written.Lock?.JobId).to.equal("S1");
			expect(written.Lock?.Token).to.equal("t9");
			expect(written.Lock?.Turn).to.equal(2);
			expect(written.Lock?.Seq).to.equal(1);
			expect(written.Meta.Turn).to.equal(2);
		});

		it("takes over from the old session's release, whose stamp goes (rule 4.3)", () => {
			const written = writeOf(save(record({}, { ReleasedToken: "t1" }), { ...fresh, time: 1100, part }));
			expect(written.Lock?.Token).to.equal("t9");
			expect(written.Meta.Turn).to.equal(2);
			expect(written.Meta.ReleasedToken).to.equal(undefined);
		});

		it("is refused where the old token is there under another turn: others wrote in between", () => {
			const moved = record({ Lock: lock({ Turn: 3 }) }, { Turn: 3 });
			expect(keepOf(save(moved, { ...fresh, time: 1100, part }))).to.equal("lost");
			const released = record({}, { Turn: 3, ReleasedToken: "t1" });
			expect(keepOf(save(released, { ...fresh, time: 1100, part }))).to.equal("lost");
		});

		it("recognizes itself: a save by its number, a release by token and turn", () => {
			const saved = writeOf(save(held, { ...fresh, time: 1100, part }));
			expect(keepOf(save(saved, { ...fresh, time: 1100, part }))).to.equal("mine");
			const released = writeOf(release(held, { ...fresh, part }));
			expect(released.Lock).to.equal(undefined);
			expect(released.Meta.Turn).to.equal(2);
			expect(keepOf(release(released, { ...fresh, part }))).to.equal("released");
		});
	});
};
