import { World } from "../../cloud/world";
import { FaultEffect } from "../../cloud/faults";
import { PlayerGame } from "../driver/playerGame";
import { KEY, must, Servers, withServers } from "./servers";

/**
 * One life of a key on S1 whose first leave save fails, and which an adoption takes up; S2 and S3 have it afterwards. The
 * moments, in seconds after the leave: 0 the leave save, 1 the rejoin's adoption, 3 the taker save, 5 the release,
 * 7 S2's load, 8 S2's save, 9 S2's release, 11 S3's load.
 */
function life(servers: Servers, world: World, adoptions: number): void {
	const { s1, s2, s3 } = servers;
	let profile = s1.driver.profileOf(s1.server.players()[0])!;
	const left = world.now();
	const at = (seconds: number) => world.wait(math.max(0, left + seconds - world.now()));
	let player = s1.server.players()[0];
	s1.server.leave(player);
	for (let round = 0; round < adoptions; round++) {
		at(1 + 0.5 * round);
		const again = servers.arrive(s1);
		must(again.profile !== undefined, `rejoin ${round} failed: ${again.cause}`);
		must(round > 0 || again.profile === profile, "the first rejoin has another profile");
		must(again.profile.data.coins === 6, `rejoin ${round} found ${again.profile.data.coins} coins`);
		must(again.profile.active, `rejoin ${round} has a closed profile`);
		player = again.player;
		profile = s1.driver.profileOf(player)!;
		if (round + 1 < adoptions) s1.server.leave(player);
	}
	at(3);
	s1.set(profile, 7);
	s1.server.run(() => profile.save()).unwrap();
	at(5);
	s1.set(profile, 8);
	s1.server.leave(player);
	at(7);
	const taker = servers.arrive(s2);
	must(taker.profile?.data.coins === 8, `S2 found ${taker.profile?.data.coins ?? taker.cause?.type}`);
	at(8);
	s2.set(taker.profile, 20);
	s2.server.run(() => taker.profile!.save()).unwrap();
	s2.set(taker.profile, 21);
	at(9);
	must(taker.profile.active, "S2 has lost its session");
	s2.server.leave(taker.player);
	at(11);
	const last = servers.arrive(s3);
	must(last.profile?.data.coins === 21, `S3 found ${last.profile?.data.coins ?? last.cause?.type}`);
	at(60);
	must(last.profile.active && servers.holds(s3), "S3 has lost its session");
	servers.end(s3, last.player, 21);
	at(80);
	const lock = servers.lock();
	must(lock === undefined || lock.JobId === s1.server.jobId, "a lock of another server is left");
	// A lock that a late acquire left is cleared for whoever asks.
	const check = servers.arrive(s2);
	must(check.profile?.data.coins === 21, `in the end ${check.profile?.data.coins ?? check.cause?.type}`);
	servers.end(s2, check.player, 21);
}

/** Seconds after it was sent at which a write lands: before and after every later step. */
const LANDS_AFTER = [0.4, 2, 4, 6, 7.5, 8.5, 10, 30];

function play(body: (servers: Servers, world: World, s1: PlayerGame) => void): void {
	withServers({}, (servers, world) => {
		servers.settle(servers.s1, 5, 1);
		body(servers, world, servers.s1);
	});
}

function late(
	world: World,
	{ server }: PlayerGame,
	seconds: number,
	nth: number,
	count = 1,
	effect: FaultEffect = "landLate",
): void {
	world.faults.add({ service: "DataStore", op: "UpdateAsync", key: KEY, server, effect, seconds, nth, count });
}

function failing(world: World, { server }: PlayerGame, nth: number, count = 1): void {
	world.faults.add({ service: "DataStore", op: "UpdateAsync", key: KEY, server, effect: "failBefore", nth, count });
}

// Protocol 4.2 and 8: every write of an adoption lands late, once and twice, at every later step.
export = () => {
	describe("rule 4.2: the release that an adoption goes on from lands late", () => {
		for (const seconds of LANDS_AFTER) {
			it(`${seconds} s after it was sent`, () => {
				play((servers, world, s1) => {
					// As a write that the store decides on when it lands.
					late(world, s1, seconds, 1);
					life(servers, world, 1);
				});
			});
		}
	});

	describe("rule 4.2: the adoption's attempt lands late, after it was heard to have failed", () => {
		for (const seconds of LANDS_AFTER) {
			it(`${seconds} s after it was sent`, () => {
				play((servers, world, s1) => {
					failing(world, s1, 1);
					late(world, s1, seconds, 2);
					life(servers, world, 1);
				});
			});
			it(`${seconds} s after it was sent, and once more 1 s later; the leave save too`, () => {
				play((servers, world, s1) => {
					late(world, s1, seconds, 1);
					late(world, s1, seconds, 2);
					late(world, s1, seconds + 1, 3);
					life(servers, world, 1);
				});
			});
		}
	});

	describe("rule 4.2: an adoption that worked lands a second time", () => {
		for (const seconds of LANDS_AFTER) {
			it(`${seconds} s later`, () => {
				play((servers, world, s1) => {
					failing(world, s1, 1);
					late(world, s1, seconds, 2, 1, "duplicate");
					life(servers, world, 1);
				});
			});
		}
	});

	describe("rule 4.2: a chain of two adoptions, the first one's attempt and the release before it both unanswered", () => {
		for (const seconds of LANDS_AFTER) {
			it(`both land ${seconds} s after they were sent`, () => {
				play((servers, world, s1) => {
					late(world, s1, seconds, 1);
					late(world, s1, seconds, 2);
					life(servers, world, 2);
				});
			});
			it(`the first four writes land ${seconds} s after they were sent`, () => {
				play((servers, world, s1) => {
					late(world, s1, seconds, 1, 4);
					life(servers, world, 2);
				});
			});
		}
	});

	describe("rule 4.2: writes land, and their answers are lost", () => {
		for (const lost of [1, 2, 3, 4]) {
			it(`the answers of ${lost} writes from the leave on`, () => {
				play((servers, world, s1) => {
					world.faults.add({
						service: "DataStore",
						op: "UpdateAsync",
						key: KEY,
						server: s1.server,
						effect: "loseAnswer",
						count: lost,
					});
					life(servers, world, 2);
				});
			});
		}
	});

	describe("rule 1.1: the first session's acquire lands once more", () => {
		for (const seconds of [2, 21, 23, 25.5, 27.5, 29, 30.5, 33, 60]) {
			it(`${seconds} s after it was sent`, () => {
				withServers({}, (servers, world) => {
					world.faults.add({
						service: "DataStore",
						op: "UpdateAsync",
						key: KEY,
						server: servers.s1.server,
						effect: "duplicate",
						seconds,
						count: 1,
					});
					servers.settle(servers.s1, 5, 1);
					world.wait(20);
					failing(world, servers.s1, 1);
					life(servers, world, 1);
				});
			});
		}
	});
};
