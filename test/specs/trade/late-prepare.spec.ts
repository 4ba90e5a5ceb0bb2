import { Fault } from "../../cloud/faults";
import { FOLLOWS, KEYS, Market, must, settle, Side, SIDES, sibling, TRADE_ID, Traders, withTraders } from "./traders";

/** How far the recovery of the other one comes, and whether the late one is marked as refused. */
interface Recovered {
	readonly title: string;
	readonly fence: boolean;
	readonly journal: boolean;
	/** Of the recovering server. */
	readonly fault?: (late: Side) => Pick<Fault, "op" | "key" | "effect">;
}

const RECOVERED: ReadonlyArray<Recovered> = [
	{ title: "the journal gone", fence: true, journal: false },
	{
		title: "the journal still there, its removal unanswered",
		fence: true,
		journal: true,
		fault: () => ({ op: "RemoveAsync", effect: "hang" }),
	},
	{
		title: "the journal still there, the recovering server dead before the removal",
		fence: true,
		journal: true,
		fault: () => ({ op: "RemoveAsync", effect: "crashBefore" }),
	},
	{
		title: "the journal still there, the recovering server dead before it could refuse the prepare",
		fence: false,
		journal: true,
		fault: (late) => ({ op: "UpdateAsync", key: KEYS[late], effect: "crashBefore" }),
	},
];

/** Where the prepare is while the other one is recovered. */
const MOMENTS: ReadonlyArray<readonly [title: string, fault: Pick<Fault, "effect" | "stage" | "durableOnly">]> = [
	["on its way", { effect: "delay", stage: "arrive" }],
	["through its transform", { effect: "delay", stage: "apply", durableOnly: true }],
	["given up by its caller", { effect: "landLate", durableOnly: true }],
];

/** The other one is prepared, and a server recovers it: the trade is aborted. Yields. */
function abort(traders: Traders, recoverer: Market, late: Side, { title, fence, journal, fault }: Recovered): void {
	const { world } = traders;
	const other = sibling(late);
	if (fault !== undefined) traders.fault({ ...fault(late), server: recoverer.server, durableOnly: true });
	const { Token } = traders.record(other).Meta.PendingTransaction!;
	const ended = recoverer.coming(other);
	world.waitUntil(() => !recoverer.server.alive || ended() !== undefined, 60);
	must(!recoverer.server.alive || ended()!.profile !== undefined, `${other} is not in: ${ended()?.cause}`);
	must(!traders.points(other), `${other} is not recovered`);
	must((traders.record(late).Meta.RefusedTransaction === Token) === fence, `the prepare is not as in: ${title}`);
	must((traders.journal() !== undefined) === journal, `the journal is not as in: ${title}`);
	must(traders.journal()?.State !== "Committed", "the trade is committed");
}

/** Both load, and nothing of the trade is left. */
function finish(traders: Traders, fresh: ReadonlyArray<Market>, mayLeaveJournal: boolean): void {
	settle(traders, fresh, 2);
	FOLLOWS[0].run(traders, [fresh[1]]);
	settle(traders, fresh, 30);
	traders.checkAnswer(traders.audit("aborted", mayLeaveJournal));
}

/** The trade's server stands still meanwhile, then its prepare lands. */
function lands(late: Side, fault: Pick<Fault, "effect" | "stage" | "durableOnly">, recovered: Recovered): void {
	withTraders((traders, fresh, world) => {
		const { server } = traders.host;
		const held = traders.fault({ key: KEYS[late], count: 1, seconds: 25, ...fault });
		traders.start();
		world.waitUntil(() => held.hits > 0 && traders.points(sibling(late)), 10);
		server.pause();
		must(!traders.points(late), "the prepare is not late");
		abort(traders, fresh[0], late, recovered);
		server.resume();
		const answer = traders.answered();
		must(!answer.success, "an aborted trade is said to be committed");
		must(!traders.points(late), "the prepare is left");
		finish(traders, fresh, false);
	});
}

/** The trade's server is dead, and its prepare was at the store. */
function landsAfterDeath(late: Side, recovered: Recovered): void {
	withTraders((traders, fresh, world) => {
		const fault = { effect: "landLate", durableOnly: true, count: 1, seconds: 30 } as const;
		const held = traders.fault({ key: KEYS[late], ...fault });
		traders.start();
		world.waitUntil(() => held.hits > 0 && traders.points(sibling(late)), 10);
		traders.host.server.crash();
		const landsAt = world.now() + 30;
		abort(traders, fresh[0], late, recovered);
		must(world.now() < landsAt, "the prepare was not late enough");
		world.wait(landsAt + 1 - world.now());
		// Where it was not refused, it lands, and the journal is there for whoever loads it.
		must(traders.points(late) !== recovered.fence, `${late} ${recovered.fence ? "points" : "does not point"}`);
		finish(traders, fresh, recovered.journal);
	});
}

/** Two trades are aborted one after the other, each with its prepare of `late` refused; the first refusal lands again. */
function refusedTwice(late: Side): void {
	const other = sibling(late);
	withTraders((traders, [first, second], world) => {
		const { host } = traders;
		const again = { effect: "duplicate", durableOnly: true, count: 1, seconds: 120 } as const;
		const refusal = traders.fault({ key: KEYS[late], server: first.server, ...again });
		/** The prepare is late, and another server recovers the other one. Yields. */
		const refuse = (id: string, recoverer: Market): void => {
			const held = traders.fault({ key: KEYS[late], count: 1, seconds: 1, effect: "delay", stage: "arrive" });
			traders.answer = undefined;
			traders.start(id);
			world.waitUntil(() => held.hits > 0 && traders.points(other), 10);
			host.server.pause();
			abort(traders, recoverer, late, RECOVERED[0]);
		};
		refuse("swap-0", first);
		const landsAgain = world.now() + 120;
		host.server.resume();
		must(!traders.answered().success, "an aborted trade is said to be committed");
		// The other one comes back for the next trade, once its server's beats count again.
		world.wait(20);
		first.empty();
		traders.profiles[other] = host.joined(other);
		refuse(TRADE_ID, second);
		must(refusal.hits === 1 && world.now() < landsAgain, "the first refusal was not late enough");
		world.wait(landsAgain + 1 - world.now());
		// Its prepare lands, and it dies before a later write could end that.
		traders.fault({ key: KEYS[late], durableOnly: true, effect: "crashBefore" });
		host.server.resume();
		world.waitUntil(() => !host.server.alive, 60);
		must(!traders.points(late), "the second trade's prepare has landed, and its journal is gone");
		FOLLOWS[0].run(traders, [first]);
		settle(traders, [first, second], 30);
		traders.audit("aborted");
	});
}

// Scenario 20, rule 5.3: a prepare that lands after a real recovery has aborted its trade.
export = () => {
	for (const late of SIDES) {
		for (const recovered of RECOVERED) {
			describe(`scenario 20: ${sibling(late)} is recovered as aborted, ${recovered.title}`, () => {
				for (const [title, fault] of MOMENTS) {
					it(`${late}'s prepare, ${title} meanwhile, changes nothing`, () => lands(late, fault, recovered));
				}
				it(`${late}'s prepare lands after its server's death, and both load`, () =>
					landsAfterDeath(late, recovered));
			});
		}
		it(`section 8: the refusal of ${late}'s prepare stands, also where that of an earlier trade lands again after it`, () =>
			refusedTwice(late));
	}
};
