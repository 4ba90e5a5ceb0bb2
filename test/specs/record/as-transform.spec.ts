import { asTransform } from "../../../src/record/asTransform";
import { record } from "./records";

const info = { updatedTime: 900, userIds: [7], metadata: { team: "red" } };

export = () => {
	describe("prior fault: metadata and user ids were lost at each save", () => {
		it("keeps the stored metadata, and the stored user ids where none are given", () => {
			const change = asTransform(() => ({ write: record() }))(record(), info);
			expect(change.write !== undefined && change.userIds[0]).to.equal(7);
			expect(change.write !== undefined && change.metadata).to.equal(info.metadata);
		});

		it("writes the given user ids", () => {
			const change = asTransform(() => ({ write: record() }), [8, 9])(record(), info);
			expect(change.write !== undefined && change.userIds.join()).to.equal("8, 9");
		});

		it("hands the time of the last write to the decision, and reports all of it", () => {
			let seen: number | undefined;
			const decision = { keep: "held" };
			const change = asTransform((_value, updatedTime): { write?: undefined; keep: string } => {
				seen = updatedTime;
				return decision;
			})(record(), info);
			expect(seen).to.equal(900);
			expect(change.write).to.equal(undefined);
			expect(change.report).to.equal(decision);
		});

		it("makes empty ones for a new record", () => {
			const change = asTransform(() => ({ write: record() }))(undefined, undefined);
			if (change.write === undefined) error("nothing was written");
			expect(change.userIds.size()).to.equal(0);
			expect(next(change.metadata as Map<unknown, unknown>)[0]).to.equal(undefined);
		});
	});
};
