import { World } from "../cloud/world";
import { GameServer, JoinAnswer, joined } from "./game";
import { Ending, storyCase } from "./story";

const GROUP = "handoff";
const USER = 7;
const KEY = `Player_${USER}`;
const STORE = "PlayerData";
/** Long enough for servers to have proved themselves alive. */
const SETTLE_SECONDS = 20;

function twoServers(world: World, handoff?: false): [GameServer, GameServer] {
	const first = new GameServer(world, world.startServer(), { handoff });
	const second = new GameServer(world, world.startServer());
	world.wait(SETTLE_SECONDS);
	return [first, second];
}

/** How a join ended: `joined` if it found the coins that were earned. */
function ending(since: number, answer: JoinAnswer): Ending {
	const waitSeconds = answer.at - since;
	if (!("profile" in answer)) return { outcome: "kicked", waitSeconds, since };
	return { outcome: answer.profile.data.coins === 25 ? "joined" : "refused", waitSeconds, since };
}

/** The same, where something else had to hold, too. */
function endingIf(held: boolean, since: number, answer: JoinAnswer): Ending {
	const reached = ending(since, answer);
	return held ? reached : { ...reached, outcome: "refused" };
}

function sameServerSaving(world: World): Ending {
	const host = new GameServer(world);
	world.wait(SETTLE_SECONDS);
	const before = host.join(USER);
	host.earn(joined(before), 25);
	const since = world.now();
	host.server.leave(before.player);
	return ending(since, host.join(USER));
}

function sameServerSaveFailed(world: World): Ending {
	const host = new GameServer(world);
	world.wait(SETTLE_SECONDS);
	const before = host.join(USER);
	const profile = joined(before);
	host.earn(profile, 25);
	world.faults.add({ service: "DataStore", key: KEY, effect: "failBefore", count: 1 });
	host.server.leave(before.player);
	world.wait(0.9);
	const since = world.now();
	const after = host.join(USER);
	const same = "profile" in after && after.profile === profile;
	return endingIf(same, since, after);
}

function otherServerConnected(world: World): Ending {
	const [first, second] = twoServers(world);
	const profile = joined(first.join(USER));
	first.earn(profile, 25);
	const since = world.now();
	const answer = second.join(USER);
	const told = first.server.kicks.some(({ message }) => message === "You joined another server.");
	return endingIf(told, since, answer);
}

function otherServerSaveFailed(world: World): Ending {
	const [first, second] = twoServers(world);
	const before = first.join(USER);
	first.earn(joined(before), 25);
	// Its tries after 0, 1 and 3 s fail; without the request the next would come at 7 s.
	const outage = world.faults.add({ service: "DataStore", server: first.server, effect: "failBefore" });
	first.server.leave(before.player);
	world.wait(3.5);
	outage.remove();
	const since = world.now();
	return ending(since, second.join(USER));
}

function otherServerCrashed(world: World): Ending {
	const [first, second] = twoServers(world);
	const profile = joined(first.join(USER));
	first.earn(profile, 25);
	first.server.run(() => profile.save()).unwrap();
	awaitBeat(world, first);
	const since = world.now();
	first.server.crash();
	return ending(since, second.join(USER));
}

function awaitBeat(world: World, host: GameServer): void {
	const beats = () =>
		world.trace.count({ service: "MemoryStore", op: "SetAsync", server: host.server, outcome: "ok" });
	const before = beats();
	world.waitUntil(() => beats() > before, 10);
}

function otherServerStalling(world: World): Ending {
	const [first, second] = twoServers(world);
	const profile = joined(first.join(USER));
	first.earn(profile, 25);
	// It lives and beats, but nothing of it can be stored, for longer than a lock lasts by age.
	const stall = world.faults.add({ service: "DataStore", server: first.server, effect: "failBefore" });
	world.wait(300);
	const since = world.now();
	const answer = second.join(USER);
	stall.remove();
	const kept = (world.store(STORE).get(KEY) as { Lock?: { JobId: string } }).Lock?.JobId === first.server.jobId;
	return endingIf(kept, since, answer);
}

function holderWithoutHandoff(world: World): Ending {
	const [first, second] = twoServers(world, false);
	const profile = joined(first.join(USER));
	first.earn(profile, 25);
	const since = world.now();
	const answer = second.join(USER);
	return endingIf(profile.active, since, answer);
}

