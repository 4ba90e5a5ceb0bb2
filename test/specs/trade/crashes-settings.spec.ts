import { crash, FATES, loseAnswer, outage, together } from "./crashes";
import { FOLLOWS, Setting, SIDES, sibling } from "./traders";
import { WRITES } from "./writes";

const HOUR = 3600;

const SETTINGS: ReadonlyArray<readonly [title: string, setting: Setting]> = [
	["with the latencies of live servers", { profile: "live", seed: 2 }],
	["the traders' clock an hour ahead, the others' an hour behind (scenario 9)", { skew: HOUR, seed: 2 }],
	["the traders' clock an hour behind, the others' an hour ahead (scenario 9)", { skew: -HOUR, seed: 2 }],
];

// Scenario 17 where time goes otherwise (I16): each write and each way to be interrupted, in fewer ways to go on.
export = () => {
	const [AB, BA, APART, TWICE] = FOLLOWS;
	for (const [title, setting] of SETTINGS) {
		describe(`scenario 17, ${title}`, () => {
			for (const write of WRITES) {
				for (const follow of [BA, APART]) {
					it(`the server dies right before ${write.title}; then ${follow.title}`, () =>
						crash(write, "crashBefore", write.before, follow, setting));
				}
				for (const follow of [AB, TWICE]) {
					it(`the server dies right after ${write.title}; then ${follow.title}`, () =>
						crash(write, "crashAfter", write.after, follow, setting));
				}
				it(`the answer of ${write.title} is lost; then ${AB.title}`, () => loseAnswer(write, AB, setting));
				for (const effect of ["failBefore", "loseAnswer", "landLate"] as const) {
					it(`${write.title} is not answered within its bound (${effect}); then ${AB.title}`, () =>
						outage(write, effect, AB, setting));
				}
			}
			for (const [nth, writes] of [
				[1, "prepares"],
				[2, "settles"],
			] as const) {
				for (const side of SIDES) {
					for (const fate of ["landed", "lost"] as const) {
						for (const other of FATES) {
							it(`the server dies with both ${writes} at the store, ${side}'s ${fate}, the other's ${other}`, () =>
								together(nth, { A: fate, B: fate, [sibling(side)]: other }, APART, setting));
						}
					}
				}
			}
		});
	}
};
