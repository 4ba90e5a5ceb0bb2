import { t } from "@rbxts/t";
import { DriverOptions } from "../../../src/driver/options";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { driverOn, loadOn, NAME, record, storedRecord, textOf } from "./drivers";
import { expectText, failureOf, thrownBy } from "./playerGame";

interface Bag {
	readonly coins: number;
	readonly gems?: number;
}

/** Runs `body` with a server in a new world. */
function scene(body: (server: Server, world: World) => void): void {
	simulate({ seed: 1 }, (world) => body(world.startServer(), world));
}

/** Stores a value beside user ids and metadata; returns a check that nothing of it was written since. */
function stored(world: World, key: string, value: unknown): () => void {
	const store = world.store(NAME);
	store.set(key, value, { userIds: [1, 2], metadata: { team: "red" } });
	const version = store.info(key)!.version;
	return () => {
		if (store.info(key)!.version !== version) error(`"${key}" was written: ${textOf(store.get(key))}`, 2);
	};
}

/** Throws unless the key still has its data, user ids and metadata, and no lock. */
function expectGivenBack(world: World, key: string, data: unknown, migrations: ReadonlyArray<string>): void {
	const now = storedRecord(world, key)!;
	const info = world.store(NAME).info(key)!;
	const found = textOf([now.Data, now.Meta.Migrations, info.userIds, info.metadata]);
	const expected = textOf([data, migrations, [1, 2], { team: "red" }]);
	if (now.Lock !== undefined) error(`"${key}" is locked`, 2);
	if (found !== expected) error(`"${key}" holds ${found}, not ${expected}`, 2);
}

const renameGold = {
	name: "gold becomes coins",
	migrate: (data: unknown) => ({ coins: (data as { gold: number }).gold }),
};
const doubleCoins = {
	name: "coins count twice",
	migrate: (data: unknown) => ({ ...(data as Bag), coins: (data as Bag).coins * 2 }),
};
const addGems = { name: "gems", migrate: (data: unknown) => ({ ...(data as Bag), gems: 1 }) };

