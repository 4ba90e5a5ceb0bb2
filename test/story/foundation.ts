import { World } from "../cloud/world";
import { GameServer, JoinAnswer, joined } from "./game";
import { Ending, storyCase } from "./story";

const GROUP = "foundation";
const USER = 7;
/** Between a kick and the next try of a player who wants in. */
const REJOIN_SECONDS = 2;

function joinLeaveJoin(world: World): Ending {
	const first = new GameServer(world);
	const second = new GameServer(world);
	const since = world.now();
	const answer = first.join(USER);
	first.earn(joined(answer), 25);
	first.server.leave(answer.player);
	world.waitUntil(() => world.store("PlayerData").get(`Player_${USER}`) !== undefined && isFree(world));
	const began = world.now();
	const again = second.join(USER);
	const kept = joined(again).data.coins === 25;
	return { outcome: kept ? "joined" : "refused", waitSeconds: again.at - began, since };
}

function isFree(world: World): boolean {
	const record = world.store("PlayerData").get(`Player_${USER}`) as { Lock?: unknown } | undefined;
	return record !== undefined && record.Lock === undefined;
}

function lockedElsewhere(world: World): Ending {
	// Without handoff nobody is asked for the lock, so this shows the wait alone.
	const holder = new GameServer(world, world.startServer(), { handoff: false });
	const other = new GameServer(world, world.startServer(), { handoff: false });
	const profile = joined(holder.join(USER));
	holder.earn(profile, 25);
	const since = world.now();
	const answer = other.join(USER);
	const upTo = answer.at;
	world.waitUntil(() => other.server.kicks.size() > 0);
	const kept = holder.server.run(() => profile.save()).success && profile.active && profile.data.coins === 25;
	return { outcome: "cause" in answer && kept ? "kicked" : "refused", waitSeconds: upTo - since, since, upTo };
}

function crashByAge(world: World): Ending {
	const crashing = new GameServer(world, world.startServer(), { handoff: false });
	const other = new GameServer(world, world.startServer(), { handoff: false });
	const profile = joined(crashing.join(USER));
	crashing.earn(profile, 25);
	crashing.server.run(() => profile.save()).unwrap();
	const since = world.now();
	crashing.server.crash();
	return inWithCoins(other.joinUntilIn(USER, REJOIN_SECONDS, 400), since);
}

function outageAtLeave(world: World): Ending {
	const first = new GameServer(world);
	const second = new GameServer(world);
	const answer = first.join(USER);
	first.earn(joined(answer), 25);
	const since = world.now();
	const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
	world.trace.note("cloud", "the data stores fail for 40 s");
	first.server.leave(answer.player);
	first.server.spawn(() => {
		first.server.platform.task.wait(40);
		outage.remove();
		world.trace.note("cloud", "the data stores are back");
	});
	return inWithCoins(second.joinUntilIn(USER, REJOIN_SECONDS, 120), since);
}

function inWithCoins(answer: JoinAnswer, since: number): Ending {
	const kept = "profile" in answer && answer.profile.data.coins === 25;
	return { outcome: kept ? "joined" : "refused", waitSeconds: answer.at - since, since };
}

export const foundationCases = [
	storyCase(
		"join-leave-join",
		GROUP,
		"A player joins, earns, leaves, and joins another server",
		{ outcome: "joined", fastMaxSeconds: 0.15, maxSeconds: 1 },
		joinLeaveJoin,
	),
	storyCase(
		"locked-elsewhere",
		GROUP,
		"A player joins while another server keeps the lock (no handoff)",
		{ outcome: "kicked", minSeconds: 15, maxSeconds: 16 },
		lockedElsewhere,
	),
	storyCase(
		"crash-by-age",
		GROUP,
		"The server crashes; without presence its lock goes by age alone",
		{ outcome: "joined", minSeconds: 239, maxSeconds: 250 },
		crashByAge,
	),
	storyCase(
		"outage-at-leave",
		GROUP,
		"The data stores fail for 40 s as the player leaves; nothing is lost",
		{ outcome: "joined", minSeconds: 40, maxSeconds: 60 },
		outageAtLeave,
	),
];
