import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { BatonError } from "../../../src/errors";
import { memoryBackend } from "../../../src/backend/memory";
import { MemoryRecords } from "../../../src/backend/memoryRecords";
import { StoredRecord } from "../../../src/record/types";
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
	STORE,
	stored,
	storedCoins,
	updatesOf,
	USER,
	watchOrder,
	writesOf,
} from "./writeRig";

/** `lockTtlSeconds` + `lockSkewSeconds` as they are by default. */
const STALE_SECONDS = 240;

/** Seconds from `since` until the key loads on `taker`, asked for every half second. */
function secondsUntilTaken(world: World, taker: Game, since: number, key = KEY): number {
	const deadline = world.now() + 900;
	while (world.now() < deadline) {
		const loaded = taker.tryLoad(key);
		if (loaded.success) return world.now() - since;
		same(loaded.error.type, "profile_locked", "the error");
		world.wait(0.5);
	}
	error("the lock was never taken", 2);
}

function has(text: string, part: string): boolean {
	return text.find(part, 1, true)[0] !== undefined;
}

export = () => {
	describe("Session lock: written in the same UpdateAsync as the data", () => {
		it("a load is one write, which makes record and lock together", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				play.load();
				same(writesOf(world), 1, "writes");
				same(world.trace.count({ service: "DataStore" }), 1, "calls");
				const record = stored(world)!;
				same((record.Data as { coins: number }).coins, 0, "coins");
				same(record.Lock!.JobId, play.server.jobId, "JobId");
				same(record.Lock!.Turn, 1, "Lock.Turn");
				same(record.Meta.Turn, 1, "Meta.Turn");
				same(record.Lock!.Seq, 0, "Seq");
				near(record.Lock!.Time, world.cloudTime(), 1, "Time");
			});
		});

		it("every save writes data and lock at once, and counts Seq up; a release writes data and removes the lock at once", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				for (let i = 1; i <= 3; i++) {
					world.wait(10);
					const since = world.now();
					play.earn(profile, 1).unwrap();
					play.save(profile).unwrap();
					same(writesOf(world, KEY, since), 1, "writes of a save");
					const lock = stored(world)!.Lock!;
					same(lock.Seq, i, "Seq");
					near(lock.Time, world.cloudTime(), 1, "Time");
					same(storedCoins(world), i, "coins");
				}
				const since = world.now();
				play.earn(profile, 1).unwrap();
				play.release(profile).unwrap();
				same(writesOf(world, KEY, since), 1, "writes of the release");
				same(storedCoins(world), 4, "coins");
				check(!isLocked(world), "a lock was left");
				same(stored(world)!.Meta.Turn, 1, "Turn survives the release");
			});
		});

		it("each acquisition has a fresh token and a Turn one higher; identity is the session, not place and server", () => {
			simulate({}, (world) => {
				const plays = [new Game(world), new Game(world)];
				const tokens = new Set<string>();
				for (let turn = 1; turn <= 6; turn++) {
					const play = plays[turn % 3 === 0 ? 1 : 0];
					const profile = play.load();
					const lock = stored(world)!.Lock!;
					same(lock.Turn, turn, "Turn");
					check(!tokens.has(lock.Token), "a token came twice");
					tokens.add(lock.Token);
					play.release(profile).unwrap();
				}
			});
		});

		it("where JobId is empty (Studio) a GUID made at the start stands in", () => {
			simulate({}, (world) => {
				const play = new Game(world, { studio: "live" }, { isStudio: true });
				play.load("a");
				play.load("b");
				const jobId = stored(world, "a")!.Lock!.JobId;
				check(jobId.size() >= 32, `JobId is ${jobId}`);
				same(stored(world, "b")!.Lock!.JobId, jobId, "the other record's JobId");
				const other = new Game(world, { studio: "live" }, { isStudio: true });
				same(errorOf(other.tryLoad("a")).type, "profile_locked", "another session of Studio");
			});
		});

		it("the option jobId overrides it", () => {
			simulate({}, (world) => {
				new Game(world, { jobId: "mine" }).load();
				same(stored(world)!.Lock!.JobId, "mine", "JobId");
			});
		});
	});

	describe("Session lock: every later write checks the token", () => {
		for (const write of ["save", "release", "autosave", "touch", "saveAll", "close"] as const) {
			it(`lost lock, found by ${write}: nothing written, the profile deactivates, lock_lost names the thief`, () => {
				simulate({}, (world) => {
					const play = new Game(world);
					const thief = new Game(world);
					const profile = play.load();
					if (write !== "touch") play.earn(profile, 1).unwrap();
					let heard: string | undefined;
					let holder: string | undefined;
					play.server.run(() =>
						profile.onLockLost.connect((cause) => {
							heard = cause.type;
							holder = cause.holder?.jobId;
						}),
					);
					world.store(STORE).remove(KEY);
					const theirs = thief.load();
					thief.earn(theirs, 50).unwrap();
					thief.save(theirs).unwrap();
					const since = world.now();
					const theirToken = stored(world)!.Lock!.Token;
					if (write === "save") {
						const saved = errorOf(play.save(profile));
						same(saved.type, "lock_lost", "the error");
						same(saved.holder?.token, theirToken, "the thief's token");
					}
					if (write === "release") same(errorOf(play.release(profile)).type, "lock_lost", "the error");
					if (write === "saveAll") {
						same(errorOf(play.server.run(() => play.driver.saveAll())).type, "lock_lost", "the error");
					}
					if (write === "close") play.server.run(() => play.driver.close());
					if (write === "autosave" || write === "touch") world.wait(125);
					same(heard, "lock_lost", "what the profile told");
					same(holder, thief.server.jobId, "the thief");
					check(!profile.active, "the profile is active");
					const closed = errorOf(play.earn(profile, 1));
					check(closed.type === "lock_lost", `update answers ${closed.type}`);
					same(
						writesOf(world, KEY, since) - (write === "touch" || write === "autosave" ? 1 : 0) <= 0,
						true,
						"written",
					);
					same(storedCoins(world), 50, "what the thief has");
					check(theirs.active, "the thief's profile is not active");
					same(
						play.server.run(() => play.driver.get(KEY)),
						undefined,
						"driver.get",
					);
				});
			});
		}

		it("I5: found after a save that was not answered, it does not claim that the changes are lost", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const thief = new Game(world);
				const profile = play.load();
				play.earn(profile, 1).unwrap();
				world.faults.add({
					service: "DataStore",
					server: play.server,
					key: KEY,
					count: 1,
					effect: "loseAnswer",
				});
				const causes = new Array<BatonError>();
				play.server.spawn(() => {
					causes.push(errorOf(profile.save()));
				});
				world.wait(0.5);
				world.store(STORE).set(KEY, { ...stored(world)!, Lock: undefined });
				same(thief.load().data.coins, 1, "what the thief finds");
				world.wait(5);
				const [cause] = causes;
				same(cause.type, "lock_lost", "the error");
				check(has(cause.message, "was not answered"), cause.message);
				check(!has(cause.message, "Nothing was written"), cause.message);
			});
		});

		it("the player is kicked once, with a clear message", () => {
			simulate({}, (world) => {
				const play = new Game(world).attach();
				const thief = new Game(world);
				const { profile } = play.join();
				world.store(STORE).remove(KEY);
				thief.load();
				play.earn(profile, 1).unwrap();
				play.save(profile);
				world.wait(5);
				same(play.server.kicks.size(), 1, "kicks");
				same(play.server.kicks[0].userId, USER, "who");
				check(has(play.server.kicks[0].message, "opened on another server"), play.server.kicks[0].message);
			});
		});

		it("prior fault: a new session of the same server accepts no write of an old one (I1)", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				play.earn(profile, 1).unwrap();
				// The save lands 20 s later; the session is over by then, and a new one of the same server is on.
				breakUpdates(world, { effect: "landLate", seconds: 20, nth: 1, count: 1, durableOnly: true });
				play.start(() => profile.save());
				world.wait(0.5);
				play.release(profile).unwrap();
				const again = play.load();
				play.earn(again, 10).unwrap();
				play.save(again).unwrap();
				world.wait(30);
				same(storedCoins(world), 11, "stored");
				check(again.active, "the new session was lost");
			});
		});

		it("the record is deleted by hand: the session ends, and nothing is written back", () => {
			simulate({}, (world) => {
				const play = new Game(world);
				const profile = play.load();
				play.earn(profile, 1).unwrap();
				world.store(STORE).remove(KEY);
				same(errorOf(play.save(profile)).type, "lock_lost", "the error");
				same(stored(world), undefined, "stored");
			});
		});
	});

	describe("Age rule: stale at lockTtlSeconds + lockSkewSeconds on the store's clock; protocol 2.2; scenario 9", () => {
		for (const [holderSkew, takerSkew] of [
			[0, 0],
			[3600, -3600],
			[-3600, 3600],
		]) {
			for (const stepped of [false, true]) {
				const steps = stepped ? ", both stepping in mid-session" : "";
				it(`with wall clocks at ${holderSkew} s and ${takerSkew} s${steps}, a crashed server's lock goes after 240 s`, () => {
					simulate({}, (world) => {
						const holder = new Game(world, {}, { skew: holderSkew });
						const taker = new Game(world, {}, { skew: takerSkew });
						const profile = holder.load();
						holder.earn(profile, 3).unwrap();
						if (stepped) {
							holder.server.stepClock(-2 * holderSkew - 1000);
							taker.server.stepClock(5000);
						}
						holder.save(profile).unwrap();
						const since = world.now();
						holder.server.crash();
						world.wait(100);
						if (stepped) taker.server.stepClock(-10000);
						near(secondsUntilTaken(world, taker, since), STALE_SECONDS, 1.5, "the wait");
						same(storedCoins(world), 3, "the last acknowledged save (I4)");
						check(
							taker.server.warnings.some((text) => has(text, holder.server.jobId)),
							"the taking was not told",
						);
					});
				});
			}
		}

		it("a server without store time makes one small write before it takes anything by age", () => {
			simulate({}, (world) => {
				const holder = new Game(world);
				const taker = new Game(world);
				holder.load();
				holder.server.crash();
				world.wait(STALE_SECONDS + 5);
				taker.load();
				const writes = world.trace.select({ service: "DataStore", server: taker.server, wrote: true });
				same(writes.size(), 2, "the taker's writes");
				same(writes[0].key, "CKClock", "the first one's key");
				same(writes[1].key, KEY, "the second one's key");
			});
		});

		it("a young lock is not taken by a server without store time, and its clock write is made once", () => {
			simulate({}, (world) => {
				const holder = new Game(world);
				const taker = new Game(world, {}, { skew: 7200 });
				holder.load();
				for (let i = 0; i < 5; i++) same(errorOf(taker.tryLoad()).type, "profile_locked", "the error");
				same(writesOf(world, "CKClock"), 1, "clock writes");
				same(writesOf(world), 1, "writes of the record");
			});
		});

		it("a clock write that fails takes nothing, and is made again", () => {
			simulate({}, (world) => {
				const holder = new Game(world);
				const taker = new Game(world);
				holder.load();
				holder.server.crash();
				world.wait(STALE_SECONDS + 5);
				breakUpdates(world, { key: "CKClock", effect: "failBefore", count: 2 });
				same(errorOf(taker.tryLoad()).type, "profile_locked", "the error of a load that does not wait");
				const since = world.now();
				taker.load(KEY, { waitForLock: true });
				check(world.now() - since < 3, "a load that waits did not ask again");
			});
		});

		it("the TTL and skew options count", () => {
			simulate({}, (world) => {
				const options = { lockTtlSeconds: 20, lockSkewSeconds: 5 };
				const holder = new Game(world, options);
				const taker = new Game(world, options);
				holder.load();
				const since = world.now();
				holder.server.crash();
				near(secondsUntilTaken(world, taker, since), 25, 1.5, "the wait");
			});
		});

		it("I2: an idle but living server keeps its lock for an hour, against one that asks all the time", () => {
			simulate({}, (world) => {
				const holder = new Game(world, {}, { skew: -3600 });
				const taker = new Game(world, {}, { skew: 3600 });
				const profile = holder.load();
				for (let i = 0; i < 180; i++) {
					world.wait(20);
					if (i % 20 === 0) holder.server.stepClock(i % 40 === 0 ? 900 : -900);
					same(errorOf(taker.tryLoad()).type, "profile_locked", "the error");
				}
				check(profile.active, "the profile was lost");
				holder.earn(profile, 1).unwrap();
				holder.release(profile).unwrap();
				same(taker.load().data.coins, 1, "what is loaded then");
			});
		});

		it("a backend without store time goes by Time, with the skew allowance", () => {
			simulate({}, (world) => {
				const shared = new MemoryRecords();
				const holder = new Game(world, { backend: memoryBackend(shared) });
				const taker = new Game(world, { backend: memoryBackend(shared) }, { skew: -30 });
				holder.load();
				const since = world.now();
				holder.server.crash();
				near(secondsUntilTaken(world, taker, since), STALE_SECONDS + 30, 1.5, "the wait");
			});
		});
	});

	describe("protocol 1.4: no orphan locks", () => {
		/** An acquire that lands when its load has been given up, the key was in use elsewhere, and is free again. */
		function leaveOrphan(world: World, play: Game): void {
			breakUpdates(world, {
				key: KEY,
				server: play.server,
				effect: "landLate",
				seconds: 40,
				durableOnly: true,
				nth: 1,
				count: 1,
			});
			breakUpdates(world, { key: KEY, server: play.server, effect: "failBefore", nth: 2, count: 100 });
		}

		it("a late acquire on a key that was given up finds the fence, also where nothing was stored", () => {
			for (const exists of [false, true]) {
				for (const seconds of [1, 10, 20, 40]) {
					simulate({}, (world) => {
						const play = new Game(world, { lockWaitSeconds: 3 });
						const other = new Game(world);
						if (exists) other.release(other.load()).unwrap();
						breakUpdates(world, {
							key: KEY,
							server: play.server,
							effect: "landLate",
							seconds,
							durableOnly: true,
							count: 1,
						});
						const outage = breakUpdates(world, {
							key: KEY,
							server: play.server,
							effect: "failBefore",
							nth: 2,
						});
						same(errorOf(play.tryLoad()).type, "roblox", "the error");
						outage.remove();
						world.wait(60);
						check(!isLocked(world), `a lock was left (${exists}, ${seconds} s)`);
						same(other.load().data.coins, 0, "what the next server loads");
					});
				}
			}
		});

		it("this server's own load takes it in place", () => {
			simulate({}, (world) => {
				const play = new Game(world, { lockWaitSeconds: 3 });
				const other = new Game(world);
				leaveOrphan(world, play);
				same(errorOf(play.tryLoad()).type, "roblox", "the error");
				world.faults.clear();
				world.wait(5);
				const profile = other.load();
				other.earn(profile, 4).unwrap();
				other.release(profile).unwrap();
				world.wait(60);
				same(stored(world)!.Lock?.JobId, play.server.jobId, "the orphan's JobId");
				same(errorOf(other.tryLoad()).type, "profile_locked", "another server");
				const since = world.now();
				const mine = play.load();
				check(world.now() - since < 0.5, "taking it took long");
				same(mine.data.coins, 4, "coins");
				play.release(mine).unwrap();
				check(!isLocked(world), "a lock was left");
			});
		});

		it("a load that is refused clears it: outdated, and with a trade that is not finished", () => {
			for (const why of ["outdated", "recovery_failed"] as const) {
				simulate({}, (world) => {
					const play = new Game(world);
					const record: StoredRecord = {
						Data: { coins: 9 },
						Lock: { JobId: play.server.jobId, Token: "orphan", Turn: 4, Seq: 0, Time: world.cloudTime() },
						Meta: {
							Turn: 4,
							Migrations: why === "outdated" ? ["later"] : [],
							PendingTransaction: why === "outdated" ? undefined : { Key: "CKTxn_1", Token: "t" },
						},
					};
					world.store(STORE).set(KEY, record);
					same(errorOf(play.tryLoad()).type, why, "the error");
					world.wait(5);
					check(!isLocked(world), `${why}: the orphan was left`);
					same(storedCoins(world), 9, "coins");
					same(
						stored(world)!.Meta.PendingTransaction?.Token,
						why === "outdated" ? undefined : "t",
						"the pointer",
					);
				});
			}
		});

		it("an acquire that landed late under a living session of its own server changes nothing", () => {
			simulate({}, (world) => {
				const play = new Game(world, { lockWaitSeconds: 3 });
				leaveOrphan(world, play);
				same(errorOf(play.tryLoad()).type, "roblox", "the error");
				world.faults.clear();
				world.wait(5);
				const watch = watchOrder(world);
				const profile = play.load();
				const token = stored(world)!.Lock!.Token;
				world.wait(50);
				same(stored(world)!.Lock!.Token, token, "the token");
				play.earn(profile, 1).unwrap();
				play.save(profile).unwrap();
				expectOrder(watch);
			});
		});
	});

	describe("scenarios 1, 2, 11 and 16, as far as locks go by age", () => {
		/** Wall clocks that agree, and scenario 9: an hour apart either way, stepping in mid-session (I16). */
		const CLOCKS = [
			["", 0, 0],
			[", S1 an hour ahead and S2 an hour behind, both stepping (scenario 9)", 3600, -3600],
			[", S1 an hour behind and S2 an hour ahead, both stepping (scenario 9)", -3600, 3600],
		] as const;

		function stepClocks(first: Game, second: Game, skew: number): void {
			if (skew === 0) return;
			first.server.stepClock(-2 * skew);
			second.server.stepClock(2 * skew);
		}

		for (const [clocks, firstSkew, secondSkew] of CLOCKS) {
			for (const by of ["age", "silence"] as const) {
				it(`scenario 1: S1 pauses, S2 takes over by ${by}, S1 resumes and saves: nothing changes, S1 ends that session (I1, I3)${clocks}`, () => {
					simulate({}, (world) => {
						const options = { handoff: by === "silence" };
						const first = new Game(world, options, { skew: firstSkew }).attach();
						const second = new Game(world, options, { skew: secondSkew }).attach();
						const { profile } = first.join();
						first.earn(profile, 1).unwrap();
						world.wait(30);
						first.save(profile).unwrap();
						first.earn(profile, 100).unwrap();
						stepClocks(first, second, firstSkew);
						first.server.pause();
						world.wait(by === "age" ? STALE_SECONDS + 5 : 45);
						const theirs = second.load(KEY, { waitForLock: true });
						same(theirs.data.coins, 1, "what S2 loads: the last acknowledged save");
						second.earn(theirs, 5).unwrap();
						second.save(theirs).unwrap();
						first.server.resume();
						world.wait(70);
						check(!profile.active, "S1 still acts on it");
						same(first.server.kicks.size(), 1, "kicks");
						same(storedCoins(world), 6, "stored");
						check(theirs.active, "S2 lost it");
					});
				});
			}
		}

		for (const how of ["paused", "crashed", "partitioned"] as const) {
			for (const [clocks, firstSkew, secondSkew] of CLOCKS) {
				it(`scenario 2: a save is in flight when S1 is ${how}, and lands after S2's takeover: refused (I1)${clocks}`, () => {
					simulate({}, (world) => {
						const first = new Game(world, {}, { skew: firstSkew });
						const second = new Game(world, {}, { skew: secondSkew });
						const profile = first.load();
						first.earn(profile, 1).unwrap();
						first.save(profile).unwrap();
						first.earn(profile, 100).unwrap();
						const watch = watchOrder(world);
						breakUpdates(world, {
							key: KEY,
							server: first.server,
							effect: "landLate",
							seconds: 300,
							durableOnly: true,
							count: 1,
						});
						first.start(() => profile.save());
						world.wait(0.2);
						stepClocks(first, second, firstSkew);
						if (how === "paused") first.server.pause();
						if (how === "crashed") first.server.crash();
						if (how === "partitioned") first.server.partition();
						world.wait(STALE_SECONDS + 5);
						const theirs = second.load();
						same(theirs.data.coins, 1, "what S2 loads");
						second.earn(theirs, 5).unwrap();
						second.save(theirs).unwrap();
						world.wait(60);
						if (how === "paused") first.server.resume();
						if (how === "partitioned") first.server.heal();
						world.wait(100);
						same(storedCoins(world), 6, "stored");
						check(theirs.active, "S2 lost it");
						if (how !== "crashed") check(!profile.active, "S1 still acts on it");
						expectOrder(watch);
					});
				});
			}
		}

		it("scenario 5 without handoff: a living server whose writes fail for 3 minutes keeps its lock and loses nothing", () => {
			simulate({}, (world) => {
				const first = new Game(world);
				const second = new Game(world);
				const profile = first.load();
				first.earn(profile, 1).unwrap();
				breakUpdates(world, { key: KEY, server: first.server, effect: "failBefore" });
				first.start(() => profile.save());
				for (let i = 0; i < 18; i++) {
					same(errorOf(second.tryLoad()).type, "profile_locked", "the error");
					world.wait(10);
				}
				world.faults.clear();
				world.wait(31);
				same(storedCoins(world), 1, "stored");
				check(profile.active, "the lock was lost");
			});
		});

		for (const why of ["check", "migration", "player gone"] as const) {
			for (const trouble of [undefined, "failBefore", "loseAnswer"] as const) {
				it(`scenario 11: a load that fails after it wrote the lock (${why}, ${trouble ?? "no fault"}) leaves none`, () => {
					simulate({}, (world) => {
						const second = new Game(world);
						second.release(second.load()).unwrap();
						world.wait(1);
						const before = second.server.run(() => second.driver.peek(KEY)).unwrap();
						const first = new Game(world, {
							check: why === "check" ? (value) => (value as { coins: number }).coins > 3 : undefined,
							defaults: { coins: 4 },
							migrations: why === "migration" ? [{ name: "bad", migrate: () => error("no") }] : undefined,
						}).attach();
						if (trouble !== undefined) {
							breakUpdates(world, { server: first.server, key: KEY, effect: trouble, nth: 2, count: 6 });
						}
						const since = world.now();
						const player = first.server.join(USER);
						if (why === "player gone") {
							world.wait(0.01);
							first.server.leave(player);
						}
						world.wait(trouble === undefined ? 1 : 80);
						check(!isLocked(world), "a lock was left");
						same(storedCoins(world), before!.coins, "the data");
						same(stored(world)!.Meta.Migrations.size(), 0, "migrations");
						check(updatesOf(world, KEY, since).size() >= 2, "the lock was not taken at all");
						second.load();
					});
				});
			}
		}

		it("scenario 16: the load of a player who left lasts; its lock is not left behind, and the next server gets in", () => {
			simulate({}, (world) => {
				const first = new Game(world).attach();
				const second = new Game(world);
				breakUpdates(world, { server: first.server, effect: "delay", stage: "respond", seconds: 8, count: 1 });
				const player = first.server.join(USER);
				world.wait(1);
				first.server.leave(player);
				check(isLocked(world), "the acquire has not landed");
				const profile = second.load(KEY, { waitForLock: true });
				near(world.now(), 9.5, 2, "when S2 got in");
				second.earn(profile, 1).unwrap();
				second.save(profile).unwrap();
				same(first.server.kicks.size(), 0, "kicks");
				check(profile.active, "S2 lost it");
			});
		});
	});

	describe("invariants I1 to I5: crashes at every write", () => {
		for (const effect of ["crashBefore", "crashAfter"] as const) {
			for (let nth = 1; nth <= 5; nth++) {
				it(`S1 dies (${effect}) at its write ${nth}: what was acknowledged is there when the lock has gone by age`, () => {
					simulate({}, (world) => {
						const first = new Game(world);
						const second = new Game(world);
						let acknowledged = 0;
						let asked = 0;
						breakUpdates(world, { key: KEY, server: first.server, effect, nth, durableOnly: true });
						const watch = watchOrder(world);
						first.server.spawn(() => {
							const profile = first.driver.load(KEY).unwrap();
							for (let i = 1; i <= 3; i++) {
								profile.update((data) => ({ ...data, coins: data.coins + 1 })).unwrap();
								asked = i;
								if (profile.save().success) acknowledged = i;
							}
							profile.release();
						});
						world.wait(10);
						check(!first.server.alive, "S1 lives");
						const since = world.now();
						const wait = secondsUntilTaken(world, second, since);
						check(wait < STALE_SECONDS + 1.5, `the wait was ${wait} s`);
						const coins = storedCoins(world)!;
						check(
							coins >= acknowledged && coins <= asked,
							`${coins} coins, of ${acknowledged} to ${asked}`,
						);
						expectOrder(watch);
					});
				});
			}
		}
	});
};
