import { laneOf, Lanes, lanesAfter } from "../../../src/lockless/lanes";

/** Milliseconds of a store's time, and a day of them. */
const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

/** The lanes as a text: every entry by name, then the floor. */
function textOf({ Flushed, FlushFloor }: Lanes): string {
	const entries = new Array<string>();
	for (const [writer, entry] of pairs((Flushed ?? {}) as Record<string, number>)) entries.push(`${writer}=${entry}`);
	entries.sort();
	return `${entries.join(",")} floor ${FlushFloor}`;
}

// Protocol 6.6.
export = () => {
	it("a write keeps every other writer's entry, and sets its own", () => {
		expect(textOf(lanesAfter({ Flushed: { a: 5, b: 6 } }, { writer: "a", stamp: 9 }))).to.equal(
			"a=9,b=6 floor nil",
		);
		expect(textOf(lanesAfter({ Flushed: { a: 5 } }, { writer: "b" }))).to.equal("a=5 floor nil");
	});

	it("whoever removes an entry raises the floor to it, never lowers it", () => {
		const closed = (FlushFloor: number | undefined) =>
			textOf(lanesAfter({ Flushed: { a: 5, b: 6 }, FlushFloor }, { writer: "a", closes: true }));
		expect(closed(undefined)).to.equal("b=6 floor 5");
		expect(closed(3)).to.equal("b=6 floor 5");
		expect(closed(8)).to.equal("b=6 floor 8");
	});

	it("another writer's entry goes when it is a day old by the store's time, and not before, nor without such a time", () => {
		const lanes = { Flushed: { old: NOW - DAY - 1, young: NOW - DAY } };
		const kept = `young=${NOW - DAY} floor ${NOW - DAY - 1}`;
		expect(textOf(lanesAfter(lanes, { writer: "a", now: NOW }))).to.equal(kept);
		expect(textOf(lanesAfter(lanes, { writer: "a" }))).to.equal(
			`old=${NOW - DAY - 1},young=${NOW - DAY} floor nil`,
		);
	});

	it("a writer's own entry goes only when it says so, however old it is", () => {
		const lanes = { Flushed: { a: NOW - 2 * DAY } };
		expect(textOf(lanesAfter(lanes, { writer: "a", now: NOW }))).to.equal(`a=${NOW - 2 * DAY} floor nil`);
		expect(textOf(lanesAfter(lanes, { writer: "a", now: NOW, closes: true }))).to.equal(` floor ${NOW - 2 * DAY}`);
	});

	it("a writer with an entry goes on above it; one without starts above the floor, or numbers anew", () => {
		const standing = (lanes: Lanes, first?: number) => {
			const lane = laneOf(lanes, "a", first);
			return "floor" in lane ? `floor ${lane.floor}` : `above ${lane.above}`;
		};
		expect(standing({ Flushed: { a: 5 }, FlushFloor: 9 }, 3)).to.equal("above 5");
		expect(standing({ FlushFloor: 9 }, 9)).to.equal("floor 9");
		expect(standing({ FlushFloor: 9 }, 10)).to.equal("above 9");
		expect(standing({ FlushFloor: 9 })).to.equal("above 9");
		expect(standing({ Flushed: { b: 5 } }, 3)).to.equal("above -inf");
	});
};
