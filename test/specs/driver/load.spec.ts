import { TraceCall } from "../../cloud/trace";
import { World } from "../../cloud/world";
import { Profile } from "../../../src/driver/profile";
import { LoadOptions } from "../../../src/driver/options";
import { Result } from "../../../src/result";
import { Coins, expectText, failureOf, lockedRecord, play, PlayerGame, recordOf, STORE, thrownBy } from "./playerGame";

const KEY = "Player_7";

function load(lobby: PlayerGame, key: string, options?: LoadOptions): Result<Profile<Coins>> {
	return lobby.server.run(() => lobby.driver.load(key, options));
}

/** The calls about the key, in order. */
function updates(world: World, key = KEY): Array<TraceCall> {
	return world.trace.select({ op: "UpdateAsync", key });
}

/** Seconds from each call's answer to the next call. */
function pauses(calls: ReadonlyArray<TraceCall>): Array<number> {
	const found = new Array<number>();
	for (let index = 1; index < calls.size(); index++) found.push(calls[index].at - calls[index - 1].answeredAt!);
	return found;
}

function near(value: number, expected: number, by = 0.05): void {
	if (math.abs(value - expected) > by) error(`${value} is not near ${expected}`, 2);
}

export = () => {
	describe("a player's load waits on another server's lock", () => {
		it("tries after 0.5, 1, 2, 2 … s within one deadline of lockWaitSeconds, then fails closed, the record untouched", () => {
			play((lobby, world) => {
				// From now on this server knows the store's time; without it, the first try is followed by a look at it.
				lobby.join(8);
				world.store(STORE).set(KEY, lockedRecord(3));
				const version = world.store(STORE).info(KEY)!.version;
				const since = world.now();
				const cause = failureOf(lobby.wait(lobby.server.join(7)));
				near(world.now() - since, 15, 0.3);
				expect(cause.type).to.equal("profile_locked");
				expect(cause.holder?.jobId).to.equal("elsewhere");
				expect(cause.holder?.token).to.equal("foreign-token");
				const waits = pauses(updates(world));
				near(waits[0], 0.5);
				near(waits[1], 1);
				for (let index = 2; index < waits.size() - 1; index++) near(waits[index], 2);
				expect(waits[waits.size() - 1] < 2.05).to.equal(true);
				expect(world.store(STORE).info(KEY)!.version).to.equal(version);
			});
		});

		for (const freedAfter of [0.2, 3, 9, 14.5]) {
			it(`joins within 2 s of the lock's release ${freedAfter} s later, with what the holder stored`, () => {
				play((lobby, world) => {
					world.store(STORE).set(KEY, lockedRecord(3));
					world.after(freedAfter, () => world.store(STORE).set(KEY, recordOf(8)));
					const since = world.now();
					const { profile } = lobby.join(7);
					expect(profile.data.coins).to.equal(8);
					expect(world.now() - since <= freedAfter + 2.2).to.equal(true);
					expect(lobby.record(KEY)?.Meta.Turn).to.equal(2);
				});
			});
		}

		it("lockWaitSeconds 0: one try, once the server knows the store's time", () => {
			play(
				(lobby, world) => {
					lobby.join(8);
					world.store(STORE).set(KEY, lockedRecord(3));
					expect(failureOf(lobby.wait(lobby.server.join(7))).type).to.equal("profile_locked");
					expect(updates(world).size()).to.equal(1);
				},
				{ driver: { lockWaitSeconds: 0 } },
			);
		});

		it("rule 2.4: one deadline bounds all waits of a join: this server's own release first, then another's lock", () => {
			play((lobby, world) => {
				const { player } = lobby.join(7);
				const slow = world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "delay", seconds: 9 });
				lobby.server.leave(player);
				const since = world.now();
				const back = lobby.server.join(7);
				world.wait(1);
				slow.remove();
				world.waitUntil(() => lobby.record(KEY)?.Lock === undefined);
				world.store(STORE).set(KEY, lockedRecord(3));
				expect(failureOf(lobby.wait(back)).type).to.equal("profile_locked");
				near(world.now() - since, 15, 0.4);
			});
		});

		it("prior fault: no artificial delays: leave here, join there, in the time of two store calls", () => {
			play((lobby, world) => {
				const other = new PlayerGame(world);
				const { player } = lobby.join(7);
				lobby.server.leave(player);
				lobby.waitUntilFree(KEY);
				const since = world.now();
				other.join(7);
				expect(world.now() - since < 0.15).to.equal(true);
			});
		});
	});

	describe("rule 2.4: any other load answers profile_locked at once", () => {
		it("after one call, the record untouched; so does restoreAt", () => {
			play((lobby, world) => {
				lobby.join(8);
				world.store(STORE).set(KEY, lockedRecord(3));
				const version = world.store(STORE).info(KEY)!.version;
				const since = world.now();
				const cause = failureOf(load(lobby, KEY));
				expect(cause.type).to.equal("profile_locked");
				expect(cause.holder?.jobId).to.equal("elsewhere");
				expect(updates(world).size()).to.equal(1);
				world.wait(5);
				const earlier = world.cloudTime() - 1;
				expect(failureOf(lobby.server.run(() => lobby.driver.restoreAt(KEY, earlier))).type).to.equal(
					"profile_locked",
				);
				expect(world.now() - since < 6).to.equal(true);
				expect(world.store(STORE).info(KEY)!.version).to.equal(version);
			});
		});

		it("unless its options say to wait, by the same deadline", () => {
			play((lobby, world) => {
				world.store(STORE).set(KEY, lockedRecord(3));
				const since = world.now();
				expect(failureOf(load(lobby, KEY, { waitForLock: true })).type).to.equal("profile_locked");
				near(world.now() - since, 15, 0.3);
				world.after(3, () => world.store(STORE).set(KEY, recordOf(8)));
				expect(load(lobby, KEY, { waitForLock: true }).unwrap().data.coins).to.equal(8);
			});
		});

		it("option names and types of a load are refused, with nothing read", () => {
			play((lobby, world) => {
				const wrong: Array<[object, string]> = [
					[{ waitForlock: true }, "waitForlock"],
					[{ waitForLock: 1 }, "waitForLock"],
					[{ handoffSeconds: "1" }, "handoffSeconds"],
					[{ handoffSeconds: -1 }, "handoffSeconds"],
					[{ userIds: 7 }, "userIds"],
					[{ userIds: [1.5] }, "userIds"],
					[{ userIds: [1, 2, 3, 4, 5] }, "userIds"],
					[{ userIds: { owner: 7 } }, "userIds"],
				];
				for (const [options, named] of wrong) {
					expectText(
						thrownBy(() => load(lobby, "k", options)),
						named,
					);
				}
				expect(world.trace.count({ service: "DataStore" })).to.equal(0);
			});
		});
	});

	describe("rule 2.5: a key that is open here answers already_loaded", () => {
		it("an open one, one being loaded, one being released; driver.get has the open one; nothing is sent", () => {
			play((lobby, world) => {
				const profile = load(lobby, "k").unwrap();
				expect(lobby.driver.get("k")).to.equal(profile);
				const cause = failureOf(load(lobby, "k"));
				expect(cause.type).to.equal("already_loaded");
				expectText(cause.message, "k", STORE, "driver.get");
				const slow = world.faults.add({ service: "DataStore", effect: "delay", seconds: 2 });
				lobby.server.spawn(() => lobby.driver.load("l"));
				expect(failureOf(load(lobby, "l")).type).to.equal("already_loaded");
				expect(lobby.driver.get("l")).to.equal(undefined);
				lobby.server.spawn(() => profile.release());
				expect(failureOf(load(lobby, "k")).type).to.equal("already_loaded");
				expect(lobby.driver.get("k")).to.equal(undefined);
				slow.remove();
				expect(updates(world, "k").size()).to.equal(2);
			});
		});

		it("handoffSeconds waits for this server's release and load; localHandoffSeconds is its default", () => {
			for (const byOption of [true, false]) {
				play(
					(lobby, world) => {
						const options = byOption ? { handoffSeconds: 5 } : undefined;
						const profile = load(lobby, "k").unwrap();
						lobby.set(profile, 4);
						const slow = world.faults.add({ service: "DataStore", effect: "delay", seconds: 2 });
						lobby.server.spawn(() => profile.release());
						slow.remove();
						const again = load(lobby, "k", options).unwrap();
						expect(again.data.coins).to.equal(4);
						// An open one is never waited for.
						const since = world.now();
						expect(failureOf(load(lobby, "k", options)).type).to.equal("already_loaded");
						expect(world.now()).to.equal(since);
					},
					{ driver: byOption ? {} : { localHandoffSeconds: 5 } },
				);
			}
		});

		it("a wait that ends without the key answers already_loaded on time", () => {
			play((lobby, world) => {
				const profile = load(lobby, "k").unwrap();
				world.faults.add({ service: "DataStore", effect: "delay", seconds: 9 });
				lobby.server.spawn(() => profile.release());
				const since = world.now();
				expect(failureOf(load(lobby, "k", { handoffSeconds: 3 })).type).to.equal("already_loaded");
				near(world.now() - since, 3);
			});
		});

		it("ten loads of one key at once: one gets it, the others are told, and none hangs", () => {
			play((lobby, world) => {
				const answers = new Array<string>();
				for (let index = 0; index < 10; index++) {
					lobby.server.spawn(() => {
						const loaded = lobby.driver.load("k", { handoffSeconds: index % 2 === 0 ? 3 : 0 });
						answers.push(loaded.success ? "in" : loaded.error.type);
					});
				}
				world.wait(5);
				expect(answers.size()).to.equal(10);
				expect(answers.filter((answer) => answer === "in").size()).to.equal(1);
				expect(answers.filter((answer) => answer === "already_loaded").size()).to.equal(9);
				expect(world.trace.durableWrites({ key: "k" })).to.equal(1);
			});
		});
	});

	describe("a load on a failing store", () => {
		it("is tried again within the deadline", () => {
			for (const effect of ["failBefore", "throttle", "loseAnswer"] as const) {
				play((lobby, world) => {
					world.store(STORE).set(KEY, recordOf(3));
					const outage = world.faults.add({ service: "DataStore", effect });
					world.after(5, () => outage.remove());
					const { profile, player } = lobby.join(7);
					expect(profile.data.coins).to.equal(3);
					lobby.set(profile, 4);
					lobby.server.leave(player);
					lobby.waitUntilFree(KEY);
					expect(lobby.coins(KEY)).to.equal(4);
				});
			}
		});

		it("answers roblox, retryable, at the deadline; the player is kicked, and no lock is left (rule 2.1)", () => {
			for (const effect of ["failBefore", "loseAnswer", "landLate"] as const) {
				play((lobby, world) => {
					world.store(STORE).set(KEY, recordOf(3));
					const outage = world.faults.add({ service: "DataStore", effect });
					const since = world.now();
					const cause = failureOf(lobby.wait(lobby.server.join(7)));
					expect(cause.type).to.equal("roblox");
					expect(cause.retryable).to.equal(true);
					expectText(cause.message, KEY, STORE);
					near(world.now() - since, 15, 0.4);
					world.wait(3);
					expect(lobby.server.kicks.size()).to.equal(1);
					outage.remove();
					// The give-back is on its ladder, or at its slow rate.
					world.wait(60);
					expect(lobby.record(KEY)?.Lock).to.equal(undefined);
					expect(lobby.coins(KEY)).to.equal(3);
				});
			}
		});

		it("a store that never answers: the join still ends about the deadline, and shutdown is not held up", () => {
			play((lobby, world) => {
				world.faults.add({ service: "DataStore", key: KEY, effect: "hang" });
				const since = world.now();
				expect(failureOf(lobby.wait(lobby.server.join(7))).type).to.equal("roblox");
				expect(world.now() - since < 21).to.equal(true);
			});
		});

		it("an error that retrying cannot mend answers at once", () => {
			for (const message of [
				"104: Cannot store Array in data store. Data stores can only accept valid UTF-8 characters.",
				"DataStoreService: DatastoreDeleted: The data store was deleted. API: UpdateAsync, Data Store: PlayerData",
			]) {
				play((lobby, world) => {
					world.faults.add({ service: "DataStore", effect: "failBefore", message });
					const cause = failureOf(load(lobby, "k"));
					expect(cause.type).to.equal("roblox");
					expect(cause.retryable).to.equal(false);
					expect(updates(world, "k").size()).to.equal(1);
				});
			}
		});

		it("scenario 11: a load that failed after it took the lock gives it back, however often that fails", () => {
			play(
				(lobby, world) => {
					world.store(STORE).set(KEY, recordOf(-3));
					const outage = world.faults.add({ service: "DataStore", nth: 2, effect: "failBefore" });
					expect(failureOf(load(lobby, KEY)).type).to.equal("invalid_data");
					world.wait(40);
					expect(lobby.record(KEY)?.Lock).to.be.ok();
					expect(lobby.server.warnings.size()).to.equal(1);
					expectText(lobby.server.warnings[0], KEY, STORE, "given back");
					outage.remove();
					lobby.waitUntilFree(KEY, 31);
					expect(lobby.coins(KEY)).to.equal(-3);
				},
				{ driver: { check: (value) => (value as Coins).coins >= 0 } },
			);
		});

		it("rule 1.4: a rejoin during such a give-back takes the orphan in place, and the late give-back ends nothing", () => {
			play((lobby, world) => {
				const late = world.faults.add({ service: "DataStore", effect: "loseAnswer" });
				const first = lobby.server.join(7);
				world.wait(0.3);
				lobby.server.leave(first);
				late.remove();
				const outage = world.faults.add({ service: "DataStore", count: 1, effect: "landLate", seconds: 6 });
				world.wait(0.1);
				const { profile } = lobby.join(7);
				outage.remove();
				world.wait(20);
				lobby.set(profile, 5);
				expect(lobby.server.run(() => profile.save()).success).to.equal(true);
				expect(lobby.coins(KEY)).to.equal(5);
			});
		});
	});

	describe("bad keys are refused before anything is read or written", () => {
		for (const [what, key] of [
			["an empty one", ""],
			["51 bytes", string.rep("k", 51)],
			["over 50 bytes in fewer characters", string.rep("é", 26)],
			["invalid UTF-8", "a\xff"],
			["a trade's journal", "CKTxn_abc"],
			["the clock's", "CKClock"],
			["no string", 7 as unknown as string],
		] as ReadonlyArray<[string, string]>) {
			it(`${what}: invalid_key, by load, peek, listVersions and restoreAt`, () => {
				play((lobby, world) => {
					const answers = lobby.server.run(() => [
						lobby.driver.load(key),
						lobby.driver.peek(key),
						lobby.driver.listVersions(key),
						lobby.driver.restoreAt(key, 1767225630),
					]);
					for (const answer of answers) {
						const cause = failureOf(answer);
						expect(cause.type).to.equal("invalid_key");
						expectText(cause.message, STORE);
					}
					expect(world.trace.count({ service: "DataStore" })).to.equal(0);
				});
			});
		}

		it("50 bytes are fine", () => {
			play((lobby) => {
				expect(load(lobby, string.rep("k", 50)).success).to.equal(true);
			});
		});
	});

	describe("a driver that closes while it loads", () => {
		it("the load answers profile_closed, the lock is given back before close returns, later loads answer so too", () => {
			play((lobby, world) => {
				const slow = world.faults.add({ service: "DataStore", effect: "delay", seconds: 2 });
				let answer: Result<Profile<Coins>> | undefined;
				lobby.server.spawn(() => {
					answer = lobby.driver.load("k");
				});
				slow.remove();
				expect(lobby.server.run(() => lobby.driver.close()).success).to.equal(true);
				expect(failureOf(answer!).type).to.equal("profile_closed");
				expect(lobby.record("k")?.Lock).to.equal(undefined);
				const calls = world.trace.count({ service: "DataStore" });
				expect(failureOf(load(lobby, "l")).type).to.equal("profile_closed");
				expect(world.trace.count({ service: "DataStore" })).to.equal(calls);
			});
		});
	});
};
