import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import {
	breakUpdates,
	check,
	errorOf,
	expectOrder,
	Game,
	isLocked,
	KEY,
	near,
	same,
	Started,
	storedCoins,
	updatesOf,
	USER,
	watchOrder,
	writesOf,
} from "./writeRig";

/** Seconds between the answer of one update and the call of the next. */
function pauses(world: World, since: number, key = KEY): Array<number> {
	const calls = updatesOf(world, key, since);
	const found = new Array<number>();
	for (let i = 1; i < calls.size(); i++) found.push(calls[i].at - calls[i - 1].answeredAt!);
	return found;
}

function expectPauses(found: ReadonlyArray<number>, wanted: ReadonlyArray<number>): void {
	check(found.size() >= wanted.size(), `there were ${found.size()} pauses, not ${wanted.size()}`);
	wanted.forEach((seconds, index) => near(found[index], seconds, 0.04, `pause ${index + 1}`));
}

function expectNoOverlap(world: World, key = KEY): void {
	const calls = updatesOf(world, key);
	for (let i = 1; i < calls.size(); i++) {
		const before = calls[i - 1].answeredAt;
		check(before !== undefined && before <= calls[i].at, `call ${i + 1} overlaps the one before it`);
	}
}

/** The two forms of Roblox's texts for a value that it never takes. */
const REJECTIONS = [
	"104: Cannot store Dictionary in data store. Data stores can only accept valid UTF-8 characters.",
	"DataStoreService: CantStoreValue: Cannot store Dictionary in data store. API: UpdateAsync, Data Store: PlayerData",
];

