import { StoredRecord } from "../../../src/record/types";
import { World } from "../../cloud/world";
import { expectText, PlayerGame } from "../driver/playerGame";
import { KEY, must, Servers, Setting, withServers } from "./servers";

/** One of the numbered lock scenarios: it throws where its verdict is another. */
export interface Scenario {
	readonly number: number;
	readonly title: string;
	readonly run: (setting: Setting) => void;
}

const TAKEN_WITHIN = { fast: 16, live: 18 };

function scenario(
	number: number,
	title: string,
	body: (servers: Servers, world: World, setting: Setting) => void,
): Scenario {
	return { number, title, run: (setting) => withServers(setting, (servers, world) => body(servers, world, setting)) };
}

/** Joins `game` again and again for `seconds`; each must answer `profile_locked`, and S1 must keep the lock. */
function keepsLock(servers: Servers, world: World, host: PlayerGame, seconds: number): void {
	const deadline = world.now() + seconds;
	const token = servers.lock()!.Token;
	while (world.now() < deadline) {
		const { player, cause } = servers.arrive(host);
		must(cause?.type === "profile_locked", `the join ended with ${cause?.type ?? "a profile"}`);
		must(cause.holder?.jobId === servers.s1.server.jobId, "the error names another holder");
		must(servers.lock()?.Token === token, "the lock has changed hands");
		host.server.leave(player);
		world.wait(1);
	}
	must(servers.takings() === 0, "a lock was taken");
}

/** Starts a save of S1 that reaches the store only after S1's pause. */
function saveInFlight(servers: Servers, world: World): void {
	const { s1 } = servers;
	const profile = s1.driver.get(KEY)!;
	s1.set(profile, 99);
	world.faults.add({
		service: "DataStore",
		op: "UpdateAsync",
		key: KEY,
		server: s1.server,
		effect: "delay",
		seconds: 2,
		count: 1,
	});
	s1.server.spawn(() => profile.save());
	world.wait(0.2);
}

