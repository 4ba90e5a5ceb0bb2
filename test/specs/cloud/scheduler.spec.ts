import { SeededRandom } from "../../cloud/random";
import { Scheduler } from "../../cloud/scheduler";

export = () => {
	describe("the discrete-event scheduler", () => {
		it("runs events by time, and those of one moment in the order they were scheduled", () => {
			const scheduler = new Scheduler();
			const random = new SeededRandom(3);
			const seen = new Array<number>();
			for (let index = 0; index < 500; index++) {
				const at = random.integer(0, 50);
				scheduler.at(at, () => seen.push(at * 1000 + index));
			}
			while (scheduler.step());
			expect(seen.size()).to.equal(500);
			for (let index = 1; index < seen.size(); index++) expect(seen[index] > seen[index - 1]).to.equal(true);
			expect(scheduler.now).to.equal(50);
		});

		it("runs what an event deferred before the next event of the same moment", () => {
			const scheduler = new Scheduler();
			const seen = new Array<string>();
			scheduler.at(1, () => {
				scheduler.defer(() => seen.push("deferred"));
				seen.push("first");
			});
			scheduler.at(1, () => seen.push("second"));
			while (scheduler.step());
			expect(seen.join(" ")).to.equal("first deferred second");
		});

		it("ends calls that defer each other without end", () => {
			const scheduler = new Scheduler();
			const again = (): void => scheduler.defer(again);
			scheduler.at(1, again);
			expect(pcall(() => scheduler.step())[0]).to.equal(false);
		});

		it("leaves out an event that was called off", () => {
			const scheduler = new Scheduler();
			let ran = 0;
			const event = scheduler.after(1, () => (ran += 1));
			scheduler.after(2, () => (ran += 10));
			event.action = undefined;
			while (scheduler.step());
			expect(ran).to.equal(10);
		});
	});

	describe("the seeded random source", () => {
		it("gives the same numbers for the same seed, others for another, and independent streams by purpose", () => {
			const draw = (random: SeededRandom): string => {
				const drawn = new Array<number>();
				for (let index = 0; index < 20; index++) drawn.push(random.fraction());
				return drawn.join(" ");
			};
			expect(draw(new SeededRandom(7))).to.equal(draw(new SeededRandom(7)));
			expect(draw(new SeededRandom(7)) !== draw(new SeededRandom(8))).to.equal(true);
			expect(draw(new SeededRandom(7).fork("a")) !== draw(new SeededRandom(7).fork("b"))).to.equal(true);
		});

		it("makes version 4 GUIDs that differ", () => {
			const random = new SeededRandom(1);
			const [found] = random.guid().match("^%x+%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x+$");
			expect(found).to.be.ok();
			expect(random.guid() !== random.guid()).to.equal(true);
		});
	});
};
