import { Profile } from "../../../src/driver/profile";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import {
	breakUpdates,
	check,
	Game,
	GameData,
	isLocked,
	KEY,
	near,
	same,
	STORE,
	storedCoins,
	updatesOf,
	writesOf,
} from "./writeRig";

const PERIOD = 60;
/** Two thirds of `lockTtlSeconds`: the oldest that a lock gets. */
const RENEW = 120;
const COUNT = 60;

function loadMany(world: World, play: Game, count: number, spacing = 0): Array<Profile<GameData>> {
	const profiles = new Array<Profile<GameData>>();
	for (let i = 1; i <= count; i++) {
		play.server.spawn(() => profiles.push(play.driver.load(`k${i}`).unwrap()));
		if (spacing > 0) world.wait(spacing);
	}
	world.waitUntil(() => profiles.size() === count, 60);
	return profiles;
}

/** The most updates that were called within any one second from `since` to `till`. */
function mostPerSecond(world: World, since: number, till = math.huge): number {
	const times = world.trace
		.select({ service: "DataStore", op: "UpdateAsync", store: STORE, since })
		.map((call) => call.at)
		.filter((at) => at < till);
	let most = 0;
	times.forEach((at, index) => {
		let count = 0;
		for (let i = index; i < times.size() && times[i] < at + 0.95; i++) count += 1;
		most = math.max(most, count);
	});
	return most;
}

function earnAll(play: Game, profiles: ReadonlyArray<Profile<GameData>>): void {
	for (const profile of profiles) play.earn(profile, 1).unwrap();
}

