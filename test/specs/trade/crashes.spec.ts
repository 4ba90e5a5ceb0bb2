import { Fault } from "../../cloud/faults";
import {
	FOLLOWS,
	Follow,
	KEYS,
	Market,
	must,
	Outcome,
	settle,
	Side,
	SIDES,
	sibling,
	Traders,
	withTraders,
} from "./traders";

type Where = Pick<Fault, "op" | "key" | "nth">;

/** One of the six writes, or the removal. */
interface Step {
	readonly title: string;
	readonly where: Where;
	/** What a crash right before, and right after it comes to. */
	readonly before: Outcome;
	readonly after: Outcome;
}

const STEPS: ReadonlyArray<Step> = [
	{ title: "write 1, the journal", where: { nth: 1 }, before: "aborted", after: "aborted" },
	{ title: "write 2, A's prepare", where: { key: KEYS.A, nth: 1 }, before: "aborted", after: "aborted" },
	{ title: "write 3, B's prepare", where: { key: KEYS.B, nth: 1 }, before: "aborted", after: "aborted" },
	{ title: "write 4, the decision", where: { nth: 4 }, before: "aborted", after: "committed" },
	{ title: "write 5, A's settle", where: { key: KEYS.A, nth: 2 }, before: "committed", after: "committed" },
	{ title: "write 6, B's settle", where: { key: KEYS.B, nth: 2 }, before: "committed", after: "committed" },
	{ title: "the removal", where: { op: "RemoveAsync" }, before: "committed", after: "committed" },
];

/** Both are loaded; the records agree, the answer was true, and nothing is left that a record pointed at. */
function finish(
	traders: Traders,
	fresh: ReadonlyArray<Market>,
	follow: Follow,
	expected: Outcome | undefined,
	mayLeaveJournal: boolean,
	lateSeconds = 5,
): void {
	follow.run(traders, fresh);
	settle(traders, fresh, lateSeconds);
	traders.checkAnswer(traders.audit(expected, mayLeaveJournal));
}

/** No record points at the journal: it was made and nothing else, or both are settled. */
function isUnreferenced(traders: Traders): boolean {
	return !traders.points("A") && !traders.points("B");
}

function crash({ where }: Step, effect: "crashBefore" | "crashAfter", expected: Outcome, follow: Follow): void {
	withTraders((traders, fresh, world) => {
		traders.fault({ ...where, durableOnly: true, effect });
		traders.start();
		world.waitUntil(() => !traders.host.server.alive, 60);
		must(traders.answer === undefined, "the trade has answered");
		finish(traders, fresh, follow, expected, isUnreferenced(traders));
	});
}

function loseAnswer({ where }: Step, follow: Follow): void {
	withTraders((traders, fresh) => {
		const lost = traders.fault({ ...where, durableOnly: true, count: 1, effect: "loseAnswer" });
		traders.start();
		const answer = traders.answered();
		must(lost.hits === 1, "no answer was lost");
		must(answer.success && answer.value.outcome === "committed", `the trade answered ${answer}`);
		settle(traders, fresh, 2);
		finish(traders, fresh, follow, "committed", false);
	});
}

/** How a write that was at the store when its server died went on. */
const FATES = ["landed", "lost", "lands 1 s later", "lands 12 s later"] as const;
type Fate = (typeof FATES)[number];

/** Named by participant: its write and its sibling's are both at the store when the server dies. */
function together(nth: number, fates: Readonly<Record<Side, Fate>>, follow: Follow): void {
	withTraders((traders, fresh, world) => {
		const faults = SIDES.map((side) => {
			const fate = fates[side];
			const late = fate === "lands 1 s later" ? 1 : 12;
			const effect = fate === "landed" || fate === "lost" ? "hang" : "landLate";
			const lands = fate === "landed";
			return traders.fault({ key: KEYS[side], nth, durableOnly: true, effect, lands, seconds: late });
		});
		traders.start();
		world.waitUntil(() => faults.every((fault) => fault.hits > 0), 60);
		traders.host.server.crash();
		const outcome = nth === 1 ? "aborted" : "committed";
		// Both settles may have landed before anyone looks: then no record points at the journal.
		const bothSettle = nth === 2 && SIDES.every((side) => fates[side] !== "lost");
		finish(traders, fresh, follow, outcome, bothSettle || isUnreferenced(traders), 20);
	});
}

/** The server lives, and a write finds no answer within its bound: whether it landed or not. */
function outage(step: Step, effect: "failBefore" | "loseAnswer" | "landLate", follow: Follow): void {
	withTraders((traders, fresh, world) => {
		// The first durable write as the step says, and every try after it.
		const seconds = 50;
		const first = traders.fault({ ...step.where, durableOnly: true, effect, seconds });
		traders.start();
		world.waitUntil(() => first.hits > 0, 60);
		const isJournal = step.where.key === undefined;
		const key = isJournal ? traders.journalKeys()[0] : step.where.key;
		if (key !== undefined && effect !== "landLate") {
			traders.fault({ key, effect: "failBefore", until: world.now() + 40 });
		}
		const answer = traders.answered();
		first.remove();
		settle(traders, fresh, 2);
		follow.run(traders, fresh);
		settle(traders, fresh, 60);
		const outcome = traders.audit(undefined, step.where.nth === 1 && isJournal);
		traders.checkAnswer(outcome);
		if (step.after === "committed" && step.before === "committed") {
			must(answer.success, "a decided trade was not answered as committed");
		}
	});
}

// Scenario 17, prior faults of two-phase protocols, and the table of interruption points: every step, none left out.
export = () => {
	const elsewhere = FOLLOWS.filter((follow) => follow.needsHost !== true);
	for (const step of STEPS) {
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
