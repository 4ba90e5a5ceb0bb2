import { Fault } from "../../cloud/faults";
import { FOLLOWS, KEYS, Market, must, Outcome, settle, Side, SIDES, Traders, withTraders } from "./traders";
import { WRITES } from "./writes";

/** Where one of the trade's writes is when another server comes. */
interface Moment {
	readonly title: string;
	readonly fault: Pick<Fault, "effect" | "stage" | "durableOnly">;
}

const MOMENTS: ReadonlyArray<Moment> = [
	{ title: "is on its way", fault: { effect: "delay", stage: "arrive" } },
	{
		title: "has run its transform and is not stored yet",
		fault: { effect: "delay", stage: "apply", durableOnly: true },
	},
	{ title: "is stored and not answered yet", fault: { effect: "delay", stage: "respond", durableOnly: true } },
	{ title: "is stored, and its answer is lost", fault: { effect: "loseAnswer", durableOnly: true } },
];

const WHO: ReadonlyArray<ReadonlyArray<Side>> = [["A"], ["B"], ["A", "B"]];

/** Each side is let in on a server of its own, beside the spec; how, once all are in. Does not yield. */
function letIn(traders: Traders, fresh: ReadonlyArray<Market>, sides: ReadonlyArray<Side>): () => Outcome | undefined {
	const seen = new Array<Outcome>();
	sides.forEach((side, index) => {
		const market = fresh[index];
		market.server.spawn(() => seen.push(traders.check(market.joined(side), side)));
	});
	return () => {
		if (seen.size() < sides.size()) return undefined;
		must(seen[0] === seen[seen.size() - 1], `one was shown as ${seen[0]}, the other as ${seen[1]}`);
		return seen[0];
	};
}

/** The coordinator went on and has answered: what the others were shown stands, and the answer is true. */
function finish(traders: Traders, fresh: ReadonlyArray<Market>, seen?: Outcome, mayLeaveJournal = false): void {
	traders.answered();
	settle(traders, fresh, 2);
	FOLLOWS[0].run(traders, fresh);
	settle(traders, fresh, 60);
	traders.checkAnswer(traders.audit(seen, mayLeaveJournal));
}

/** Begins the trade; its server stands still from that moment of the write on. */
function stopAt(traders: Traders, where: Partial<Fault>, { fault }: Moment): void {
	const held = traders.fault({ ...where, ...fault, count: 1, seconds: 0.5 });
	traders.start();
	traders.world.waitUntil(() => held.hits > 0, 10);
	traders.host.server.pause();
}

/** The coordinator stands still at that moment until the others are in. */
function paused(where: Partial<Fault>, moment: Moment, sides: ReadonlyArray<Side>): void {
	withTraders((traders, fresh, world) => {
		const { server } = traders.host;
		stopAt(traders, where, moment);
		must(traders.answer === undefined || where.op === "RemoveAsync", "the trade has answered");
		const seen = letIn(traders, fresh, sides);
		world.waitUntil(() => seen() !== undefined, 60);
		server.resume();
		finish(traders, fresh, seen());
		// Its store answers: it finds what the others have committed, also where the journal is gone.
		const { answer } = traders;
		must(seen() === "aborted" || answer?.success === true, `a committed trade answered ${answer}`);
	});
}

/** The same, and the other server dies right after it has settled the side, or taken the lock of one without pointer. */
function forsaken(where: Partial<Fault>, moment: Moment, side: Side): void {
	withTraders((traders, fresh, world) => {
		const { server } = traders.host;
		stopAt(traders, where, moment);
		const [other] = fresh;
		traders.fault({ key: KEYS[side], server: other.server, durableOnly: true, effect: "crashAfter" });
		other.coming(side);
		world.waitUntil(() => !other.server.alive, 60);
		server.resume();
		finish(traders, [fresh[1]]);
	});
}

/** The coordinator goes on, but its beats fail, and every try of that write takes longer than the others need. */
function silent(where: Partial<Fault>, { fault }: Moment, sides: ReadonlyArray<Side>): void {
	withTraders((traders, fresh, world) => {
		const { server } = traders.host;
		const cut = world.faults.add({ service: "MemoryStore", server, effect: "failBefore" });
		const held = traders.fault({ ...where, ...fault, seconds: 25 });
		traders.start();
		world.waitUntil(() => held.hits > 0, 10);
		const seen = letIn(traders, fresh, sides);
		world.waitUntil(() => seen() !== undefined, 60);
		held.remove();
		cut.remove();
		// A journal that lands once the trade is given up is a record that nobody points at.
		finish(traders, fresh, seen(), where.key === undefined && where.nth === 1);
	});
}

// Scenarios 19 and 22, rules 5.4, 5.6 and 5.7: a real recovery at every step of a coordinator that goes on afterwards.
export = () => {
	for (const { title, where } of WRITES) {
		for (const moment of MOMENTS) {
			describe(`scenario 19: ${title} ${moment.title}: one decision, a true answer, nobody half`, () => {
				for (const sides of WHO) {
					const who = sides.size() === 1 ? `${sides[0]} is` : "both are, on two servers at once,";
					it(`its server stands still, and ${who} recovered`, () => paused(where, moment, sides));
					it(`its server's presence stopped, and ${who} recovered`, () => silent(where, moment, sides));
				}
				for (const side of SIDES) {
					it(`its server stands still, and ${side}'s recovery dies after its settle`, () =>
						forsaken(where, moment, side));
				}
			});
		}
	}
};