export = () => {
	describe("Autosave: every autosaveSeconds per dirty profile; prior fault: autosave hit every profile in the same second", () => {
		// 22.9 s is what makes phases that count from the join fall together.
		for (const spacing of [0, 1, 22.918]) {
			it(`spreads ${COUNT} profiles, loaded ${spacing} s apart, over the period`, () => {
				simulate({}, (world) => {
					const play = new Game(world);
					const profiles = loadMany(world, play, COUNT, spacing);
					for (let round = 0; round < 3; round++) {
						earnAll(play, profiles);
						const since = world.now();
						world.wait(PERIOD + 2);
						const most = mostPerSecond(world, since);
						check(most <= 4, `${most} saves within a second, in round ${round}`);
						for (let i = 1; i <= COUNT; i++) {
							same(writesOf(world, `k${i}`, since) <= 2, true, `few writes of k${i}`);
							same(storedCoins(world, `k${i}`), round + 1, `coins of k${i}`);
						}
					}
				});
			});
		}

		it("a profile that keeps changing is saved once a period, at its own moment of it", () => {
			simulate({ profile: "live" }, (world) => {
				const play = new Game(world);
				const profile = play.load();
				play.server.spawn(() => {
					for (;;) {
						profile.update((data) => ({ ...data, coins: data.coins + 1 }));
						play.server.platform.task.wait(0.7);
					}
				});
				world.wait(PERIOD * 10 + 1);
				const calls = updatesOf(world);
				check(calls.size() >= 10 && calls.size() <= 11, `${calls.size() - 1} saves in ten minutes`);
				for (let i = 2; i < calls.size(); i++) near(calls[i].at - calls[i - 1].at, PERIOD, 1.2, `period ${i}`);
			});
		});

		it("option autosaveSeconds", () => {
			simulate({}, (world) => {
				const play = new Game(world, { autosaveSeconds: 10 });
				const profile = play.load();
				for (let i = 0; i < 10; i++) {
					play.earn(profile, 1).unwrap();
					world.wait(10);
				}
				const writes = writesOf(world) - 1;
				check(writes >= 9 && writes <= 10, `${writes} saves`);
			});
		});

		it("runs on a server where somebody is always loading", () => {
			simulate({}, (world) => {
				const play = new Game(world, { autosaveSeconds: 10 });
				const profile = play.load();
				play.earn(profile, 1).unwrap();
				for (let i = 0; i < 40; i++) {
					play.server.spawn(() => play.driver.load(`other${i}`));
					world.wait(0.4);
				}
				same(storedCoins(world), 1, "stored");
			});
		});

		it("a server that froze keeps its profiles spread", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profiles = loadMany(world, play, COUNT);
				earnAll(play, profiles);
				play.server.pause();
				world.wait(75);
				play.server.resume();
				world.wait(5);
				world.wait(PERIOD);
				earnAll(play, profiles);
				const since = world.now();
				world.wait(PERIOD + 2);
				const most = mostPerSecond(world, since);
				check(most <= 4, `${most} saves within a second`);
			});
		});
	});

	describe("Autosave: a clean profile is not written except to refresh its lock's time, by two thirds of the TTL", () => {
		for (const how of ["never changed", "changed and saved", "given the same data"] as const) {
			it(`${how}: nothing is written for 60 s, one refresh by 120 s, then one every 120 s`, () => {
				simulate({}, (world) => {
					const play = new Game(world);
					const profile = play.load();
					if (how === "changed and saved") {
						play.earn(profile, 1).unwrap();
						play.save(profile).unwrap();
					}
					if (how === "given the same data") {
						play.server.run(() => profile.update((data) => data)).unwrap();
						play.save(profile).unwrap();
					}
					const since = world.now() + 0.01;
					world.wait(RENEW / 2);
					same(updatesOf(world, KEY, since).size(), 0, "calls in the first third of the TTL");
					world.wait(RENEW / 2 + 2.2);
					same(writesOf(world, KEY, since), 1, "writes in two thirds of the TTL");
					const before = storedCoins(world);
					world.wait(RENEW * 9);
					const writes = writesOf(world, KEY, since);
					check(writes >= 9 && writes <= 10, `${writes} refreshes in ten times 120 s`);
					same(storedCoins(world), before, "coins");
					check(profile.active && isLocked(world), "the lock was lost");
				});
			});
		}

		it("locks that were taken in one second are not renewed in one second, and none goes stale", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profiles = loadMany(world, play, COUNT);
				const since = world.now() + 1;
				world.wait(RENEW * 4);
				const most = mostPerSecond(world, since);
				check(most <= 4, `${most} refreshes within a second`);
				for (let i = 1; i <= COUNT; i++) {
					const calls = updatesOf(world, `k${i}`);
					for (let j = 1; j < calls.size(); j++) {
						const gap = calls[j].at - calls[j - 1].at;
						check(gap > RENEW / 2 && gap < RENEW + 2.5, `k${i} was refreshed after ${gap} s`);
					}
				}
				for (const profile of profiles) check(profile.active, "a lock was lost");
			});
		});

		it("a refresh that takes long is sent once", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				play.load();
				breakUpdates(world, { key: KEY, effect: "delay", stage: "respond", seconds: 6 });
				world.wait(RENEW + 15);
				same(updatesOf(world).size(), 2, "calls");
			});
		});

		it("an autosave that is due while a save of the same data is under way writes nothing more", () => {
			simulate({}, (world) => {
				const play = new Game(world, { autosaveSeconds: 1 });
				const profile = play.load();
				breakUpdates(world, { key: KEY, effect: "delay", stage: "respond", seconds: 5 });
				play.earn(profile, 1).unwrap();
				play.save(profile).unwrap();
				world.wait(20);
				same(writesOf(world), 2, "writes");
			});
		});

		it("a refresh that fails is tried until it lands, without touching the data", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				breakUpdates(world, { key: KEY, effect: "loseAnswer", count: 3 });
				world.wait(RENEW + 10);
				const calls = updatesOf(world);
				same(calls.size(), 5, "calls");
				check(profile.active, "the lock was lost");
				same(play.server.warnings.size(), 0, "warnings");
				play.earn(profile, 1).unwrap();
				play.save(profile).unwrap();
				same(storedCoins(world), 1, "coins");
			});
		});
	});

	describe("Autosave; prior fault: one profile's failing autosave stopped the others'", () => {
		for (const effect of ["failBefore", "hang", "loseAnswer"] as const) {
			it(`one that is stuck (${effect}) does not hold up the others, and recovers`, () => {
				simulate({}, (world) => {
					const play = new Game(world);
					const profiles = loadMany(world, play, 10);
					const fault = breakUpdates(world, { key: "k1", effect });
					for (let round = 1; round <= 5; round++) {
						earnAll(play, profiles);
						world.wait(PERIOD + 2);
						for (let i = 2; i <= 10; i++) same(storedCoins(world, `k${i}`), round, `coins of k${i}`);
					}
					fault.remove();
					world.wait(95);
					same(storedCoins(world, "k1"), 5, "coins of k1");
					for (const profile of profiles) check(profile.active, "a profile was lost");
				});
			});
		}

		it("renewals that fail do not use up the turns of the others", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				loadMany(world, play, 10);
				for (let i = 1; i <= 5; i++) breakUpdates(world, { key: `k${i}`, effect: "failBefore" });
				world.wait(RENEW * 2 + 2);
				for (let i = 6; i <= 10; i++) same(writesOf(world, `k${i}`), 3, `writes of k${i}`);
			});
		});
	});
};
