import { World } from "../cloud/world";
import { Arrival, Host, HostOptions, inGame, openBaton, OpenHost } from "./host";
import { Ending, Promised, storyCase } from "./story";

const GROUP = "handoff";
const USER = 7;
/** What the user has earned in every case: who joins with less has older data. */
const COINS = 25;
/** Long enough for servers to have proved themselves alive. */
const SETTLE_SECONDS = 20;

/** A row of the table of handoffs, for any library that keeps players' data. */
export interface HandoffRow {
	readonly id: string;
	readonly title: string;
	/** What Baton promises. */
	readonly promised: Promised;
	readonly body: (world: World, open: OpenHost) => Ending;
}

function oneServer(world: World, open: OpenHost): Host {
	const host = open(world);
	world.wait(SETTLE_SECONDS);
	return host;
}

function twoServers(world: World, open: OpenHost, options?: HostOptions): [Host, Host] {
	const first = open(world, options);
	const second = open(world);
	world.wait(SETTLE_SECONDS);
	return [first, second];
}

/** How a join ended: `joined` if it found the coins that were earned, `stale` if it did not. */
function ending(since: number, answer: Arrival): Ending {
	const waitSeconds = answer.at - since;
	if ("cause" in answer) return { outcome: "kicked", waitSeconds, since };
	return { outcome: answer.session.coins() === COINS ? "joined" : "stale", waitSeconds, since };
}

/** The same, where something else had to hold, too. */
function endingIf(held: boolean, since: number, answer: Arrival): Ending {
	const reached = ending(since, answer);
	return held || reached.outcome === "stale" ? reached : { ...reached, outcome: "refused" };
}

/** The same, where the lock's holder lives: a join that worked has taken it from that server. */
function endingBeside(isUntouched: boolean, since: number, answer: Arrival): Ending {
	const reached = endingIf(isUntouched, since, answer);
	return "cause" in answer ? reached : { ...reached, outcome: "stolen" };
}

function sameServerSaving(world: World, open: OpenHost): Ending {
	const host = oneServer(world, open);
	const before = host.join(USER);
	inGame(before).earn(COINS);
	const since = world.now();
	host.server.leave(before.player);
	return ending(since, host.join(USER));
}

function sameServerSaveFailed(world: World, open: OpenHost): Ending {
	const host = oneServer(world, open);
	const before = host.join(USER);
	const session = inGame(before);
	session.earn(COINS);
	world.faults.add({ service: "DataStore", key: host.keyOf(USER), effect: "failBefore", count: 1 });
	host.server.leave(before.player);
	world.wait(0.9);
	const since = world.now();
	const after = host.join(USER);
	const isSame = !host.resumes || ("session" in after && after.session === session);
	return endingIf(isSame, since, after);
}

function otherServerConnected(world: World, open: OpenHost): Ending {
	const [first, second] = twoServers(world, open);
	inGame(first.join(USER)).earn(COINS);
	const since = world.now();
	const answer = second.join(USER);
	const { farewell } = first;
	const wasTold = first.server.kicks.some(({ message }) => farewell === undefined || message === farewell);
	return "cause" in answer ? ending(since, answer) : endingIf(wasTold, since, answer);
}

function otherServerSaveFailed(world: World, open: OpenHost): Ending {
	const [first, second] = twoServers(world, open);
	const before = first.join(USER);
	inGame(before).earn(COINS);
	// Baton's tries after 0, 1 and 3 s fail; without the request the next would come at 7 s.
	const outage = world.faults.add({ service: "DataStore", server: first.server, effect: "failBefore" });
	first.server.leave(before.player);
	world.wait(3.5);
	outage.remove();
	const since = world.now();
	return ending(since, second.join(USER));
}

function otherServerCrashed(world: World, open: OpenHost): Ending {
	const [first, second] = twoServers(world, open);
	const session = inGame(first.join(USER));
	session.earn(COINS);
	session.save();
	awaitBeat(world, first);
	const since = world.now();
	first.server.crash();
	return ending(since, second.join(USER));
}

/** The wait is longest right after a beat; a server without beats crashes at once. */
function awaitBeat(world: World, host: Host): void {
	const beats = () =>
		world.trace.count({ service: "MemoryStore", op: "SetAsync", server: host.server, outcome: "ok" });
	const before = beats();
	if (before > 0) world.waitUntil(() => beats() > before, 10);
}

function otherServerStalling(world: World, open: OpenHost): Ending {
	const [first, second] = twoServers(world, open);
	inGame(first.join(USER)).earn(COINS);
	// It lives and beats, but nothing of it can be stored, for longer than a lock lasts by age.
	const stall = world.faults.add({ service: "DataStore", server: first.server, effect: "failBefore" });
	const holder = first.stored(USER)?.holder;
	world.wait(300);
	const since = world.now();
	const answer = second.join(USER);
	stall.remove();
	return endingBeside(first.stored(USER)?.holder === holder, since, answer);
}

function holderWithoutHandoff(world: World, open: OpenHost): Ending {
	const [first, second] = twoServers(world, open, { handoff: false });
	const session = inGame(first.join(USER));
	session.earn(COINS);
	const since = world.now();
	const answer = second.join(USER);
	return endingBeside(session.active(), since, answer);
}

