import { simulate } from "../../cloud/simulate";
import { check, errorOf, same } from "../driver/writeRig";
import { breakFlushes, foreignTxLock, Hall, KEY, logOf, put, stored } from "./guilds";

export = () => {
	describe("lockless: one profile a key and server", () => {
		it("the same object while it is open, a new one afterwards", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				check(hall.open() === guild, "it is another one");
				hall.close(guild).unwrap();
				check(hall.open() !== guild, "it is the closed one");
			});
		});

		it("a key is either lockless or loaded: the other answers already_loaded, also while a load is under way", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const { driver } = hall;
				const lockless = () => hall.server.run(() => driver.lockless(KEY));
				const guild = hall.open();
				same(errorOf(hall.server.run(() => driver.load(KEY))).type, "already_loaded", "the load");
				hall.close(guild).unwrap();
				const loading = hall.start(() => driver.load(KEY));
				same(errorOf(lockless()).type, "already_loaded", "while it loads");
				world.waitUntil(() => loading.answer !== undefined);
				same(errorOf(lockless()).type, "already_loaded", "while it is loaded");
				const profile = loading.answer!.unwrap();
				hall.server.run(() => profile.release()).unwrap();
				lockless().unwrap();
				same(errorOf(hall.server.run(() => profile.reacquire())).type, "already_loaded", "reacquire");
			});
		});

		it("making one reads and writes nothing, and does not yield", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const since = world.now();
				hall.open();
				same(world.now(), since, "the time");
				same(world.trace.count({ service: "DataStore" }), 0, "calls");
			});
		});
	});

	describe("lockless: close", () => {
		it("flushes for the last time; then nothing is taken any more", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				hall.close(guild).unwrap();
				same(logOf(world), "a", "stored");
				check(!guild.active, "it is active");
				for (const answer of [hall.give(guild, "b"), hall.save(guild), hall.fetch(guild)]) {
					same(errorOf<unknown>(answer).type, "profile_closed", "the answer");
				}
				hall.close(guild).unwrap();
				same(logOf(world), "a", "stored in the end");
			});
		});

		it("one that was never used writes nothing", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				hall.close(hall.open()).unwrap();
				same(world.trace.count({ op: "UpdateAsync" }), 0, "updates");
			});
		});

		it("while the store fails it answers with the error and goes on trying; the update lands once", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const outage = breakFlushes(world, { effect: "loseAnswer" });
				same(errorOf(hall.close(guild)).type, "roblox", "close");
				const anew = hall.open();
				check(anew !== guild, "the closing one was given out");
				hall.give(anew, "b").unwrap();
				outage.remove();
				world.wait(70);
				same(logOf(world), "a b", "stored");
				same(stored(world)!.Meta.Flushed !== undefined, true, "the entry of the new one");
			});
		});

		it("data that the store refuses for good are given up after two tries, with a warning, and the answer says so", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				breakFlushes(world, {
					effect: "failBefore",
					message:
						"104: Cannot store Dictionary in data store. Data stores can only accept valid UTF-8 characters.",
				});
				const first = hall.close(guild);
				check(!first.success, "close succeeded");
				world.wait(120);
				check(guild.hasEnded(), "it goes on for ever");
				check(
					hall.server.warnings.some((warning) => warning.find("are lost", 1, true)[0] !== undefined),
					"nobody was told",
				);
			});
		});
	});

	describe("lockless: the driver's close and the server's shutdown", () => {
		it("everything is flushed, in parallel, and the driver opens no more", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const keys = [1, 2, 3, 4, 5, 6].map((n) => `Guild_${n}`);
				for (const key of keys) hall.give(hall.open(key), "a").unwrap();
				world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "delay", seconds: 1 });
				const since = world.now();
				hall.server.run(() => hall.driver.close()).unwrap();
				check(world.now() - since < 5, `it took ${world.now() - since} s`);
				for (const key of keys) same(logOf(world, key), "a", key);
				same(errorOf(hall.server.run(() => hall.driver.lockless("x"))).type, "profile_closed", "a new one");
			});
		});

		it("a transaction's lock is waited out within the bound", () => {
			simulate({}, (world) => {
				put(world, { Lock: foreignTxLock() });
				const hall = new Hall(world);
				hall.give(hall.open(), "a").unwrap();
				hall.server.shutdown();
				check(world.now() < 13, `it took ${world.now()} s`);
				same(logOf(world), "a", "stored");
			});
		});

		it("7.1: a transaction here that does not end is waited for until the bound; then what is queued lands all the same", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				check(hall.server.run(() => guild.takeHold()) !== undefined, "there is no hold");
				hall.server.spawn(() => hall.server.shutdown());
				world.wait(19);
				same(logOf(world), "", "stored while it is waited for");
				world.wait(9);
				same(logOf(world), "a", "stored");
			});
		});

		it("saveAll flushes lockless profiles too", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				hall.give(hall.open(), "a").unwrap();
				same(hall.server.run(() => hall.driver.saveAll()).unwrap(), 1, "profiles saved");
				same(logOf(world), "a", "stored");
			});
		});

		it("what could not be flushed within 28 s is warned about, with its count", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				for (const what of ["a", "b", "c"]) hall.give(guild, what).unwrap();
				breakFlushes(world, { effect: "failBefore" });
				const since = world.now();
				hall.server.shutdown();
				check(world.now() - since <= 30, `it took ${world.now() - since} s`);
				check(
					hall.server.warnings.some((warning) => warning.find(`${KEY} (3)`, 1, true)[0] !== undefined),
					hall.server.warnings.join("\n"),
				);
			});
		});
	});
};
