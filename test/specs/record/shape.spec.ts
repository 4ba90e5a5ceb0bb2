import { Shape, shapeOf } from "../../../src/record/shape";
import { lock, record } from "./records";

function kindOf(value: unknown): Shape["kind"] {
	return shapeOf(value).kind;
}

export = () => {
	describe("prior fault: a record of the wrong shape was replaced with defaults", () => {
		it("tells nothing, a record and something else apart", () => {
			expect(kindOf(undefined)).to.equal("nothing");
			expect(kindOf(record())).to.equal("record");
			expect(kindOf(record({ Lock: lock() }))).to.equal("record");
			expect(kindOf({ coins: 5 })).to.equal("other");
			expect(kindOf({})).to.equal("other");
			expect(kindOf("text")).to.equal("other");
			expect(kindOf(5)).to.equal("other");
			expect(kindOf(false)).to.equal("other");
		});

		it("takes empty tables for data and for empty lists, as they come back from the store", () => {
			expect(kindOf({ Data: {}, Meta: { Turn: 0, Migrations: {}, TransactionIds: {}, Flushed: {} } })).to.equal(
				"record",
			);
		});

		it("takes any data that is there, also false", () => {
			expect(kindOf(record({ Data: false }))).to.equal("record");
			expect(kindOf({ Meta: { Turn: 0, Migrations: [] } })).to.equal("other");
		});

		it("refuses another field, and a Meta that lacks something", () => {
			expect(kindOf({ ...record(), Extra: 1 })).to.equal("other");
			expect(kindOf({ Data: 1 })).to.equal("other");
			expect(kindOf({ Data: 1, Meta: { Turn: 1 } })).to.equal("other");
			expect(kindOf({ Data: 1, Meta: { Migrations: [] } })).to.equal("other");
			expect(kindOf(record({}, { Turn: -1 }))).to.equal("other");
			expect(kindOf(record({}, { Turn: 1.5 }))).to.equal("other");
			expect(kindOf(record({}, { Migrations: { a: "b" } as never }))).to.equal("other");
			expect(kindOf(record({}, { Migrations: [1] as never }))).to.equal("other");
		});

		it("refuses a malformed lock", () => {
			const bad = [
				{ JobId: "" },
				{ Token: 5 },
				{ Turn: 2 },
				{ Seq: -1 },
				{ Time: "now" },
				{ Presence: "yes" },
				{ Tx: 1 },
			];
			for (const change of bad) {
				expect(kindOf(record({ Lock: lock(change as never) }))).to.equal("other");
			}
			expect(kindOf(record({ Lock: true as never }))).to.equal("other");
			expect(kindOf(record({ Lock: lock({ Tx: true, Presence: false }) }))).to.equal("record");
		});

		it("refuses malformed lanes", () => {
			expect(kindOf(record({}, { TransactionIds: "x" as never }))).to.equal("other");
			expect(kindOf(record({}, { ReleasedToken: 5 as never }))).to.equal("other");
			expect(kindOf(record({}, { RefusedTransaction: false as never }))).to.equal("other");
			expect(kindOf(record({}, { Flushed: ["x"] as never }))).to.equal("other");
			expect(kindOf(record({}, { FlushFloor: "1" as never }))).to.equal("other");
			expect(kindOf(record({ Pending: { Id: "x" } as never }))).to.equal("other");
		});

		it("takes a malformed trade pointer, which recovery reports, but not with a Pending", () => {
			expect(kindOf(record({}, { PendingTransaction: "junk" as never }))).to.equal("record");
			const Pending = { Id: "x", Data: 1, Migrations: [], JobId: "S1" };
			expect(kindOf(record({ Pending }))).to.equal("record");
			expect(kindOf(record({ Pending }, { PendingTransaction: { Key: "k", Token: "t" } }))).to.equal("other");
		});

		it("takes a trade's journal for something else", () => {
			expect(
				kindOf({ Kind: "CKTransaction", Token: "t", Id: "i", State: "Preparing", Entries: {}, Settled: {} }),
			).to.equal("other");
		});
	});
};
