import { settleDecided } from "../../../src/record/decided";
import { record } from "./records";

const pending = { Id: "x1", Data: { n: 3 }, Migrations: ["a", "b"], JobId: "S1" };
const prepared = record({ Pending: pending }, { Migrations: ["a"] });

// Protocol 6.3 and 6.4: a write clears the decided transactions that it names, and nothing else.
export = () => {
	it("a committed Pending becomes the data, with its own migrations (protocol 0)", () => {
		const settled = settleDecided(prepared, [{ id: "x1", outcome: "committed" }]);
		expect(settled.Data).to.equal(pending.Data);
		expect(settled.Meta.Migrations).to.equal(pending.Migrations);
		expect(settled.Pending).to.equal(undefined);
	});

	it("an aborted one is dropped, and the data stay", () => {
		const settled = settleDecided(prepared, [{ id: "x1", outcome: "aborted" }]);
		expect(settled.Data).to.equal(prepared.Data);
		expect(settled.Meta.Migrations).to.equal(prepared.Meta.Migrations);
		expect(settled.Pending).to.equal(undefined);
	});

	it("another transaction's stays, and a record without one is the same", () => {
		expect(settleDecided(prepared, [{ id: "x2", outcome: "committed" }])).to.equal(prepared);
		expect(settleDecided(prepared)).to.equal(prepared);
		const plain = record();
		expect(settleDecided(plain, [{ id: "x1", outcome: "committed" }])).to.equal(plain);
	});
};
