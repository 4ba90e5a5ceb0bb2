import { simulate } from "../../cloud/simulate";
import { check, errorOf, near, same } from "../driver/writeRig";
import {
	breakFlushes,
	foreignPending,
	foreignTxLock,
	GuildData,
	Hall,
	KEY,
	logOf,
	mark,
	put,
	stored,
	STORE,
	writesOf,
} from "./guilds";

const DEFAULTS = "the defaults";

export = () => {
	describe("lockless: fetch reads what is stored, and writes nothing", () => {
		it(`gives ${DEFAULTS} where nothing is stored, and no record is made`, () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				same(hall.fetch(guild).unwrap().bank, 0, "the bank");
				same(stored(world), undefined, "the record");
			});
		});

		it("past every cache: what another server has just written is seen", () => {
			simulate({}, (world) => {
				const [one, two] = [new Hall(world), new Hall(world)];
				const [here, there] = [one.open(), two.open()];
				one.fetch(here).unwrap();
				two.give(there, "a", 7).unwrap();
				two.save(there).unwrap();
				same(one.fetch(here).unwrap().bank, 7, "the bank");
			});
		});

		it("gives what is stored with the queued updates on top", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 10, log: [] } });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a", 1).unwrap();
				same(hall.fetch(guild).unwrap().bank, 11, "the first fetch");
				put(world, { Data: { bank: 20, log: [] } });
				same(hall.fetch(guild).unwrap().bank, 21, "the second fetch");
				same(writesOf(world), 0, "writes");
			});
		});

		it("a flush that has landed but was not answered is not counted twice", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				hall.give(guild, "a", 1).unwrap();
				breakFlushes(world, { effect: "loseAnswer", until: world.now() + 5 });
				hall.start(() => guild.save());
				world.wait(1);
				same(hall.fetch(guild).unwrap().bank, 1, "the bank");
				world.wait(60);
				same(logOf(world), "a", "stored");
			});
		});

		it("I11: a read that began before a flush was answered does not take the data back", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				world.faults.add({
					service: "DataStore",
					op: "GetAsync",
					effect: "delay",
					stage: "respond",
					seconds: 3,
					count: 1,
				});
				const slow = hall.start(() => guild.fetch());
				world.wait(0.5);
				hall.give(guild, "a", 1).unwrap();
				hall.save(guild).unwrap();
				world.waitUntil(() => slow.answer !== undefined);
				same(guild.data?.bank, 1, "the bank as seen here");
				same(slow.answer!.unwrap().bank, 1, "the bank as answered");
			});
		});

		it("calls made while one reads share one more read", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				const calls = [1, 2, 3, 4].map(() => hall.start(() => guild.fetch()));
				world.waitUntil(() => calls.every(({ answer }) => answer?.success === true));
				same(world.trace.count({ op: "GetAsync", store: STORE }), 2, "reads");
			});
		});

		it("a failing store is tried as often as retryAttempts says, then the error is told", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { retryAttempts: 3, retryBase: 1 });
				const guild = hall.open();
				world.faults.add({ service: "DataStore", op: "GetAsync", effect: "failBefore" });
				const failed = errorOf(hall.fetch(guild));
				same(failed.type, "roblox", "the error");
				same(world.trace.count({ op: "GetAsync", store: STORE }), 3, "reads");
			});
		});
	});

	describe("lockless: fetch resolves what it finds (6.4), and the next flush clears it", () => {
		for (const [outcome, bank] of [
			["committed", 100],
			["aborted", 0],
		] as const) {
			it(`a Pending whose marker says ${outcome}`, () => {
				simulate({}, (world) => {
					put(world, { Pending: foreignPending() });
					mark(world, "x1", outcome);
					const hall = new Hall(world, { flushSeconds: 10 });
					const guild = hall.open();
					same(hall.fetch(guild).unwrap().bank, bank, "the bank");
					same(writesOf(world), 0, "writes of the fetch");
					check(guild.isDirty(), "it does not count as dirty");
					world.wait(11);
					same(stored(world)?.Pending, undefined, "Pending");
					same((stored(world)?.Data as GuildData).bank, bank, "the stored bank");
					check(!guild.isDirty(), "it still counts as dirty");
				});
			});
		}

		it("an undecided one is waited for until its marker is there", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				const hall = new Hall(world);
				const guild = hall.open();
				const fetched = hall.start(() => guild.fetch());
				world.wait(20);
				check(fetched.answer === undefined, "it did not wait");
				mark(world, "x1", "committed");
				world.waitUntil(() => fetched.answer !== undefined, 3);
				same(fetched.answer!.unwrap().bank, 100, "the bank");
			});
		});

		it("a marker that could not be read is asked for again, as often as any request", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				mark(world, "x1", "committed");
				const hall = new Hall(world);
				const guild = hall.open();
				world.faults.add({ service: "DataStore", op: "GetAsync", key: "x1", effect: "failBefore", count: 2 });
				same(hall.fetch(guild).unwrap().bank, 100, "the bank");
				near(world.now(), 3, 1, "after pauses of 1 and 2 s");
			});
		});

		it("one that has expired is aborted in its marker first, and only then are data given", () => {
			for (const [expires, seconds] of [
				[undefined, 60],
				[20, 20],
			] as const) {
				simulate({}, (world) => {
					put(world, { Pending: foreignPending({ Expires: expires }) });
					const hall = new Hall(world);
					const guild = hall.open();
					const fetched = hall.start(() => guild.fetch());
					world.waitUntil(() => fetched.answer !== undefined, 100);
					near(fetched.answeredAt, seconds, 2.5, "the answer");
					same(fetched.answer!.unwrap().bank, 0, "the bank");
					same(world.store("CKMarkers").get("x1"), "aborted", "the marker");
				});
			}
		});

		it("2.2: one that is old by the store's own time is not waited for by a reader who sees it for the first time", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				world.wait(100);
				const hall = new Hall(world);
				const other = hall.open("another");
				hall.give(other, "a").unwrap();
				// The answer of a write tells what time it is in the store.
				hall.save(other).unwrap();
				const since = world.now();
				same(hall.fetch(hall.open()).unwrap().bank, 0, "the bank");
				near(world.now() - since, 0, 1, "the wait");
				same(world.store("CKMarkers").get("x1"), "aborted", "the marker");
			});
		});

		it("a closing server forces it at once", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a", 1).unwrap();
				hall.server.shutdown();
				check(world.now() < 3, `the shutdown took ${world.now()} s`);
				same(world.store("CKMarkers").get("x1"), "aborted", "the marker");
				same(logOf(world), "a", "stored");
				same(stored(world)?.Pending, undefined, "Pending");
			});
		});

		it("a verdict counts only while the same Pending is on the record: cleared in between, the record is read again", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				const hall = new Hall(world);
				const guild = hall.open();
				const fetched = hall.start(() => guild.fetch());
				world.wait(10);
				// Committed, cleaned by its own server, written on since, and the marker removed: no verdict is there any more.
				put(world, { Data: { bank: 101, log: ["tx", "more"] } });
				world.waitUntil(() => fetched.answer !== undefined, 5);
				same(fetched.answer!.unwrap().bank, 101, "the bank");
			});
		});

		it("nor is a verdict that takes its time one on a record that has moved on meanwhile (rule 6.4)", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending({ Expires: 5 }) });
				const hall = new Hall(world);
				const guild = hall.open();
				const slow = { effect: "delay", stage: "arrive", seconds: 5 } as const;
				const late = world.faults.add({ service: "DataStore", op: "UpdateAsync", store: "CKMarkers", ...slow });
				const fetched = hall.start(() => guild.fetch());
				world.waitUntil(() => late.hits > 0, 30);
				// Committed and cleaned, and the marker removed, before the abort of it arrives.
				put(world, { Data: { bank: 101, log: ["tx", "more"] } });
				world.waitUntil(() => fetched.answer !== undefined, 30);
				same(world.store("CKMarkers").get("x1"), "aborted", "the marker");
				same(fetched.answer!.unwrap().bank, 101, "the bank");
			});
		});

		it("I13: one that its coordinator gave all the time in the world is waited for for two minutes", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending({ Expires: 100_000 }) });
				const hall = new Hall(world);
				const guild = hall.open();
				const fetched = hall.start(() => guild.fetch());
				world.waitUntil(() => fetched.answer !== undefined, 300);
				near(fetched.answeredAt, 120, 3, "the answer");
				same(errorOf(fetched.answer!).type, "unresolved_transaction", "the error");
			});
		});

		it("a marker that says something else is an error, and the record stays", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				mark(world, "x1", "maybe");
				const hall = new Hall(world);
				const guild = hall.open();
				same(errorOf(hall.fetch(guild)).type, "tx_marker_invalid", "fetch");
				hall.give(guild, "a").unwrap();
				same(errorOf(hall.save(guild)).type, "tx_marker_invalid", "save");
				same(stored(world)?.Pending?.Id, "x1", "Pending");
			});
		});

		it("a trade's pointer: its journal says what the data are; without one it is an error", () => {
			const entries = (state: string) => ({
				Kind: "CKTransaction",
				Token: "j1",
				State: state,
				Meta: { UserIds: [], Migrations: [] },
				Entries: {},
			});
			simulate({}, (world) => {
				const pointer = { Key: "CKTxn_1", Token: "j1" };
				put(world, { Meta: { Turn: 1, Migrations: [], PendingTransaction: pointer } });
				const hall = new Hall(world);
				const guild = hall.open();
				same(errorOf(hall.fetch(guild)).type, "unresolved_transaction", "without a journal");
				world.store(STORE).set("CKTxn_1", entries("Committed"));
				same(errorOf(hall.fetch(guild)).type, "unresolved_transaction", "without an entry");
				hall.give(guild, "a").unwrap();
				same(errorOf(hall.save(guild)).type, "recovery_failed", "save");
			});
		});

		it("a record under another transaction's lock is read all the same: that lock is about writing", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 4, log: [] }, Lock: foreignTxLock() });
				const hall = new Hall(world);
				same(hall.fetch(hall.open()).unwrap().bank, 4, "the bank");
			});
		});
	});

	describe("lockless: what cannot be read is left as it is", () => {
		it("outdated, other migrations, no Baton record, data that do not pass", () => {
			simulate({}, (world) => {
				const cases: ReadonlyArray<[key: string, value: object, kind: string]> = [
					["newer", { Data: { bank: 0, log: [] }, Meta: { Turn: 1, Migrations: ["a", "b"] } }, "outdated"],
					[
						"other",
						{ Data: { bank: 0, log: [] }, Meta: { Turn: 1, Migrations: ["x"] } },
						"migration_mismatch",
					],
					["none", { coins: 1 }, "invalid_record"],
					["bad", { Data: { bank: -1, log: [] }, Meta: { Turn: 1, Migrations: ["a"] } }, "invalid_data"],
					[
						"fails",
						{ Data: { bank: 0, log: [], poison: true }, Meta: { Turn: 1, Migrations: [] } },
						"migration_failed",
					],
				];
				const hall = new Hall(world, {
					check: (value) => (value as GuildData).bank >= 0,
					migrations: [
						{
							name: "a",
							migrate: (data) => {
								if ((data as { poison?: boolean }).poison === true) error("poison");
								return data;
							},
						},
					],
				});
				for (const [key, value, kind] of cases) {
					world.store(STORE).set(key, value);
					const version = world.store(STORE).info(key)!.version;
					const guild = hall.open(key);
					same(errorOf(hall.fetch(guild)).type, kind, `the fetch of ${key}`);
					hall.give(guild, "a").unwrap();
					const since = world.now();
					same(errorOf(hall.save(guild)).type, kind, `the save of ${key}`);
					check(world.now() - since < 1, `${key} was tried on although that cannot help`);
					same(world.store(STORE).info(key)!.version, version, `the version of ${key}`);
				}
			});
		});

		it("what importLegacy makes is filled from the defaults, as a peek and a load give it", () => {
			simulate({}, (world) => {
				world.store(STORE).set(KEY, { coins: 5 });
				const hall = new Hall(world, {
					importLegacy: (value) => ({ bank: (value as { coins: number }).coins }) as GuildData,
				});
				same(hall.fetch(hall.open()).unwrap().log.size(), 0, "entries of the log");
			});
		});

		it("importLegacy takes a value of another kind in, for fetch and flush alike", () => {
			simulate({}, (world) => {
				world.store(STORE).set(KEY, { coins: 6 });
				const hall = new Hall(world, {
					importLegacy: (value) => ({ bank: (value as { coins: number }).coins, log: [] }),
				});
				const guild = hall.open();
				same(hall.fetch(guild).unwrap().bank, 6, "the bank");
				hall.give(guild, "a").unwrap();
				hall.save(guild).unwrap();
				same((stored(world)?.Data as GuildData).bank, 7, "the stored bank");
			});
		});

		it("a record of an older format is migrated on the way, and stored so by the next flush", () => {
			simulate({}, (world) => {
				put(world, { Data: { coins: 6 } });
				const hall = new Hall(world, {
					migrations: [
						{ name: "bank", migrate: (data) => ({ bank: (data as { coins: number }).coins, log: [] }) },
					],
				});
				const guild = hall.open();
				same(hall.fetch(guild).unwrap().bank, 6, "the bank");
				hall.give(guild, "a").unwrap();
				hall.save(guild).unwrap();
				same(stored(world)?.Meta.Migrations.join(), "bank", "the migrations stored");
				same((stored(world)?.Data as GuildData).bank, 7, "the stored bank");
			});
		});
	});
};