export const LOCK_SCENARIOS: ReadonlyArray<Scenario> = [
	scenario(
		1,
		"a server that was paused over a takeover changes nothing, and learns that it lost the lock",
		(servers, world) => {
			const { s1, s2 } = servers;
			const { profile } = servers.settle(s1, 5, 4);
			let lost: string | undefined;
			profile.onLockLost.connect((cause) => (lost = cause.type));
			s1.server.pause();
			const since = world.now();
			servers.midSession();
			world.wait(2);
			const taker = servers.arrive(s2);
			must(taker.profile?.data.coins === 5, "S2 has not got the last save");
			s2.set(taker.profile, 20);
			s2.server.run(() => taker.profile!.save()).unwrap();
			world.wait(since + 60 - world.now());
			const before = world.now();
			s1.server.resume();
			const saved = s1.server.run(() => profile.save());
			must(!saved.success, "S1's save says that it is stored");
			world.wait(10);
			must(lost === "lock_lost", `S1 reports ${lost}`);
			must(!profile.active && s1.server.kicks.size() === 1, "S1's session goes on");
			must(servers.writes(before, s1) === 0, "S1 has changed the record");
			must(servers.holds(s2) && s1.coins(KEY) === 20 && taker.profile.active, "the record is not S2's");
			servers.end(s2, taker.player, 20);
		},
	),
	scenario(
		2,
		"a save in flight that lands after a takeover finds the new token and keeps the record",
		(servers, world) => {
			const { s1, s2 } = servers;
			const { profile } = servers.settle(s1, 5);
			saveInFlight(servers, world);
			s1.server.pause();
			servers.midSession();
			world.wait(2);
			const taker = servers.arrive(s2);
			must(taker.profile?.data.coins === 5, "S2 has not got the last save");
			const before = world.now();
			s1.server.resume();
			world.wait(10);
			const landed = world.trace
				.select({ service: "DataStore", key: KEY, server: s1.server })
				.some(({ appliedAt }) => appliedAt !== undefined && appliedAt >= before);
			must(landed, "the save has not landed");
			must(s1.coins(KEY) === 5 && servers.holds(s2), "the late save has changed the record");
			must(!profile.active, "S1 goes on with a lost lock");
			servers.end(s2, taker.player, 5);
		},
	),
	scenario(
		3,
		"five minutes of failing presence reads are no proof; a handoff by request still works",
		(servers, world) => {
			const { s1, s2 } = servers;
			const { profile } = servers.settle(s1, 5);
			world.faults.add({ service: "MemoryStore", op: "GetAsync", effect: "failBefore" });
			const hear = servers.deafen(s1);
			servers.midSession();
			keepsLock(servers, world, s2, 300);
			must(profile.active, "S1's session has ended");
			s1.set(profile, 6);
			hear();
			const taker = servers.arrive(s2);
			must(taker.profile?.data.coins === 6 && taker.seconds < 7, "the handoff by request has failed");
			must(servers.takings() === 0, "the lock was taken, not handed over");
			servers.end(s2, taker.player, 6);
		},
	),
	scenario(4, "a lost presence map proves nothing, also while the holder's beats fail for 20 s", (servers, world) => {
		const { s1, s2 } = servers;
		const { profile } = servers.settle(s1, 5);
		servers.deafen(s1);
		servers.midSession();
		const outage = world.faults.add({
			service: "MemoryStore",
			op: "SetAsync",
			server: s1.server,
			effect: "failBefore",
		});
		world.services.memory.memory.flush();
		const since = world.now();
		keepsLock(servers, world, s2, 20);
		outage.remove();
		keepsLock(servers, world, s2, math.max(0, since + 60 - world.now()));
		must(profile.active && servers.holds(s1), "S1 has lost its lock");
	}),
	scenario(
		5,
		"a holder that beats keeps its lock while nothing of it can be stored, past the age of locks",
		(servers, world) => {
			const { s1, s2 } = servers;
			servers.settle(s1, 5, 3);
			world.faults.add({ service: "DataStore", server: s1.server, effect: "failBefore" });
			servers.midSession();
			keepsLock(servers, world, s2, 120);
			// The lock is older than 240 s from here on.
			world.wait(150);
			keepsLock(servers, world, s2, 40);
			must(s1.coins(KEY) === 5, "the record has changed");
		},
	),
	scenario(
		6,
		"one empty read and a key that is back 0.2 s later are no proof, and the count starts over",
		(servers, world) => {
			const { s1, s2, s3 } = servers;
			const { profile } = servers.settle(s1, 5);
			servers.deafen(s1);
			servers.midSession();
			const map = s3.server.platform.memoryStores.GetHashMap("CKPresence");
			// The holder's own beats stay away, so that only this key counts.
			servers.awaitBeat(s1);
			world.faults.add({ service: "MemoryStore", op: "SetAsync", server: s1.server, effect: "failBefore" });
			const coming = servers.coming(s2);
			s3.server.run(() => map.RemoveAsync(s1.server.jobId));
			const reads = () =>
				world.trace.count({
					service: "MemoryStore",
					op: "GetAsync",
					key: s1.server.jobId,
					server: s2.server,
					outcome: "ok",
				});
			const before = reads();
			world.waitUntil(() => reads() > before, 5);
			world.wait(0.2);
			s3.server.run(() => map.SetAsync(s1.server.jobId, 1, 10));
			world.wait(9);
			must(coming.ended === undefined && servers.holds(s1), "taken after an interrupted silence");
			must(servers.takings() === 0 && profile.active, "S1's session has ended");
		},
	),
	scenario(
		7,
		"a crash right after a beat: the lock is taken 10 s after it at the earliest, within the bound, with the last save",
		(servers, world, { profile = "fast" }) => {
			const { s1, s2 } = servers;
			servers.settle(s1, 5, 4);
			servers.awaitBeat(s1);
			const beat = servers.lastBeat(s1);
			s1.server.crash();
			servers.midSession();
			const taker = servers.arrive(s2);
			const took = world.now() - beat;
			must(taker.profile?.data.coins === 5, "the last save is not there");
			must(took >= 10 && took <= TAKEN_WITHIN[profile], `taken ${took} s after the last beat`);
			expectText(s2.server.warnings.join(), "took the lock of", KEY, s1.server.jobId, "stopped beating presence");
			servers.end(s2, taker.player, 5);
		},
	),
	scenario(
		8,
		"two servers with a proof: one takes the lock, the other's proof starts over against the winner",
		(servers, world) => {
			const { s1, s2, s3 } = servers;
			servers.settle(s1, 5);
			servers.awaitBeat(s1);
			// The winner shall not hand over, or the second would get the lock by asking.
			servers.deafen(s2);
			servers.deafen(s3);
			s1.server.crash();
			servers.midSession();
			const joins = [servers.coming(s2), servers.coming(s3)];
			const ends = joins.map((coming) => servers.ended(coming));
			const winners = ends.filter(({ profile }) => profile !== undefined);
			must(winners.size() === 1, `${winners.size()} servers have the profile`);
			must(servers.takings() === 1, `${servers.takings()} servers took the lock`);
			const winner = ends[0].profile !== undefined ? s2 : s3;
			const loser = ends.find(({ cause }) => cause !== undefined)!;
			must(loser.cause!.type === "profile_locked", `the loser hears ${loser.cause!.type}`);
			must(loser.cause!.holder?.jobId === winner.server.jobId, "the loser does not see the winner's lock");
			world.wait(20);
			must(winners[0].profile!.active && servers.holds(winner), "the winner has lost the lock");
			must((winner.record(KEY) as StoredRecord).Meta.Turn === 2, "more than one acquisition");
			servers.end(winner, winners[0].player, 5);
		},
	),
];