function lateRequest(world: World): Ending {
	const [first, second] = twoServers(world);
	const before = first.join(USER);
	first.earn(joined(before), 25);
	// The request takes 30 s; meanwhile the player has turned round and is back on the first server, under a newer lock.
	world.faults.add({ service: "Messaging", op: "Deliver", effect: "delay", seconds: 30 });
	const visitor = second.server.join(USER);
	world.wait(0.8);
	second.server.leave(visitor);
	first.server.leave(before.player);
	world.wait(2);
	const since = world.now();
	const back = first.join(USER);
	const again = joined(back);
	const waitSeconds = back.at - since;
	world.wait(40);
	const heard = world.trace.count({ service: "Messaging", op: "Deliver", since }) > 0;
	const kept = heard && again.active && again.data.coins === 25 && first.server.kicks.isEmpty();
	return { outcome: kept ? "kept" : "refused", waitSeconds, since };
}

function stuckAutosave(world: World): Ending {
	const host = new GameServer(world);
	world.wait(SETTLE_SECONDS);
	const profiles = [1, 2, 3, 4, 5].map((user) => joined(host.join(user)));
	const since = world.now();
	world.faults.add({ service: "DataStore", key: "Player_3", effect: "hang" });
	for (const profile of profiles) host.earn(profile, 25);
	world.wait(62);
	const stored = [1, 2, 4, 5].every((user) => {
		const record = world.store(STORE).get(`Player_${user}`) as { Data: { coins: number } };
		return record.Data.coins === 25;
	});
	return { outcome: stored && profiles[2].active ? "kept" : "refused", waitSeconds: 0, since };
}

function lostReleaseResponse(world: World): Ending {
	const host = new GameServer(world);
	world.wait(SETTLE_SECONDS);
	const before = host.join(USER);
	host.earn(joined(before), 25);
	world.faults.add({ service: "DataStore", key: KEY, effect: "loseAnswer", count: 1 });
	host.server.leave(before.player);
	world.wait(0.9);
	const since = world.now();
	const after = host.join(USER);
	const held = (world.store(STORE).get(KEY) as { Lock?: unknown }).Lock !== undefined;
	return endingIf(held, since, after);
}

export const handoffCases = [
	storyCase(
		"same-server-saving",
		GROUP,
		"Same server, leave save still running: the load waits for that save",
		{ outcome: "joined", fastMaxSeconds: 0.2, maxSeconds: 1.1 },
		sameServerSaving,
	),
	storyCase(
		"same-server-save-failed",
		GROUP,
		"Same server, leave save failed: the player goes on with the retained profile",
		{ outcome: "joined", fastMaxSeconds: 0.2, maxSeconds: 0.6 },
		sameServerSaveFailed,
	),
	storyCase(
		"other-server-connected",
		GROUP,
		"Another server, player still connected there: it ends that session and hands over",
		{ outcome: "joined", fastMaxSeconds: 1.5, maxSeconds: 7 },
		otherServerConnected,
	),
	storyCase(
		"other-server-save-failed",
		GROUP,
		"Another server, leave save failed there: it retries at once and replies",
		{ outcome: "joined", fastMaxSeconds: 1.5, maxSeconds: 7 },
		otherServerSaveFailed,
	),
	storyCase(
		"other-server-crashed",
		GROUP,
		"Another server crashed: its silence is proved, then its lock is taken",
		{ outcome: "joined", minSeconds: 10, fastMaxSeconds: 16, maxSeconds: 18 },
		otherServerCrashed,
	),
	storyCase(
		"other-server-stalling",
		GROUP,
		"Another server alive, saves stalling past the lock's age: it keeps its lock",
		{ outcome: "kicked", minSeconds: 15, maxSeconds: 16.5 },
		otherServerStalling,
	),
	storyCase(
		"holder-without-handoff",
		GROUP,
		"The holder has no handoff: its lock changes hands by release or age alone",
		{ outcome: "kicked", minSeconds: 15, maxSeconds: 16.5 },
		holderWithoutHandoff,
	),
	storyCase(
		"late-request",
		GROUP,
		"A request that arrives 30 s late ends no newer session",
		{ outcome: "kept" },
		lateRequest,
	),
	storyCase(
		"stuck-autosave",
		GROUP,
		"One autosave hangs: the others are saved on time",
		{ outcome: "kept" },
		stuckAutosave,
	),
	storyCase(
		"lost-release-response",
		GROUP,
		"The leave save landed but its answer was lost: the rejoin recognizes it and takes the lock back",
		{ outcome: "joined", fastMaxSeconds: 0.2, maxSeconds: 0.6 },
		lostReleaseResponse,
	),
];