function lateRequest(world: World, open: OpenHost): Ending {
	const [first, second] = twoServers(world, open);
	const before = first.join(USER);
	inGame(before).earn(COINS);
	// The request takes 30 s; meanwhile the player has turned round and is back on the first server, under a newer lock.
	world.faults.add({ service: "Messaging", op: "Deliver", effect: "delay", seconds: 30 });
	const visitor = second.server.join(USER);
	world.wait(0.8);
	second.server.leave(visitor);
	first.server.leave(before.player);
	world.wait(2);
	const since = world.now();
	const back = first.join(USER);
	if ("cause" in back) return ending(since, back);
	const again = inGame(back);
	const waitSeconds = back.at - since;
	world.wait(40);
	const wasSent = world.trace.count({ service: "Messaging", op: "PublishAsync", upTo: since }) > 0;
	const wasHeard = world.trace.count({ service: "Messaging", op: "Deliver", since }) > 0;
	const isTried = wasSent && (wasHeard || first.listener === "session");
	const isUndisturbed = first.server.kicks.every(({ at }) => at < since);
	const kept = isTried && isUndisturbed && again.active() && again.coins() === COINS;
	return { outcome: kept ? "kept" : "refused", waitSeconds, since };
}

function stuckAutosave(world: World, open: OpenHost): Ending {
	const host = oneServer(world, open);
	const sessions = [1, 2, 3, 4, 5].map((user) => inGame(host.join(user)));
	const since = world.now();
	world.faults.add({ service: "DataStore", key: host.keyOf(3), effect: "hang" });
	for (const session of sessions) session.earn(COINS);
	world.wait(host.savedWithinSeconds + 2);
	const areStored = [1, 2, 4, 5].every((user) => host.stored(user)?.coins === COINS);
	return { outcome: areStored && sessions[2].active() ? "kept" : "refused", waitSeconds: 0, since };
}

function lostReleaseResponse(world: World, open: OpenHost): Ending {
	const host = oneServer(world, open);
	const before = host.join(USER);
	inGame(before).earn(COINS);
	world.faults.add({ service: "DataStore", key: host.keyOf(USER), effect: "loseAnswer", count: 1 });
	host.server.leave(before.player);
	world.wait(0.9);
	const since = world.now();
	const after = host.join(USER);
	return endingIf(host.stored(USER)?.holder !== undefined, since, after);
}

/** The table of handoffs. */
export const handoffRows: ReadonlyArray<HandoffRow> = [
	{
		id: "same-server-saving",
		title: "Same server, leave save still running: the load waits for that save",
		promised: { outcome: "joined", fastMaxSeconds: 0.2, maxSeconds: 1.1 },
		body: sameServerSaving,
	},
	{
		id: "same-server-save-failed",
		title: "Same server, leave save failed: the player goes on with the retained profile",
		promised: { outcome: "joined", fastMaxSeconds: 0.2, maxSeconds: 0.6 },
		body: sameServerSaveFailed,
	},
	{
		id: "other-server-connected",
		title: "Another server, player still connected there: it ends that session and hands over",
		promised: { outcome: "joined", fastMaxSeconds: 1.5, maxSeconds: 7 },
		body: otherServerConnected,
	},
	{
		id: "other-server-save-failed",
		title: "Another server, leave save failed there: it retries at once and replies",
		promised: { outcome: "joined", fastMaxSeconds: 1.5, maxSeconds: 7 },
		body: otherServerSaveFailed,
	},
	{
		id: "other-server-crashed",
		title: "Another server crashed: its silence is proved, then its lock is taken",
		promised: { outcome: "joined", minSeconds: 10, fastMaxSeconds: 16, maxSeconds: 18 },
		body: otherServerCrashed,
	},
	{
		id: "other-server-stalling",
		title: "Another server alive, saves stalling past the lock's age: it keeps its lock",
		promised: { outcome: "kicked", minSeconds: 15, maxSeconds: 16.5 },
		body: otherServerStalling,
	},
	{
		id: "holder-without-handoff",
		title: "The holder has no handoff: its lock changes hands by release or age alone",
		promised: { outcome: "kicked", minSeconds: 15, maxSeconds: 16.5 },
		body: holderWithoutHandoff,
	},
	{
		id: "late-request",
		title: "A request that arrives 30 s late ends no newer session",
		promised: { outcome: "kept" },
		body: lateRequest,
	},
	{
		id: "stuck-autosave",
		title: "One autosave hangs: the others are saved on time",
		promised: { outcome: "kept" },
		body: stuckAutosave,
	},
	{
		id: "lost-release-response",
		title: "The leave save landed but its answer was lost: the rejoin recognizes it and takes the lock back",
		promised: { outcome: "joined", fastMaxSeconds: 0.2, maxSeconds: 0.6 },
		body: lostReleaseResponse,
	},
];

export const handoffCases = handoffRows.map(({ id, title, promised, body }) =>
	storyCase(id, GROUP, title, promised, (world) => body(world, openBaton)),
);
