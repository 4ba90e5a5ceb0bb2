import { LOCK_SCENARIOS } from "./scenarios";

const HOUR = 3600;

export = () => {
	describe("wall clocks that are wrong and step in mid-session: the same verdicts", () => {
		for (const [name, skews, step] of [
			["holder +1 h, taker -1 h", [HOUR, -HOUR, 0], HOUR],
			["holder -1 h, taker +1 h", [-HOUR, HOUR, -HOUR], -HOUR],
		] as const) {
			for (const { number, title, run } of LOCK_SCENARIOS) {
				it(`scenario 9: ${name}, scenario ${number} again: ${title}`, () => run({ skews, step }));
			}
		}
	});
};
