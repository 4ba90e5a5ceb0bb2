import { crash, FATES, loseAnswer, outage, together } from "./crashes";
import { FOLLOWS, SIDES, sibling } from "./traders";
import { WRITES } from "./writes";

// Scenario 17, prior faults of two-phase protocols, and the table of interruption points: every step, none left out.
export = () => {
	const elsewhere = FOLLOWS.filter((follow) => follow.needsHost !== true);
	for (const step of WRITES) {
		describe(`scenario 17: the server dies right before ${step.title}`, () => {
			for (const follow of elsewhere) {
				it(`then ${follow.title}`, () => crash(step, "crashBefore", step.before, follow));
			}
		});
		describe(`scenario 17: the server dies right after ${step.title}`, () => {
			for (const follow of elsewhere) {
				it(`then ${follow.title}`, () => crash(step, "crashAfter", step.after, follow));
			}
		});
		describe(`scenario 17: the answer of ${step.title} is lost`, () => {
			for (const follow of FOLLOWS) it(`then ${follow.title}`, () => loseAnswer(step, follow));
		});
		for (const effect of ["failBefore", "loseAnswer", "landLate"] as const) {
			describe(`rule 5.7: ${step.title} is not answered within its bound (${effect})`, () => {
				for (const follow of FOLLOWS) it(`then ${follow.title}`, () => outage(step, effect, follow));
			});
		}
	}
	for (const [nth, title] of [
		[1, "prepares"],
		[2, "settles"],
	] as const) {
		for (const side of SIDES) {
			for (const fate of ["landed", "lost"] as const) {
				describe(`scenario 17: the server dies with both ${title} at the store, ${side}'s ${fate}`, () => {
					for (const other of FATES) {
						for (const follow of elsewhere) {
							it(`${sibling(side)}'s ${other}; then ${follow.title}`, () =>
								together(nth, { A: fate, B: fate, [sibling(side)]: other }, follow));
						}
					}
				});
			}
		}
	}
};
