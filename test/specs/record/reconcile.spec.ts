import { reconcile } from "../../../src/record/reconcile";

export = () => {
	describe("defaults are reconciled into loaded records", () => {
		it("fills what is missing, in dictionaries all the way down", () => {
			const loaded = { coins: 5, stats: { wins: 1 } };
			const filled = reconcile(loaded, { coins: 0, stats: { wins: 0, losses: 3 }, gems: 7 }) as {
				coins: number;
				gems: number;
				stats: { wins: number; losses: number };
			};
			expect(filled.coins).to.equal(5);
			expect(filled.gems).to.equal(7);
			expect(filled.stats.wins).to.equal(1);
			expect(filled.stats.losses).to.equal(3);
			expect((loaded.stats as { losses?: number }).losses).to.equal(undefined);
		});

		it("answers the same reference when nothing is missing, and keeps the parts that are whole", () => {
			const loaded = { coins: 5, stats: { wins: 1 }, extra: { own: 1 } };
			expect(reconcile(loaded, { coins: 0, stats: { wins: 0 } })).to.equal(loaded);
			const filled = reconcile(loaded, { gems: 1, stats: { wins: 0 } }) as typeof loaded;
			expect(filled.stats).to.equal(loaded.stats);
			expect(filled.extra).to.equal(loaded.extra);
		});

		it("never fills arrays, and never puts anything into one", () => {
			const loaded = { items: [1], list: [{ a: 1 }] };
			expect(reconcile(loaded, { items: [7, 8, 9], list: { b: 2 } })).to.equal(loaded);
			const empty = { items: {} };
			expect(reconcile(empty, { items: [7, 8, 9] })).to.equal(empty);
		});

		it("never replaces a value, not even one of another type, nor false", () => {
			const loaded = { coins: "five", open: false, stats: 3 };
			expect(reconcile(loaded, { coins: 0, open: true, stats: { wins: 0 } })).to.equal(loaded);
			expect(reconcile(5, { coins: 0 })).to.equal(5);
		});

		it("fills an empty table, which the store cannot tell from an empty array", () => {
			expect((reconcile({}, { coins: 3 }) as { coins: number }).coins).to.equal(3);
		});

		it("fills frozen data without changing it", () => {
			const loaded = table.freeze({ stats: table.freeze({ wins: 1 }) });
			const filled = reconcile(loaded, { stats: { losses: 0 } }) as { stats: { wins: number; losses: number } };
			expect(filled.stats.wins).to.equal(1);
			expect(filled.stats.losses).to.equal(0);
			expect((loaded.stats as { losses?: number }).losses).to.equal(undefined);
		});
	});
};