export = () => {
	describe("defaults are reconciled into loaded records", () => {
		it("fields that are missing are filled, in nested tables too; what is there stays, of whatever type", () => {
			scene((server, world) => {
				const driver = driverOn(server, {
					defaults: { coins: 0, gems: 3, bag: { wood: 0, iron: 2 }, list: [9, 9] },
				});
				stored(world, "k", record({ coins: "many", bag: { wood: 5 }, list: [1] }));
				const profile = loadOn(server, driver, "k").unwrap();
				const expected = { coins: "many", gems: 3, bag: { wood: 5, iron: 2 }, list: [1] };
				expect(textOf(profile.data)).to.equal(textOf(expected));
				server.run(() => profile.release()).unwrap();
				expect(textOf(storedRecord(world, "k")!.Data)).to.equal(textOf(expected));
			});
		});

		it("what was filled in is saved without an update, and a record that lacks nothing is not written", () => {
			scene((server, world) => {
				const driver = driverOn<Bag>(server, { defaults: { coins: 0, gems: 3 } });
				stored(world, "lacks", record({ coins: 1 }));
				stored(world, "full", record({ coins: 1, gems: 1 }));
				loadOn(server, driver, "lacks").unwrap();
				loadOn(server, driver, "full").unwrap();
				world.wait(65);
				expect((storedRecord(world, "lacks")!.Data as Bag).gems).to.equal(3);
				expect(world.trace.durableWrites({ key: "lacks" })).to.equal(2);
				expect(world.trace.durableWrites({ key: "full" })).to.equal(1);
			});
		});

		it("profile.data is deep-frozen, from the defaults, from the store and from an update", () => {
			scene((server, world) => {
				const driver = driverOn(server, { defaults: { bag: { wood: 0 } } });
				stored(world, "old", record({ bag: { wood: 5 } }));
				for (const key of ["new", "old"]) {
					const profile = loadOn(server, driver, key).unwrap();
					for (let round = 0; round < 2; round++) {
						expect(table.isfrozen(profile.data)).to.equal(true);
						expect(table.isfrozen(profile.data.bag)).to.equal(true);
						server.run(() => profile.update(() => ({ bag: { wood: 7 } }))).unwrap();
					}
				}
			});
		});

		it("two profiles from the same defaults do not share changes", () => {
			scene((server) => {
				const driver = driverOn(server, { defaults: { bag: { wood: 0 } } });
				const one = loadOn(server, driver, "one").unwrap();
				const two = loadOn(server, driver, "two").unwrap();
				server.run(() => one.update((data) => ({ bag: { wood: data.bag.wood + 1 } }))).unwrap();
				expect(two.data.bag.wood).to.equal(0);
			});
		});
	});

	describe("check (an @rbxts/t check) gates load and every update", () => {
		const checked: Partial<DriverOptions<Bag>> = { check: t.strictInterface({ coins: t.numberMin(0) }) };

		it("an update that fails it: invalid_data with store, key and the check's reason; the data stay, the profile is usable", () => {
			scene((server, world) => {
				const driver = driverOn<Bag>(server, { defaults: { coins: 0 }, ...checked });
				const profile = loadOn(server, driver, "k").unwrap();
				const before = profile.data;
				let heard = 0;
				profile.onChanged.connect(() => (heard += 1));
				for (const bad of [{ coins: -1 }, { coins: "1" }, { coins: 1, gems: 1 }, {}]) {
					const cause = failureOf(server.run(() => profile.update(() => bad as Bag)));
					expect(cause.type).to.equal("invalid_data");
					expect(cause.store).to.equal(NAME);
					expect(cause.key).to.equal("k");
					expectText(cause.message, NAME, '"k"', "check");
				}
				expect(profile.data).to.equal(before);
				expect(heard).to.equal(0);
				server.run(() => profile.update(() => ({ coins: 4 }))).unwrap();
				server.run(() => profile.save()).unwrap();
				expect((storedRecord(world, "k")!.Data as Bag).coins).to.equal(4);
				expect(world.trace.durableWrites({ key: "k" })).to.equal(2);
			});
		});

		it("prior fault: a failed load left its lock: data that fail it are not handed out, the lock is given back", () => {
			scene((server, world) => {
				const driver = driverOn<Bag>(server, { defaults: { coins: 0 }, ...checked });
				stored(world, "k", record({ coins: -5 }));
				const cause = failureOf(loadOn(server, driver, "k"));
				expect(cause.type).to.equal("invalid_data");
				expectText(cause.message, NAME, '"k"');
				world.wait(5);
				expectGivenBack(world, "k", { coins: -5 }, []);
				expect(driver.get("k")).to.equal(undefined);
				// Mended from outside, it loads at once.
				world.store(NAME).set("k", record({ coins: 5 }));
				expect(loadOn(server, driver, "k").success).to.equal(true);
			});
		});

		it("a check that throws or yields refuses", () => {
			for (const [check, word] of [
				[() => error("spec: check is broken"), "check is broken"],
				[() => coroutine.yield()[0] !== undefined, "yielded"],
			] as ReadonlyArray<[() => boolean, string]>) {
				scene((server) => {
					let broken = false;
					const driver = driverOn<Bag>(server, {
						defaults: { coins: 0 },
						check: () => (broken ? check() : true),
					});
					const profile = loadOn(server, driver, "k").unwrap();
					broken = true;
					const cause = failureOf(server.run(() => profile.update(() => ({ coins: 1 }))));
					expect(cause.type).to.equal("invalid_data");
					expectText(cause.message, word);
					expect(profile.data.coins).to.equal(0);
				});
			}
		});
	});

	describe("named migrations run in order, once, and are recorded", () => {
		it("a new record starts with all of them and runs none", () => {
			scene((server, world) => {
				const driver = driverOn<Bag>(server, { defaults: { coins: 0 }, migrations: [renameGold, doubleCoins] });
				expect(loadOn(server, driver, "k").unwrap().data.coins).to.equal(0);
				expect(textOf(storedRecord(world, "k")!.Meta.Migrations)).to.equal(
					textOf([renameGold.name, doubleCoins.name]),
				);
			});
		});

		for (const [behind, from, coins] of [
			[3, { gold: 5 }, 10],
			[2, { coins: 5 }, 10],
			[1, { coins: 5 }, 5],
			[0, { coins: 5, gems: 1 }, 5],
		] as ReadonlyArray<[number, object, number]>) {
			it(`a record ${behind} versions behind`, () => {
				scene((server, world) => {
					const migrations = [renameGold, doubleCoins, addGems];
					const names = migrations.map(({ name }) => name);
					const been = names.filter((_, index) => index < 3 - behind);
					stored(world, "k", record(from, been));
					const first = driverOn<Bag>(server, { defaults: { coins: 0 }, migrations });
					const profile = loadOn(server, first, "k").unwrap();
					expect(profile.data.coins).to.equal(coins);
					expect(profile.data.gems).to.equal(1);
					// Until the first save, the record has data and migrations as stored.
					expect(textOf(storedRecord(world, "k")!.Meta.Migrations)).to.equal(textOf(been));
					expect(textOf(storedRecord(world, "k")!.Data)).to.equal(textOf(from));
					server.run(() => profile.release()).unwrap();
					expectGivenBack(world, "k", { coins, gems: 1 }, names);
					const again = driverOn<Bag>(world.startServer(), { defaults: { coins: 0 }, migrations });
					expect(world.servers[1].run(() => again.load("k")).unwrap().data.coins).to.equal(coins);
				});
			});
		}

		for (const [what, migrate, kind] of [
			["throws", () => error("spec: cannot migrate"), "migration_failed"],
			["yields", () => coroutine.yield(), "migration_failed"],
			["returns nothing", () => undefined, "migration_failed"],
			["returns what cannot be stored", () => ({ coins: 0 / 0 }), "invalid_data"],
			["returns no table", () => 5, "invalid_data"],
			[
				"spoils the data and throws",
				(data: unknown) => {
					(data as { coins?: number }).coins = undefined;
					error("spec: half way");
				},
				"migration_failed",
			],
		] as ReadonlyArray<[string, (data: unknown) => unknown, string]>) {
			it(`one that ${what}: ${kind}, the lock is given back, everything is as stored`, () => {
				scene((server, world) => {
					const migrations = [renameGold, { name: "bad", migrate }];
					const driver = driverOn<Bag>(server, { defaults: { coins: 0 }, migrations });
					stored(world, "k", record({ coins: 5 }, [renameGold.name]));
					const cause = failureOf(loadOn(server, driver, "k"));
					expect(cause.type).to.equal(kind);
					expectText(cause.message, NAME, '"k"');
					if (kind === "migration_failed") expectText(cause.message, '"bad"');
					world.wait(5);
					expectGivenBack(world, "k", { coins: 5 }, [renameGold.name]);
				});
			});
		}
	});

	describe("prior fault: an old server wrote over data that a newer one had migrated; outdated", () => {
		for (const [what, lock] of [
			["unlocked", undefined],
			["under a stale lock", { JobId: "gone", Token: "t", Turn: 1, Seq: 0, Time: 0 }],
		] as const) {
			it(`${what}: refused, with nothing written and no lock taken, by load, a player's load, peek and restoreAt`, () => {
				scene((server, world) => {
					const driver = driverOn<Bag>(server, {
						defaults: { coins: 0 },
						migrations: [renameGold],
						key: () => "k",
					});
					const untouched = stored(world, "k", {
						...record({ coins: 5 }, [renameGold.name, "later"]),
						Lock: lock,
					});
					world.wait(300);
					const now = math.floor(world.cloudTime());
					for (const answer of [
						loadOn(server, driver, "k"),
						loadOn(server, driver, "k", { waitForLock: true }),
						server.run(() => driver.peek("k")),
						server.run(() => driver.restoreAt("k", now)),
					]) {
						const cause = failureOf(answer);
						expect(cause.type).to.equal("outdated");
						expectText(cause.message, NAME, '"k"', "later");
					}
					server.run(() => driver.attach());
					const player = server.join(7);
					expect(failureOf(server.run(() => driver.waitForProfile(player))).type).to.equal("outdated");
					world.wait(2);
					expect(server.kicks.size()).to.equal(1);
					untouched();
				});
			});
		}

		it("migration_mismatch: names that are no beginning of each other, with nothing written", () => {
			for (const names of [["other"], [doubleCoins.name, renameGold.name], [renameGold.name, "renamed"]]) {
				scene((server, world) => {
					const migrations = [renameGold, doubleCoins];
					const driver = driverOn<Bag>(server, { defaults: { coins: 0 }, migrations });
					const untouched = stored(world, "k", record({ coins: 5 }, names));
					expect(failureOf(loadOn(server, driver, "k")).type).to.equal("migration_mismatch");
					expect(failureOf(server.run(() => driver.peek("k"))).type).to.equal("migration_mismatch");
					world.wait(30);
					untouched();
				});
			}
		});
	});

	describe("prior fault: a record of the wrong shape was replaced with defaults; refused and kept", () => {
		for (const [what, value] of [
			["a text", "text"],
			["a number", 7],
			["false", false],
			["an empty table", {}],
			["an array", [1, 2, 3]],
			["another library's table", { Data: { coins: 1 }, MetaData: {} }],
			["a record with a field too many", { ...record({ coins: 1 }), Extra: 1 }],
			["a record without Data", { Meta: { Turn: 1, Migrations: [] } }],
			["a record with a wrong turn", { Data: {}, Meta: { Turn: "1", Migrations: [] } }],
			["a record with half a lock", { ...record({}), Lock: { JobId: "x" } }],
		] as ReadonlyArray<[string, unknown]>) {
			it(`${what}: invalid_record, by load, peek and restoreAt, nothing written`, () => {
				scene((server, world) => {
					const driver = driverOn<Bag>(server, { defaults: { coins: 0 } });
					const untouched = stored(world, "k", value);
					world.wait(2);
					const now = math.floor(world.cloudTime());
					for (const answer of [
						loadOn(server, driver, "k"),
						server.run(() => driver.peek("k")),
						server.run(() => driver.restoreAt("k", now)),
					]) {
						const cause = failureOf(answer);
						expect(cause.type).to.equal("invalid_record");
						expectText(cause.message, NAME, '"k"', "untouched");
					}
					world.wait(30);
					untouched();
				});
			});
		}
	});

	describe("importLegacy is how a game adopts such a value", () => {
		it("adopts it in the one write that takes the lock, with user ids and metadata, and never again", () => {
			for (const effect of ["conflict", "rerun", "loseCommit", "loseAnswer"] as const) {
				scene((server, world) => {
					let calls = 0;
					const driver = driverOn<Bag>(server, {
						defaults: { coins: 0, gems: 2 },
						migrations: [renameGold],
						importLegacy: (value) => {
							calls += 1;
							return { coins: (value as { old: number }).old };
						},
					});
					stored(world, "k", { old: 9 });
					world.faults.add({ service: "DataStore", durableOnly: true, count: 1, effect });
					const profile = loadOn(server, driver, "k").unwrap();
					expect(profile.data.coins).to.equal(9);
					expect(profile.data.gems).to.equal(2);
					expect(storedRecord(world, "k")!.Lock).to.be.ok();
					server.run(() => profile.release()).unwrap();
					expectGivenBack(world, "k", { coins: 9, gems: 2 }, [renameGold.name]);
					const before = calls;
					expect(loadOn(server, driver, "k").unwrap().data.coins).to.equal(9);
					expect(calls).to.equal(before);
				});
			}
		});

		for (const [what, importLegacy] of [
			["refuses", () => undefined],
			["throws", () => error("spec: cannot import")],
			["yields", () => coroutine.yield() as unknown as Bag],
			["gives what cannot be stored", () => ({ coins: math.huge })],
			["gives what the check refuses", () => ({ coins: -1 })],
			["gives no table", () => 5 as unknown as Bag],
		] as ReadonlyArray<[string, () => Bag | undefined]>) {
			it(`one that ${what}: invalid_record, the value is left as it is`, () => {
				scene((server, world) => {
					const driver = driverOn<Bag>(server, {
						defaults: { coins: 0 },
						check: (value) => (value as Bag).coins >= 0,
						importLegacy,
					});
					const untouched = stored(world, "k", { old: 9 });
					const cause = failureOf(loadOn(server, driver, "k"));
					expect(cause.type).to.equal("invalid_record");
					expectText(cause.message, NAME, '"k"');
					world.wait(30);
					untouched();
				});
			});
		}
	});

	describe("prior fault: metadata and user ids were lost at each save; they go with every write", () => {
		it("acquire, autosave, the renewal of a clean lock, save, release, giving back, restoreAt", () => {
			scene((server, world) => {
				const driver = driverOn<Bag>(server, {
					defaults: { coins: 0 },
					check: (value) => (value as Bag).coins < 9,
				});
				stored(world, "k", record({ coins: 1 }));
				const kept = (userIds: ReadonlyArray<number>): void => {
					const info = world.store(NAME).info("k")!;
					const found = textOf([info.userIds, info.metadata]);
					const expected = textOf([userIds, { team: "red" }]);
					if (found !== expected) error(`${found} instead of ${expected}`, 2);
				};
				const started = world.cloudTime();
				const profile = loadOn(server, driver, "k").unwrap();
				kept([1, 2]);
				world.wait(200);
				expect(world.trace.durableWrites({ key: "k" }) > 1).to.equal(true);
				kept([1, 2]);
				server.run(() => profile.update(() => ({ coins: 2 }))).unwrap();
				world.wait(65);
				kept([1, 2]);
				server.run(() => profile.update(() => ({ coins: 3 }))).unwrap();
				server.run(() => profile.save()).unwrap();
				kept([1, 2]);
				server.run(() => profile.release()).unwrap();
				kept([1, 2]);
				expect(storedRecord(world, "k")!.Lock).to.equal(undefined);
				world.wait(3600);
				const spoilt = { ...storedRecord(world, "k")!, Data: { coins: 99 } };
				world.store(NAME).set("k", spoilt, { userIds: [1, 2], metadata: { team: "red" } });
				failureOf(loadOn(server, driver, "k"));
				world.wait(5);
				kept([1, 2]);
				world
					.store(NAME)
					.set("k", { ...spoilt, Data: { coins: 4 } }, { userIds: [1, 2], metadata: { team: "red" } });
				server.run(() => driver.restoreAt("k", started + 1800)).unwrap();
				expect((storedRecord(world, "k")!.Data as Bag).coins).to.equal(3);
				kept([1, 2]);
				const owned = loadOn(server, driver, "k", { userIds: [5] }).unwrap();
				kept([5]);
				server.run(() => owned.release()).unwrap();
				kept([5]);
			});
		});

		it("a player's profile carries the player's id on every write", () => {
			scene((server, world) => {
				const driver = driverOn<Bag>(server, { defaults: { coins: 0 } });
				server.run(() => driver.attach());
				const player = server.join(7);
				const profile = server.run(() => driver.waitForProfile(player)).unwrap();
				expect(world.store(NAME).info("Player_7")!.userIds[0]).to.equal(7);
				server.run(() => profile.update(() => ({ coins: 1 }))).unwrap();
				server.run(() => profile.save()).unwrap();
				expect(world.store(NAME).info("Player_7")!.userIds[0]).to.equal(7);
				server.leave(player);
				world.wait(2);
				expect(world.store(NAME).info("Player_7")!.userIds[0]).to.equal(7);
			});
		});
	});

	describe("unknown option names and wrong option types are refused at construction", () => {
		it("with a message that names the option, before anything else happens", () => {
			scene((server, world) => {
				const wrong: Array<[object, string]> = [
					[{ name: "" }, "name"],
					[{ name: string.rep("n", 51) }, "name"],
					[{ name: string.rep("é", 26) }, "name"],
					[{ name: 7 }, "name"],
					[{ name: "a\xff" }, "name"],
					[{ name: false }, "name"],
					[{ name: "CKMarkers" }, "name"],
					[{ markers: "SQL" }, "markers"],
					[{ markers: "Memory" }, "markers"],
					[{ defaults: 7 }, "defaults"],
					[{ defaults: { coins: 0 / 0 } }, "defaults.coins"],
					[{ defaults: { bag: [1, { wood: () => 1 }] } }, "defaults.bag[1].wood"],
					[{ scope: "" }, "scope"],
					[{ scope: string.rep("s", 51) }, "scope"],
					[{ check: true }, "check"],
					[{ check: () => false }, "defaults"],
					[{ migrations: renameGold }, "migrations"],
					[{ migrations: ["gold"] }, "migrations"],
					[{ migrations: [{ name: "gold" }] }, "migrations"],
					[{ migrations: [{ migrate: () => 1 }] }, "migrations"],
					[{ migrations: [7] }, "migrations"],
					[{ migrations: [renameGold, renameGold] }, "migrations"],
					[{ migrations: [{ name: "", migrate: () => 1 }] }, "migrations"],
					[{ importLegacy: {} }, "importLegacy"],
					[{ backend: "SQL" }, "backend"],
					[{ backend: {} }, "backend"],
					[{ studio: true }, "studio"],
					[{ studio: "Live" }, "studio"],
					[{ key: "Player" }, "key"],
					[{ autosaveSeconds: 0 }, "autosaveSeconds"],
					[{ autosaveSeconds: "60" }, "autosaveSeconds"],
					[{ autosaveSeconds: 0 / 0 }, "autosaveSeconds"],
					[{ autosaveSeconds: math.huge }, "autosaveSeconds"],
					[{ lockWaitSeconds: -1 }, "lockWaitSeconds"],
					[{ localHandoffSeconds: true }, "localHandoffSeconds"],
					[{ lockTtlSeconds: 0 }, "lockTtlSeconds"],
					[{ lockSkewSeconds: -1 }, "lockSkewSeconds"],
					[{ handoff: 1 }, "handoff"],
					[{ jobId: "" }, "jobId"],
					[{ onSessionEnd: "kick" }, "onSessionEnd"],
					[{ onMetric: {} }, "onMetric"],
					[{ lockwaitSeconds: 3 }, "lockwaitSeconds"],
					[{ Name: "X" }, "Name"],
				];
				for (const [options, named] of wrong) {
					const text = thrownBy(() => driverOn<object>(server, { defaults: { coins: 0 }, ...options }));
					expectText(text, "Baton", named);
					// The place is the game's own line, where the driver is made.
					expectText(text, "specs.driver.drivers:");
				}
				expectText(
					thrownBy(() => driverOn<object>(server, { defaults: undefined as unknown as object })),
					"defaults",
				);
				world.wait(1);
				expect(world.trace.calls.size()).to.equal(0);
				driverOn<object>(server, { defaults: { coins: 0 } });
				for (const options of [
					{ defaults: { coins: 0 } },
					{ defaults: { coins: 0 / 0 } },
					{ defaults: undefined },
				]) {
					const text = thrownBy(() => driverOn<object>(server, options as { defaults: object }));
					expectText(text, "specs.driver.drivers:");
				}
			});
		});

		it("names and scopes of 50 bytes are fine", () => {
			scene((server) => {
				const driver = driverOn<Bag>(server, {
					name: string.rep("n", 50),
					scope: string.rep("s", 50),
					defaults: { coins: 0 },
				});
				expect(loadOn(server, driver, "k").success).to.equal(true);
			});
		});
	});
};
