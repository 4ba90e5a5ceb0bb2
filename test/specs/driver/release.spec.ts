import { Profile } from "../../../src/driver/profile";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import {
	breakUpdates,
	check,
	errorOf,
	Game,
	GameData,
	isLocked,
	KEY,
	near,
	same,
	stored,
	storedCoins,
	writesOf,
} from "./writeRig";

/** Ways by which a profile is released. */
const WAYS = ["leave", "shutdown", "release", "close"] as const;

function finish(
	world: World,
	play: Game,
	player: Player,
	profile: Profile<GameData>,
	way: (typeof WAYS)[number],
): void {
	if (way === "leave") play.server.leave(player);
	if (way === "release") play.release(profile);
	if (way === "close") play.server.run(() => play.driver.close());
	if (way === "shutdown") play.server.shutdown({ order: "closeFirst" });
	world.wait(1);
}

function warned(play: Game, part: string): number {
	return play.server.warnings.filter((text) => text.find(part, 1, true)[0] !== undefined).size();
}

export = () => {
	describe("profile.onReleasing; prior fault: games had no last chance to write before the final save", () => {
		for (const way of WAYS) {
			it(`hooks run once on ${way}, in their order, and what they write is in the one last save`, () => {
				simulate({}, (world) => {
					const play = new Game(world).attach();
					const { player, profile } = play.join();
					const order = new Array<number>();
					play.server.run(() => {
						for (const nth of [1, 2]) {
							profile.onReleasing((given) => {
								order.push(nth);
								check(given.active, "the profile is not active in the hook");
								given.update((data) => ({ ...data, coins: data.coins * 10 + nth })).unwrap();
							});
						}
					});
					const since = world.now();
					finish(world, play, player, profile, way);
					same(order.join(), "1, 2", "the order");
					same(storedCoins(world), 12, "stored");
					same(writesOf(world, KEY, since), 1, "writes");
					check(!isLocked(world), "a lock was left");
					check(!profile.active, "the profile is active");
				});
			});

			it(`a hook that throws, and one that yields, hold up nothing on ${way}, and are told`, () => {
				simulate({}, (world) => {
					const play = new Game(world).attach();
					const { player, profile } = play.join();
					let wentOn = false;
					play.server.run(() => {
						profile.onReleasing(() => error("oops"));
						profile.onReleasing(() => {
							profile.update((data) => ({ ...data, coins: data.coins + 1 })).unwrap();
							play.server.platform.task.wait(0.1);
							wentOn = true;
						});
						profile.onReleasing(() =>
							profile.update((data) => ({ ...data, coins: data.coins + 1 })).unwrap(),
						);
					});
					finish(world, play, player, profile, way);
					same(storedCoins(world), 2, "stored");
					check(!isLocked(world), "a lock was left");
					check(!wentOn, "the hook went on after it yielded");
					same(warned(play, "oops"), 1, "reports of the error");
					same(warned(play, "yielded"), 1, "reports of the yield");
				});
			});
		}

		it("a hook that releases or saves itself does not cut off what later hooks write", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				play.server.run(() => {
					profile.onReleasing(() => profile.release());
					profile.onReleasing(() => profile.save());
					profile.onReleasing(() => profile.update((data) => ({ ...data, coins: 5 })).unwrap());
				});
				play.earn(profile, 1).unwrap();
				play.release(profile).unwrap();
				same(storedCoins(world), 5, "stored");
				check(!isLocked(world), "a lock was left");
			});
		});

		it("a hook that was taken off does not run; none runs when the lock was lost", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const thief = new Game(world);
				const profile = play.load();
				let ran = 0;
				play.server.run(() => {
					const off = profile.onReleasing(() => (ran += 1));
					profile.onReleasing(() => (ran += 10));
					off();
				});
				play.release(profile).unwrap();
				same(ran, 10, "hooks");
				const again = play.load();
				play.server.run(() => again.onReleasing(() => (ran += 100)));
				world.store("PlayerData").remove(KEY);
				thief.load();
				play.earn(again, 1).unwrap();
				play.save(again);
				same(errorOf(play.release(again)).type, "lock_lost", "the error");
				same(ran, 10, "hooks after the loss");
			});
		});

		it("runs hooks for a release that cannot be stored yet, once, and keeps what they wrote", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				let ran = 0;
				play.server.run(() =>
					profile.onReleasing((given) => {
						ran += 1;
						given.update((data) => ({ ...data, coins: 7 })).unwrap();
					}),
				);
				const outage = breakUpdates(world, { effect: "failBefore" });
				same(errorOf(play.release(profile)).type, "roblox", "the first answer");
				const second = play.start(() => profile.release());
				world.wait(1);
				outage.remove();
				world.wait(31);
				check(second.answer?.success === true, "the second release failed");
				same(ran, 1, "hooks");
				same(storedCoins(world), 7, "stored");
			});
		});
	});

	describe("release: from then on nothing is taken any more", () => {
		it("update and save answer `released`, from the moment of the release, and the data stays readable", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				play.earn(profile, 3).unwrap();
				const outage = breakUpdates(world, { effect: "failBefore" });
				const release = play.start(() => profile.release());
				for (const when of ["while it waits for its last save", "later"]) {
					same(errorOf(play.earn(profile, 1)).type, "released", `update ${when}`);
					same(errorOf(play.save(profile)).type, "released", `save ${when}`);
					check(!profile.active, `it is active ${when}`);
					same(profile.data.coins, 3, `coins ${when}`);
					outage.remove();
					world.wait(5);
				}
				check(release.answer?.success === true, "the release failed");
				same(storedCoins(world), 3, "stored");
			});
		});

		it("an update's own function that releases the profile changes nothing after it", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				const updated = play.server.run(() =>
					profile.update((data) => {
						play.server.spawn(() => profile.release());
						return { ...data, coins: 9 };
					}),
				);
				world.wait(2);
				same(storedCoins(world), updated.success ? 9 : 0, "stored, as against the answer");
				check(!isLocked(world), "a lock was left");
			});
		});

		it("releases asked for at once share one write, and one on a released profile does nothing", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				let released = 0;
				play.server.run(() => profile.onReleased.connect(() => (released += 1)));
				const since = world.now();
				const releases = [1, 2, 3].map(() => play.start(() => profile.release()));
				world.wait(1);
				for (const release of releases) check(release.answer?.success === true, "a release failed");
				play.release(profile).unwrap();
				same(writesOf(world, KEY, since), 1, "writes");
				same(released, 1, "onReleased");
			});
		});

		it("stamps ReleasedToken, keeps Turn, and leaves user ids and metadata", () => {
			simulate({}, (world) => {
				const play = new Game(world).attach();
				const { player } = play.join();
				const token = stored(world)!.Lock!.Token;
				play.server.leave(player);
				world.wait(1);
				same(stored(world)!.Meta.ReleasedToken, token, "ReleasedToken");
				same(stored(world)!.Meta.Turn, 1, "Turn");
				same(world.store("PlayerData").info(KEY)!.userIds[0], 7, "user id");
			});
		});

		it("a release whose answer was lost and that others have written over since says that it does not know", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const other = new Game(world);
				const profile = play.load();
				play.earn(profile, 1).unwrap();
				breakUpdates(world, { server: play.server, effect: "loseAnswer", count: 1 });
				const release = play.start(() => profile.release());
				world.wait(0.3);
				const theirs = other.load();
				same(theirs.data.coins, 1, "what the other server loads");
				world.wait(5);
				same(errorOf(release.answer!).type, "unknown_outcome", "the answer");
				check(theirs.active && storedCoins(world) === 1, "the other session was touched");
			});
		});
	});

	describe("prior fault: cost; a join and a leave are one write each, an idle minute none, a playing one one", () => {
		it("join, play for ten minutes, idle for ten, leave", () => {
			simulate({ profile: "live" }, (world) => {
				const play = new Game(world).attach();
				const { player, profile } = play.join();
				same(world.trace.count({ service: "DataStore" }), 1, "calls of the join");
				same(world.trace.durableWrites(), 1, "writes of the join");

				let since = world.now();
				play.server.spawn(() => {
					for (let i = 0; i < 600; i++) {
						profile.update((data) => ({ ...data, coins: data.coins + 1 })).unwrap();
						play.server.platform.task.wait(1);
					}
				});
				world.wait(600);
				near(world.trace.durableWrites({ since }), 10, 1, "writes of ten minutes of playing");

				world.wait(61);
				since = world.now();
				world.wait(600);
				const renewals = math.ceil(600 / 90);
				check(world.trace.durableWrites({ since }) <= renewals, "an idle minute writes more than the refresh");
				same(
					world.trace.count({ service: "DataStore", since }),
					world.trace.durableWrites({ since }),
					"idle calls",
				);

				since = world.now();
				play.server.leave(player);
				world.wait(300);
				same(world.trace.count({ service: "DataStore", since }), 1, "calls of the leave");
				same(world.trace.durableWrites({ since }), 1, "writes of the leave");
				same(world.trace.removes(), 0, "removes");
			});
		});

		it("a rejoin of a saved record is one write too, and a clean one is left with one", () => {
			simulate({}, (world) => {
				const play = new Game(world).attach();
				for (let i = 0; i < 3; i++) {
					const since = world.now();
					const { player } = play.join();
					play.server.leave(player);
					world.wait(2);
					same(world.trace.durableWrites({ since }), 2, `writes of stay ${i + 1}`);
					same(world.trace.count({ service: "DataStore", since }), 2, `calls of stay ${i + 1}`);
				}
			});
		});
	});
};
