import { Follow, KEYS, Market, must, Outcome, Setting, settle, Side, SIDES, Traders, withTraders } from "./traders";
import { isUnreferenced } from "./recoveries";
import { TradeWrite } from "./writes";

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

/** The trade's server dies right before or after the write. */
export function crash(
	{ where }: TradeWrite,
	effect: "crashBefore" | "crashAfter",
	expected: Outcome,
	follow: Follow,
	setting?: Setting,
): void {
	withTraders((traders, fresh, world) => {
		traders.fault({ ...where, durableOnly: true, effect });
		traders.start();
		world.waitUntil(() => !traders.host.server.alive, 60);
		must(traders.answer === undefined, "the trade has answered");
		// A write of the sibling that was at the store lands, long before anyone looks.
		world.wait(0.5);
		finish(traders, fresh, follow, expected, isUnreferenced(traders));
	}, setting);
}

/** The write lands, its answer is lost, and the trade goes on. */
export function loseAnswer({ where }: TradeWrite, follow: Follow, setting?: Setting): void {
	withTraders((traders, fresh) => {
		const lost = traders.fault({ ...where, durableOnly: true, count: 1, effect: "loseAnswer" });
		traders.start();
		const answer = traders.answered();
		must(lost.hits === 1, "no answer was lost");
		must(answer.success && answer.value.outcome === "committed", `the trade answered ${answer}`);
		settle(traders, fresh, 2);
		finish(traders, fresh, follow, "committed", false);
	}, setting);
}

/** How a write that was at the store when its server died went on. */
export const FATES = ["landed", "lost", "lands 1 s later", "lands 12 s later"] as const;
export type Fate = (typeof FATES)[number];

/** Named by participant: its write and its sibling's are both at the store when the server dies. */
export function together(nth: number, fates: Readonly<Record<Side, Fate>>, follow: Follow, setting?: Setting): void {
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
	}, setting);
}

/** The server lives, and a write finds no answer within its bound: whether it landed or not. */
export function outage(
	step: TradeWrite,
	effect: "failBefore" | "loseAnswer" | "landLate",
	follow: Follow,
	setting?: Setting,
): void {
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
	}, setting);
}
