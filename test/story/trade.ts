import { trade } from "../../src/trade/trade";
import { FaultHandle } from "../cloud/faults";
import { World } from "../cloud/world";
import { GameServer, joined } from "./game";
import { Ending, Outcome, storyCase } from "./story";

const GROUP = "trade";
const [A, B] = [1, 2];
/** What A pays B. */
const PRICE = 10;
const STORE = "PlayerData";

/** Two players with 100 coins each on one server, saved. */
function twoTraders(world: World) {
	const host = new GameServer(world);
	world.wait(20);
	const [a, b] = [A, B].map((user) => joined(host.join(user)));
	for (const profile of [a, b]) {
		host.earn(profile, 100);
		host.server.run(() => profile.save()).unwrap();
	}
	return { host, a, b };
}

type Traders = ReturnType<typeof twoTraders>;

function pay({ a, b }: Traders, id?: string) {
	return trade(a, b, (mine, yours) => [{ coins: mine.coins - PRICE }, { coins: yours.coins + PRICE }], { id });
}

/** Loads both on a fresh server; what was traded, if both agree. */
function outcomeOnFreshServer(world: World): Outcome {
	const fresh = new GameServer(world);
	const [a, b] = [A, B].map((user) => fresh.joinUntilIn(user, 1, 400));
	if (!("profile" in a) || !("profile" in b)) return "refused";
	const [mine, yours] = [a.profile.data.coins, b.profile.data.coins];
	const store = world.store(STORE);
	const isClean = [A, B].every((user) => {
		const record = store.get(`Player_${user}`) as { Meta: { PendingTransaction?: unknown } };
		return record.Meta.PendingTransaction === undefined;
	});
	if (!isClean) return "unknown";
	if (mine === 100 - PRICE && yours === 100 + PRICE) return "committed";
	return mine === 100 && yours === 100 ? "aborted" : "refused";
}

function committed(world: World): Ending {
	const traders = twoTraders(world);
	const since = world.now();
	const result = traders.host.server.run(() => pay(traders));
	const upTo = world.now();
	const moved = traders.a.data.coins === 100 - PRICE && traders.b.data.coins === 100 + PRICE;
	const isDone = result.success && result.value.outcome === "committed" && moved;
	return { outcome: isDone ? "committed" : "refused", waitSeconds: upTo - since, since, upTo };
}

function duplicateId(world: World): Ending {
	const traders = twoTraders(world);
	traders.host.server.run(() => pay(traders, "gift-1")).unwrap();
	const since = world.now();
	const again = traders.host.server.run(() => pay(traders, "gift-1"));
	const isDuplicate = !again.success && again.error.type === "duplicate_id";
	return { outcome: isDuplicate ? "duplicate" : "refused", waitSeconds: world.now() - since, since };
}

/** Which write of the trade is the last one of its server: of one participant, or of all in the order of landing. */
interface LastWrite {
	readonly nth: number;
	readonly of?: number;
}

/** The server dies right after that write; its sibling, where it has one that is still under way, is lost with it. */
function interrupted(last: LastWrite): (world: World) => Ending {
	return (world) => {
		const traders = twoTraders(world);
		const since = world.now();
		const crash = crashAfter(world, traders, last);
		traders.host.server.spawn(() => pay(traders));
		world.waitUntil(() => crash.hits > 0, 60);
		const crashedAt = world.now();
		const outcome = outcomeOnFreshServer(world);
		return { outcome, waitSeconds: world.now() - crashedAt, since };
	};
}

function crashAfter(world: World, { host }: Traders, { nth, of }: LastWrite): FaultHandle {
	const fault = { service: "DataStore", store: STORE, server: host.server, durableOnly: true, nth } as const;
	if (of === undefined) return world.faults.add({ ...fault, effect: "crashAfter" });
	const sibling = of === A ? B : A;
	world.faults.add({ ...fault, key: `Player_${sibling}`, effect: "hang" });
	return world.faults.add({ ...fault, key: `Player_${of}`, effect: "crashAfter" });
}

function lostDecisionAnswer(world: World): Ending {
	const traders = twoTraders(world);
	const since = world.now();
	world.faults.add({ service: "DataStore", durableOnly: true, nth: 4, count: 1, effect: "loseAnswer" });
	const result = traders.host.server.run(() => pay(traders));
	const isDone = result.success && result.value.outcome === "committed";
	return { outcome: isDone ? "committed" : "refused", waitSeconds: world.now() - since, since };
}

function crashTakeover(world: World): Ending {
	const traders = twoTraders(world);
	const fresh = new GameServer(world);
	world.wait(20);
	const since = world.now();
	const crash = crashAfter(world, traders, { nth: 3 });
	traders.host.server.spawn(() => pay(traders));
	world.waitUntil(() => crash.hits > 0, 60);
	const crashedAt = world.now();
	const answer = fresh.join(A);
	const isBack = "profile" in answer && answer.profile.data.coins === 100;
	return { outcome: isBack ? "aborted" : "refused", waitSeconds: answer.at - crashedAt, since };
}

/** What the seed's table of interruption points promises. */
const INTERRUPTED: ReadonlyArray<readonly [title: string, outcome: Outcome, last: LastWrite]> = [
	["the journal is created", "aborted", { nth: 1 }],
	["A is prepared", "aborted", { nth: 1, of: A }],
	["B is prepared", "aborted", { nth: 3 }],
	["the decision", "committed", { nth: 4 }],
	["A is settled", "committed", { nth: 2, of: A }],
	["B is settled", "committed", { nth: 6 }],
];

export const tradeCases = [
	storyCase(
		"trade-committed",
		GROUP,
		"Two players trade: six writes in four rounds, and one removal",
		{ outcome: "committed", maxSeconds: 3 },
		committed,
	),
	...INTERRUPTED.map(([title, outcome, last], index) =>
		storyCase(
			`trade-interrupted-${index + 1}`,
			GROUP,
			`The server dies after ${title} (write ${index + 1}); both load on a fresh server`,
			{ outcome, maxSeconds: 30 },
			interrupted(last),
		),
	),
	storyCase(
		"trade-lost-decision-answer",
		GROUP,
		"The decision lands but its answer is lost: the trade finds out that it is committed",
		{ outcome: "committed", maxSeconds: 4 },
		lostDecisionAnswer,
	),
	storyCase(
		"trade-crash-takeover",
		GROUP,
		"The server dies between prepare and decision: the taker of the lock settles the trade",
		{ outcome: "aborted", minSeconds: 9, maxSeconds: 18 },
		crashTakeover,
	),
	storyCase(
		"trade-duplicate-id",
		GROUP,
		"A trade id that has committed is recognized and not made again",
		{ outcome: "duplicate", maxSeconds: 0.1 },
		duplicateId,
	),
];