export = () => {
	describe("Save: retries after 1, 2, 4, 8 s, then retained and tried in the background until it lands", () => {
		for (const [effect, errorTexts] of [
			["failBefore", "old"],
			["failBefore", "new"],
			["loseAnswer", "old"],
			["loseAnswer", "new"],
			["throttle", "old"],
			["throttle", "new"],
		] as const) {
			it(`retries after exactly 1, 2, 4 and 8 s, then every 30 s (${effect}, ${errorTexts} error texts)`, () => {
				simulate({ switches: { errorTexts } }, (world) => {
					const play = new Game(world);
					const profile = play.load();
					world.wait(5);
					// Autosave would find nothing new to start: the writer is at work.
					const outage = world.faults.add({ service: "DataStore", effect });
					play.earn(profile, 1).unwrap();
					const since = world.now();
					const save = play.start(() => profile.save());
					world.wait(110);
					expectPauses(pauses(world, since), [1, 2, 4, 8, 30, 30, 30]);
					// Answered when the ladder was through, and not before.
					check(save.answer !== undefined, "save() was not answered");
					same(errorOf(save.answer).type, "roblox", "the error");
					same(errorOf(save.answer).retryable, true, "retryable");
					near(save.answeredAt! - since, 15.3, 0.4, "the answer");
					outage.remove();
					world.wait(31);
					same(storedCoins(world), 1, "stored in the end");
					check(profile.active, "the profile is not active any more");
					expectNoOverlap(world);
				});
			});
		}

		it("prior fault: five retries within five frames; an outage of 40 s loses nothing, neither on leave nor while playing", () => {
			simulate({ profile: "live" }, (world) => {
				const play = new Game(world).attach();
				const leaving = play.join(1);
				const staying = play.join(2);
				play.earn(leaving.profile, 5).unwrap();
				play.earn(staying.profile, 6).unwrap();
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				play.server.leave(leaving.player);
				const save = play.start(() => staying.profile.save());
				world.wait(20);
				check(save.answer !== undefined && !save.answer.success, "the save was not answered after the ladder");
				check(!leaving.profile.active, "a profile that was left is active");
				world.wait(20);
				outage.remove();
				world.wait(31);
				same(storedCoins(world, "Player_1"), 5, "what the one who left had");
				same(storedCoins(world, "Player_2"), 6, "what the one who stayed has");
				check(!isLocked(world, "Player_1"), "a lock was left");
				check(staying.profile.active, "who stayed lost the profile");
				same(play.server.kicks.size(), 0, "kicks");
			});
		});

		it("the failure is reported once per profile and not per try", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profiles = ["a", "b"].map((key) => play.load(key));
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				for (const profile of profiles) play.earn(profile, 1).unwrap();
				for (const profile of profiles) play.start(() => profile.save());
				world.wait(14);
				same(play.server.warnings.size(), 0, "warnings while the ladder runs");
				world.wait(300);
				play.start(() => profiles[0].save());
				world.wait(300);
				same(play.server.warnings.size(), 2, "warnings");
				for (const key of ["a", "b"]) {
					const told = play.server.warnings.filter((text) => text.find(`"${key}"`, 1, true)[0] !== undefined);
					same(told.size(), 1, `warnings about ${key}`);
				}
				outage.remove();
				world.wait(31);
				for (const key of ["a", "b"]) same(storedCoins(world, key), 1, `coins of ${key}`);
			});
		});

		for (const what of ["save", "release", "rejoin"] as const) {
			it(`a ${what} asked for cuts a back-off pause short, and begins the ladder anew`, () => {
				simulate({}, (world) => {
					const play = new Game(world).attach();
					const { player, profile } = play.join();
					const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
					play.earn(profile, 1).unwrap();
					if (what === "rejoin") play.server.leave(player);
					else play.start(() => profile.save());
					// In the middle of a slow pause.
					world.wait(25);
					const since = world.now();
					if (what === "save") play.start(() => profile.save());
					if (what === "release") play.start(() => profile.release());
					const back = what === "rejoin" ? play.server.join(USER) : undefined;
					world.wait(0.05);
					same(updatesOf(world, KEY, since).size(), 1, "tries right after");
					world.wait(4);
					expectPauses(pauses(world, since), [1, 2]);
					outage.remove();
					world.wait(5);
					same(storedCoins(world), 1, "stored");
					if (back !== undefined) {
						const again = play.server.run(() => play.driver.profileOf(back));
						same(again?.data.coins, 1, "what the rejoin found");
						check(again!.active, "the rejoined profile is not active");
					}
					expectNoOverlap(world);
				});
			});
		}

		it("asked for again and again, each save() is still answered, after a ladder of its own", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				world.faults.add({ service: "DataStore", effect: "failBefore" });
				play.earn(profile, 1).unwrap();
				const saves = new Array<Started<unknown>>();
				for (let i = 0; i < 60; i++) {
					saves.push(play.start(() => profile.save()));
					world.wait(0.5);
				}
				world.wait(20);
				for (const save of saves) {
					check(save.answeredAt !== undefined, "a save() was never answered");
					check(save.answeredAt - save.begunAt < 17, "a save() was answered late");
				}
			});
		});

		it("a save() during a try that fails gets the whole ladder, not the end of another's", () => {
			simulate({ profile: "live" }, (world) => {
				const play = new Game(world);
				const profile = play.load();
				world.faults.add({ service: "DataStore", effect: "failBefore" });
				play.earn(profile, 1).unwrap();
				play.start(() => profile.save());
				// The first try at the slow rate: asked for while it is at the store.
				world.waitUntil(() => updatesOf(world).size() === 7, 60);
				same(updatesOf(world)[6].answeredAt, undefined, "the answer of that try");
				const late = play.start(() => profile.save());
				world.wait(10);
				same(late.answer, undefined, "an answer before its ladder was through");
				world.wait(10);
				check(late.answer !== undefined, "save() was not answered");
			});
		});
	});

	describe("Save: saves of one key never overlap and never reorder", () => {
		it("a save asked for during a save is folded into one more", () => {
			simulate({ profile: "live" }, (world) => {
				const play = new Game(world);
				const profile = play.load();
				const since = world.now();
				play.earn(profile, 1).unwrap();
				const saves = [play.start(() => profile.save())];
				for (let i = 0; i < 5; i++) {
					play.earn(profile, 1).unwrap();
					saves.push(play.start(() => profile.save()));
				}
				world.wait(5);
				for (const save of saves) check(save.answer?.success === true, "a save failed");
				same(storedCoins(world), 6, "stored");
				same(writesOf(world, KEY, since), 2, "writes");
				expectNoOverlap(world);
			});
		});

		it("a save asked for during a save that stores just that needs no other", () => {
			simulate({ profile: "live" }, (world) => {
				const play = new Game(world);
				const profile = play.load();
				const since = world.now();
				play.earn(profile, 1).unwrap();
				const saves = [1, 2, 3].map(() => play.start(() => profile.save()));
				world.wait(5);
				for (const save of saves) check(save.answer?.success === true, "a save failed");
				same(writesOf(world, KEY, since), 1, "writes");
			});
		});

		it("an acknowledged save() holds what was there when it was called, whatever was in flight", () => {
			simulate({ profile: "live", seed: 4 }, (world) => {
				const play = new Game(world);
				const profile = play.load();
				const watch = watchOrder(world);
				const saves = new Array<Started<boolean>>();
				breakUpdates(world, { key: KEY, effect: "loseAnswer", chance: 0.3 });
				breakUpdates(world, { key: KEY, effect: "landLate", seconds: 3, chance: 0.3, durableOnly: true });
				for (let i = 1; i <= 60; i++) {
					play.earn(profile, 1).unwrap();
					const wanted = i;
					saves.push(
						play.start(() => {
							const saved = profile.save().success;
							return !saved || storedCoins(world)! >= wanted;
						}),
					);
					world.wait(0.4);
				}
				world.faults.clear();
				world.wait(60);
				for (const save of saves) check(save.answer === true, "a save() was acknowledged and is not stored");
				same(storedCoins(world), 60, "stored in the end");
				expectOrder(watch);
				expectNoOverlap(world);
			});
		});

		it("a release asked for during a save comes after it, with everything", () => {
			simulate({ profile: "live" }, (world) => {
				const play = new Game(world);
				const profile = play.load();
				const since = world.now();
				play.earn(profile, 1).unwrap();
				play.start(() => profile.save());
				play.earn(profile, 1).unwrap();
				play.release(profile).unwrap();
				same(storedCoins(world), 2, "stored");
				same(writesOf(world, KEY, since), 2, "writes");
				check(!isLocked(world), "a lock was left");
				expectNoOverlap(world);
			});
		});

		it("a failed save does not hold up other profiles", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const broken = play.load("a");
				const fine = play.load("b");
				breakUpdates(world, { key: "a", effect: "failBefore" });
				for (const profile of [broken, fine]) play.earn(profile, 1).unwrap();
				const all = play.start(() => play.driver.saveAll());
				world.wait(0.2);
				same(storedCoins(world, "b"), 1, "the other profile");
				world.wait(20);
				same(errorOf(all.answer!).type, "roblox", "what saveAll answers");
				play.earn(fine, 1).unwrap();
				play.release(fine).unwrap();
				same(storedCoins(world, "b"), 2, "the other profile, later");
			});
		});
	});

	describe("Save: non-retryable errors; protocol 4.6", () => {
		for (const message of REJECTIONS) {
			it(`"${message.sub(1, 32)}…": reported, tried at the slow rate, and the profile stays usable`, () => {
				simulate({}, (world) => {
					const play = new Game(world);
					const profile = play.load();
					const fault = breakUpdates(world, { key: KEY, effect: "failBefore", message });
					play.earn(profile, 1).unwrap();
					const since = world.now();
					const saved = play.save(profile);
					same(errorOf(saved).retryable, false, "retryable");
					check(world.now() - since < 0.3, "the answer came late");
					same(play.server.warnings.size(), 1, "warnings");
					world.wait(95);
					expectPauses(pauses(world, since), [30, 30, 30]);
					same(play.server.warnings.size(), 1, "warnings later");
					check(profile.active, "the profile is not active");
					fault.remove();
					world.wait(31);
					same(storedCoins(world), 1, "stored once the store takes it");
				});
			});

			it(`"${message.sub(1, 32)}…" at the release: in the end the lock is given up without the data, loudly`, () => {
				simulate({}, (world) => {
					const play = new Game(world);
					const second = new Game(world);
					const profile = play.load();
					play.earn(profile, 1).unwrap();
					play.save(profile).unwrap();
					play.earn(profile, 1).unwrap();
					breakUpdates(world, { key: KEY, server: play.server, effect: "failBefore", message, count: 2 });
					const since = world.now();
					const released = play.release(profile);
					same(errorOf(released).retryable, false, "retryable");
					check(world.now() - since < 0.3, "the answer came late");
					world.wait(10);
					check(isLocked(world), "the lock was given up at once");
					world.wait(25);
					check(!isLocked(world), "the lock was left");
					same(storedCoins(world), 1, "stored: what was there before");
					same(updatesOf(world, KEY, since).size(), 3, "tries");
					const loud = play.server.warnings.filter(
						(text) => text.find("changes since its last save are lost", 1, true)[0] !== undefined,
					);
					same(loud.size(), 1, "reports of the loss");
					same(second.load().data.coins, 1, "what the next server loads");
				});
			});
		}

		it("saves that were refused do not make the release give up data that the store would take", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				const fault = breakUpdates(world, { key: KEY, effect: "failBefore", message: REJECTIONS[0] });
				play.earn(profile, 1).unwrap();
				play.save(profile);
				world.wait(95);
				fault.remove();
				play.release(profile).unwrap();
				same(storedCoins(world), 1, "stored");
			});
		});

		it("only refused data is given up: an outage of any length at the release loses nothing", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				play.earn(profile, 1).unwrap();
				const fault = breakUpdates(world, {
					effect: "failBefore",
					message: "403: Cannot write to DataStore from studio if API access is not enabled.",
				});
				play.release(profile);
				world.wait(600);
				fault.remove();
				world.wait(31);
				same(storedCoins(world), 1, "stored");
				check(!isLocked(world), "a lock was left");
			});
		});

		it("a release whose answer was lost, then refused: what it stored is not reported as lost", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				play.earn(profile, 1).unwrap();
				breakUpdates(world, { key: KEY, effect: "loseAnswer", count: 1, durableOnly: true });
				play.start(() => profile.release());
				world.wait(0.5);
				breakUpdates(world, { key: KEY, effect: "failBefore", message: REJECTIONS[0], count: 2 });
				world.wait(70);
				same(storedCoins(world), 1, "stored");
				for (const text of play.server.warnings) {
					check(text.find("are lost", 1, true)[0] === undefined, `it said: ${text}`);
				}
			});
		});
	});
};
