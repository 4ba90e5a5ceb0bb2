import { DataDriver } from "../../../src/driver/dataDriver";
import { memoryBackend } from "../../../src/backend/memory";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { driverOn, loadOn, NAME, record, storedRecord, textOf } from "./drivers";
import { expectText, failureOf, thrownBy } from "./playerGame";

interface Bag {
	readonly coins: number;
	readonly gems?: number;
}

interface Scene {
	readonly world: World;
	readonly server: Server;
	readonly driver: DataDriver<Bag>;
}

function scene(body: (scene: Scene) => void): void {
	simulate({ seed: 1 }, (world) => {
		const server = world.startServer();
		body({ world, server, driver: driverOn<Bag>(server, { defaults: { coins: 0 } }) });
	});
}

/** Stores a value; returns its time on the store's clock. */
function put({ world }: Scene, value: unknown): number {
	world.store(NAME).set("k", value, { userIds: [1], metadata: { team: "red" } });
	return world.cloudTime();
}

const FOREIGN = { JobId: "elsewhere", Token: "t", Turn: 1, Seq: 0, Time: 0 };

export = () => {
	describe("prior fault: opening an absent player's data for support kicked that player; peek takes nothing", () => {
		it("reads the stored data of a profile that another server has open; no write, no lock, no kick", () => {
			scene(({ world, server, driver }) => {
				const other = world.startServer();
				const holder = driverOn<Bag>(other, { defaults: { coins: 0 } });
				other.run(() => holder.attach());
				const player = other.join(7);
				const profile = other.run(() => holder.waitForProfile(player)).unwrap();
				other.run(() => profile.update(() => ({ coins: 5 }))).unwrap();
				other.run(() => profile.save()).unwrap();
				const lock = textOf(storedRecord(world, "Player_7")!.Lock);
				expect(server.run(() => driver.peek("Player_7")).unwrap()!.coins).to.equal(5);
				world.wait(5);
				expect(textOf(storedRecord(world, "Player_7")!.Lock)).to.equal(lock);
				expect(profile.active).to.equal(true);
				expect(other.kicks.size()).to.equal(0);
				expect(world.trace.count({ server, op: "UpdateAsync" })).to.equal(0);
				expect(other.run(() => profile.save()).success).to.equal(true);
			});
		});

		it("is uncached: a second peek within the cache's 4 s sees another server's write", () => {
			scene((now) => {
				put(now, record({ coins: 1 }));
				const { server, driver } = now;
				expect(server.run(() => driver.peek("k")).unwrap()!.coins).to.equal(1);
				put(now, record({ coins: 2 }));
				expect(server.run(() => driver.peek("k")).unwrap()!.coins).to.equal(2);
			});
		});

		it("nothing stored: undefined, and no record is made", () => {
			scene(({ world, server, driver }) => {
				expect(server.run(() => driver.peek("k")).unwrap()).to.equal(undefined);
				expect(storedRecord(world, "k")).to.equal(undefined);
			});
		});

		it("migrates, fills and freezes in memory only", () => {
			scene((now) => {
				const { world, server } = now;
				const driver = driverOn<Bag>(server, {
					name: "Second",
					defaults: { coins: 0, gems: 4 },
					migrations: [{ name: "twice", migrate: (data) => ({ coins: (data as Bag).coins * 2 }) }],
				});
				world.store("Second").set("k", record({ coins: 3 }));
				const version = world.store("Second").info("k")!.version;
				const seen = server.run(() => driver.peek("k")).unwrap()!;
				expect(seen.coins).to.equal(6);
				expect(seen.gems).to.equal(4);
				expect(table.isfrozen(seen)).to.equal(true);
				expect(world.store("Second").info("k")!.version).to.equal(version);
			});
		});

		it("of a profile that is open here it shows what is stored", () => {
			scene(({ server, driver }) => {
				const profile = loadOn(server, driver, "k").unwrap();
				server.run(() => profile.update(() => ({ coins: 5 }))).unwrap();
				expect(server.run(() => driver.peek("k")).unwrap()!.coins).to.equal(0);
				server.run(() => profile.save()).unwrap();
				expect(server.run(() => driver.peek("k")).unwrap()!.coins).to.equal(5);
			});
		});

		it("an undecided trade or transaction is told, a failing store is told, and nothing is written", () => {
			scene((now) => {
				const { world, server, driver } = now;
				const pointer = { Turn: 1, Migrations: [], PendingTransaction: { Key: "CKTxn_1", Token: "x" } };
				put(now, { Data: { coins: 1 }, Meta: pointer });
				expect(failureOf(server.run(() => driver.peek("k"))).type).to.equal("unresolved_transaction");
				world.faults.add({ service: "DataStore", effect: "failBefore" });
				expect(failureOf(server.run(() => driver.peek("k"))).type).to.equal("roblox");
				expect(world.trace.durableWrites()).to.equal(0);
			});
		});

		it("works after close", () => {
			scene((now) => {
				put(now, record({ coins: 1 }));
				now.server.run(() => now.driver.close()).unwrap();
				expect(now.server.run(() => now.driver.peek("k")).unwrap()!.coins).to.equal(1);
			});
		});
	});

	describe("listVersions and restoreAt", () => {
		it("lists the versions, newest first, at most so many, with times in seconds", () => {
			scene((now) => {
				const { world, server, driver } = now;
				const times = [0, 1, 2].map((hour) => {
					if (hour > 0) world.wait(3600);
					return put(now, record({ coins: hour }));
				});
				const versions = server.run(() => driver.listVersions("k")).unwrap();
				expect(versions.size()).to.equal(3);
				for (let index = 0; index < 3; index++) {
					expect(math.abs(versions[index].createdTime - times[2 - index]) < 2).to.equal(true);
					expect(versions[index].deleted).to.equal(false);
				}
				expect(
					server
						.run(() => driver.listVersions("k", 2))
						.unwrap()
						.size(),
				).to.equal(2);
				expect(
					server
						.run(() => driver.listVersions("none"))
						.unwrap()
						.size(),
				).to.equal(0);
			});
		});

		it("bad input is refused before anything is asked: no moment, no number of versions", () => {
			scene((now) => {
				const { world, server, driver } = now;
				const since = world.now();
				for (const moment of [0 / 0, math.huge, -1, "yesterday" as never]) {
					expectText(
						thrownBy(() => server.run(() => driver.restoreAt("k", moment))),
						"driver.restoreAt takes a moment in Unix seconds",
					);
				}
				for (const limit of [0, 1.5, 0 / 0, "all" as never]) {
					expectText(
						thrownBy(() => server.run(() => driver.listVersions("k", limit))),
						"driver.listVersions takes a limit of 1 or more",
					);
				}
				expect(world.now()).to.equal(since);
			});
		});

		it("rule 7.3: restoreAt takes only the data; lock, lanes, ids and counters stay current", () => {
			scene((now) => {
				const { world, server, driver } = now;
				const oldMeta = { Turn: 3, Migrations: [], TransactionIds: ["old"], Flushed: { a: 1 }, FlushFloor: 0 };
				const time = put(now, { Data: { coins: 1 }, Meta: oldMeta });
				world.wait(3700);
				const meta = {
					Turn: 9,
					Migrations: [],
					TransactionIds: ["old", "new"],
					Flushed: { a: 7 },
					FlushFloor: 2,
				};
				put(now, { Data: { coins: 50 }, Meta: meta });
				const restored = server.run(() => driver.restoreAt("k", time + 60)).unwrap();
				expect(restored.coins).to.equal(1);
				const after = storedRecord(world, "k")!;
				expect((after.Data as Bag).coins).to.equal(1);
				expect(after.Lock).to.equal(undefined);
				expect(after.Meta.Turn).to.equal(10);
				expect(textOf(after.Meta.TransactionIds)).to.equal(textOf(["old", "new"]));
				expect(textOf(after.Meta.Flushed)).to.equal(textOf({ a: 7 }));
				expect(after.Meta.FlushFloor).to.equal(2);
				expect(world.store(NAME).info("k")!.userIds[0]).to.equal(1);
				expect(driver.get("k")).to.equal(undefined);
				expect(world.trace.durableWrites({ server })).to.equal(2);
			});
		});

		it("rule 7.3: what a trade was about to do at that time does not come back, nor stand in the way", () => {
			for (const odd of [
				{ Meta: { Turn: 3, Migrations: [], PendingTransaction: { Key: "CKTxn_1", Token: "x" } } },
				{ Meta: { Turn: 3, Migrations: [] }, Pending: { Id: "t", Data: {}, Migrations: [], JobId: "j" } },
				{ Meta: { Turn: 3, Migrations: [] }, Lock: { ...FOREIGN, Turn: 3 } },
			]) {
				scene((now) => {
					const { world, server, driver } = now;
					const time = put(now, { Data: { coins: 1 }, ...odd });
					world.wait(3700);
					put(now, record({ coins: 50 }, [], 4));
					expect(server.run(() => driver.restoreAt("k", time + 60)).unwrap().coins).to.equal(1);
					const after = storedRecord(world, "k")!;
					expect((after.Data as Bag).coins).to.equal(1);
					expect(after.Pending).to.equal(undefined);
					expect(after.Meta.PendingTransaction).to.equal(undefined);
					expect(after.Lock).to.equal(undefined);
				});
			}
		});

		it("data of an older format are migrated, those that fail the check are refused; the record stays", () => {
			scene((now) => {
				const { world, server } = now;
				const driver = driverOn<Bag>(server, {
					name: "Second",
					defaults: { coins: 0 },
					check: (value) => (value as Bag).coins !== 13,
					migrations: [{ name: "twice", migrate: (data) => ({ coins: (data as Bag).coins * 2 }) }],
				});
				const store = world.store("Second");
				store.set("k", record({ coins: 6.5 }));
				world.wait(3700);
				store.set("k", record({ coins: 3 }));
				world.wait(3700);
				store.set("k", record({ coins: 50 }, ["twice"]));
				const version = store.info("k")!.version;
				const latest = world.cloudTime();
				const bad = failureOf(server.run(() => driver.restoreAt("k", latest - 7000)));
				expect(bad.type).to.equal("invalid_data");
				expect(store.info("k")!.version).to.equal(version);
				expect(server.run(() => driver.restoreAt("k", latest - 3000)).unwrap().coins).to.equal(6);
				const after = store.get("k") as { Data: Bag; Meta: { Migrations: Array<string> } };
				expect(after.Data.coins).to.equal(6);
				expect(after.Meta.Migrations[0]).to.equal("twice");
			});
		});

		it("rule 2.4: it steals nothing: locked elsewhere, open here, not there, undecided: told, and nothing changed", () => {
			scene((now) => {
				const { world, server, driver } = now;
				const before = world.cloudTime() - 100;
				const time = put(now, record({ coins: 1 }));
				expect(failureOf(server.run(() => driver.restoreAt("k", before))).type).to.equal("not_found");
				const profile = loadOn(server, driver, "k").unwrap();
				expect(failureOf(server.run(() => driver.restoreAt("k", time + 1))).type).to.equal("already_loaded");
				expect(profile.active).to.equal(true);
				server.run(() => profile.release()).unwrap();
				world.wait(3700);
				for (const [kind, value] of [
					["profile_locked", { ...record({ coins: 2 }), Lock: FOREIGN }],
					[
						"recovery_failed",
						{
							Data: { coins: 2 },
							Meta: { Turn: 1, Migrations: [], PendingTransaction: { Key: "CKTxn_1", Token: "x" } },
						},
					],
				] as const) {
					put(now, value);
					const version = world.store(NAME).info("k")!.version;
					const cause = failureOf(server.run(() => driver.restoreAt("k", time + 60)));
					expect(cause.type).to.equal(kind);
					expect(world.store(NAME).info("k")!.version).to.equal(version);
				}
				world.faults.add({ service: "DataStore", op: "GetVersionAtTimeAsync", effect: "failBefore" });
				expect(failureOf(server.run(() => driver.restoreAt("k", time + 60))).type).to.equal("roblox");
			});
		});

		it("a backend without versions says so", () => {
			scene(({ server }) => {
				const driver = driverOn<Bag>(server, {
					name: "Bare",
					defaults: { coins: 0 },
					backend: (context) => {
						const inner = memoryBackend()(context);
						return {
							name: "Bare",
							hasStoreTime: false,
							update(key, transform) {
								return inner.update(key, transform);
							},
							read(key, fresh) {
								return inner.read(key, fresh);
							},
						};
					},
				});
				expect(loadOn(server, driver, "k").success).to.equal(true);
				const cause = failureOf(server.run(() => driver.listVersions("k")));
				expect(cause.type).to.equal("unsupported");
				expectText(cause.message, "Bare");
				expect(failureOf(server.run(() => driver.restoreAt("k", 5))).type).to.equal("unsupported");
			});
		});
	});

	describe("I13: every wait ends", () => {
		it("a store that never answers a read, or a custom backend that throws: told, and the key is usable after", () => {
			scene(({ world, server }) => {
				let mode = "works";
				const driver = driverOn<Bag>(server, {
					name: "Own",
					defaults: { coins: 0 },
					lockWaitSeconds: 3,
					backend: (context) => {
						const inner = memoryBackend()(context);
						const stumble = () => {
							if (mode === "throws") error("spec: the backend is broken");
							if (mode === "hangs") coroutine.yield();
						};
						return {
							name: "Own",
							hasStoreTime: false,
							update(key, transform) {
								stumble();
								return inner.update(key, transform);
							},
							read(key, fresh) {
								stumble();
								return inner.read(key, fresh);
							},
							readAt(key, unixSeconds) {
								stumble();
								return inner.readAt!(key, unixSeconds);
							},
							listVersions(key, limit) {
								stumble();
								return inner.listVersions!(key, limit);
							},
						};
					},
				});
				for (const how of ["throws", "hangs"]) {
					mode = how;
					const since = world.now();
					const causes = server.run(() => [
						failureOf(driver.peek("k")),
						failureOf(driver.listVersions("k")),
						failureOf(driver.restoreAt("k", 5)),
						failureOf(driver.load("k")),
					]);
					for (const cause of causes) {
						expect(cause.type).to.equal("roblox");
						expect(cause.retryable).to.equal(true);
						expectText(cause.message, "Own", '"k"', how === "throws" ? "is broken" : "was not answered");
					}
					expect(world.now() - since < 110).to.equal(true);
					mode = "works";
					const loaded = loadOn(server, driver, "k", { handoffSeconds: 5 }).unwrap();
					server.run(() => loaded.release()).unwrap();
				}
			});
		});
	});

	describe("saveAll and get", () => {
		it("saves every profile with unsaved changes, all at once, and no other; answers how many", () => {
			scene(({ world, server, driver }) => {
				const profiles = [0, 1, 2, 3, 4, 5, 6, 7].map((index) => loadOn(server, driver, `k${index}`).unwrap());
				for (let index = 0; index < 5; index++) {
					server.run(() => profiles[index].update(() => ({ coins: 5 }))).unwrap();
				}
				const since = world.now();
				expect(server.run(() => driver.saveAll()).unwrap()).to.equal(5);
				expect(world.now() - since < 0.3).to.equal(true);
				expect(world.trace.durableWrites({ since })).to.equal(5);
				expect(server.run(() => driver.saveAll()).unwrap()).to.equal(0);
			});
		});

		it("one that fails does not keep the others from being saved, and is told with its number", () => {
			scene(({ world, server, driver }) => {
				for (const key of ["a", "b", "c"]) {
					const profile = loadOn(server, driver, key).unwrap();
					server.run(() => profile.update(() => ({ coins: 5 }))).unwrap();
				}
				world.faults.add({ service: "DataStore", key: "b", effect: "failBefore" });
				const cause = failureOf(server.run(() => driver.saveAll()));
				expect(cause.type).to.equal("roblox");
				expect(cause.key).to.equal("b");
				expectText(cause.message, "1 of 3", NAME);
				expect((storedRecord(world, "a")!.Data as Bag).coins).to.equal(5);
				expect((storedRecord(world, "c")!.Data as Bag).coins).to.equal(5);
			});
		});

		it("get has the open profile of a key, and nothing for one that is unknown, released or lost", () => {
			scene(({ world, server, driver }) => {
				expect(driver.get("k")).to.equal(undefined);
				const profile = loadOn(server, driver, "k").unwrap();
				expect(driver.get("k")).to.equal(profile);
				server.run(() => profile.release()).unwrap();
				expect(driver.get("k")).to.equal(undefined);
				const again = loadOn(server, driver, "k").unwrap();
				expect(driver.get("k")).to.equal(again);
				world.store(NAME).remove("k");
				server.run(() => again.update(() => ({ coins: 2 }))).unwrap();
				expect(failureOf(server.run(() => again.save())).type).to.equal("lock_lost");
				expect(driver.get("k")).to.equal(undefined);
			});
		});
	});
};
