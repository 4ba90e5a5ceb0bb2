import { trade } from "../../../src/trade/trade";
import { txTokens } from "../../../src/transaction/txLock";
import { simulate } from "../../cloud/simulate";
import { check, errorOf, near, same } from "../driver/writeRig";
import { donation, foreignPending, foreignTxLock, Hall, KEY, logOf, mark, put, stored, STORE, USUAL } from "./guilds";

export = () => {
	describe("lockless: 2.3, a session lock", () => {
		it("a live one answers lockless_locked at once, with its holder; the update lands once that server has released", () => {
			simulate({}, (world) => {
				const owner = new Hall(world);
				const profile = owner.server.run(() => owner.driver.load(KEY)).unwrap();
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const since = world.now();
				const locked = errorOf(hall.save(guild));
				same(locked.type, "lockless_locked", "the error");
				same(locked.holder?.jobId, owner.server.jobId, "the holder");
				check(world.now() - since < 1, "it was not answered at once");
				owner.server.run(() => profile.release()).unwrap();
				world.wait(40);
				same(logOf(world), "a", "stored");
			});
		});

		it("one that nobody has written for ttl and skew is cleared by the flush, with a warning", () => {
			simulate({}, (world) => {
				put(world, { Lock: { JobId: "elsewhere", Token: "t1", Turn: 1, Seq: 0, Time: 0 } });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				same(errorOf(hall.save(guild)).type, "lockless_locked", "while it is young");
				world.wait(280);
				same(logOf(world), "a", "stored");
				same(stored(world)?.Lock, undefined, "the lock");
				check(
					hall.server.warnings.some((warning) => warning.find("elsewhere", 1, true)[0] !== undefined),
					"nobody was told",
				);
			});
		});

		for (const [title, isAlive] of [
			["one that its holder cannot write stays as long as that server beats, however old it is", true],
			["one of a server that has stopped beating is cleared once it is old enough", false],
		] as const) {
			it(title, () => {
				simulate({}, (world) => {
					const [owner, hall] = [new Hall(world), new Hall(world)];
					for (const { server, driver } of [owner, hall]) server.run(() => driver.attach());
					world.wait(20);
					owner.server.run(() => owner.driver.load(KEY)).unwrap();
					same(stored(world)?.Lock?.Presence, true, "the flag");
					if (isAlive) world.faults.add({ service: "DataStore", server: owner.server, effect: "failBefore" });
					else owner.server.crash();
					world.wait(300);
					const guild = hall.open();
					hall.give(guild, "a").unwrap();
					const saved = hall.save(guild);
					if (isAlive) same(errorOf(saved).type, "lockless_locked", "the error");
					else saved.unwrap();
				});
			});
		}

		it("I1: the session whose stale lock a flush has cleared writes nothing over it", () => {
			simulate({}, (world) => {
				const owner = new Hall(world);
				const profile = owner.server.run(() => owner.driver.load(KEY)).unwrap();
				owner.server.run(() => profile.update(donation("lost", 100)));
				const cut = world.faults.add({ service: "DataStore", server: owner.server, effect: "failBefore" });
				world.wait(300);
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				hall.save(guild).unwrap();
				cut.remove();
				world.wait(100);
				same(logOf(world), "a", "stored");
				check(!profile.active, "the session goes on");
			});
		});
	});

	describe("lockless: a transaction's lock is waited for, and expires (seed: Other servers writing that key wait for it)", () => {
		it("a flush waits until it is given back, and does not fail", () => {
			simulate({}, (world) => {
				put(world, { Lock: foreignTxLock({ Expires: 100 }) });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const saved = hall.start(() => guild.save());
				world.wait(30);
				check(saved.answer === undefined, "it did not wait");
				put(world, { Data: { bank: 1, log: ["tx"] } });
				world.waitUntil(() => saved.answer !== undefined, 1.5);
				saved.answer!.unwrap();
				same(logOf(world), "tx a", "stored");
			});
		});

		for (const [expires, seconds] of [
			[undefined, 10],
			[20, 20],
		] as const) {
			it(`a dead transaction's expires after ${seconds} s (Expires: ${expires}), and is taken over by the flush`, () => {
				simulate({}, (world) => {
					put(world, { Lock: foreignTxLock({ Expires: expires }) });
					const hall = new Hall(world);
					const guild = hall.open();
					hall.give(guild, "a").unwrap();
					const saved = hall.start(() => guild.save());
					world.waitUntil(() => saved.answer !== undefined, 60);
					near(saved.answeredAt, seconds, 1.6, "the answer");
					same(logOf(world), "a", "stored");
					same(stored(world)?.Lock, undefined, "the lock");
				});
			});
		}

		it("seen on a backend without store time it expires by the server's own clock, whatever its Time says", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { backend: "Memory" });
				const guild = hall.open();
				// Taken by a transaction here whose give-back never comes.
				hall.server.run(() => guild.lock("gone", USUAL)).unwrap();
				hall.give(guild, "a").unwrap();
				const saved = hall.start(() => guild.save());
				world.waitUntil(() => saved.answer !== undefined, 60);
				near(saved.answeredAt, 10, 1.6, "the answer");
			});
		});

		it("1.4: one of this server's own that nothing here owns is cleared at once", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				put(world, { Lock: foreignTxLock({ JobId: hall.server.jobId }) });
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const since = world.now();
				hall.save(guild).unwrap();
				check(world.now() - since < 1, "it waited");
				same(stored(world)?.Lock, undefined, "the lock");
			});
		});

		it("one of a transaction that runs here is waited for like any other", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				put(world, { Lock: foreignTxLock({ JobId: hall.server.jobId }) });
				hall.server.run(() => txTokens(hall.server.platform).add("tx1"));
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const saved = hall.start(() => guild.save());
				world.wait(5);
				check(saved.answer === undefined, "it did not wait");
				put(world, {});
				world.waitUntil(() => saved.answer !== undefined, 1.5);
				same(logOf(world), "a", "stored");
			});
		});
	});

	describe("lockless: 6.3, a foreign Pending is a lock for flushes", () => {
		it("an undecided one is waited for; decided, it is settled and the update is replayed on it, in one write", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const saved = hall.start(() => guild.save());
				world.wait(20);
				check(saved.answer === undefined, "it did not wait");
				const version = world.store(STORE).info(KEY)!.version;
				mark(world, "x1", "committed");
				world.waitUntil(() => saved.answer !== undefined, 3);
				saved.answer!.unwrap();
				same(logOf(world), "tx a", "stored");
				same(stored(world)?.Pending, undefined, "Pending");
				check(world.store(STORE).info(KEY)!.version !== version, "nothing was written");
			});
		});

		it("an expired one is aborted, and the update lands", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending() });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const saved = hall.start(() => guild.save());
				world.waitUntil(() => saved.answer !== undefined, 100);
				near(saved.answeredAt, 60, 2.5, "the answer");
				saved.answer!.unwrap();
				same(logOf(world), "a", "stored");
				same(world.store("CKMarkers").get("x1"), "aborted", "the marker");
			});
		});

		it("one trade that a session left is recovered by its journal first", () => {
			simulate({}, (world) => {
				const seller = new Hall(world);
				const { driver } = seller;
				const [a, b] = [KEY, "Guild_2"].map((key) => seller.server.run(() => driver.load(key)).unwrap());

				// The settle of the first never lands, and the server dies.
				const dies = world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					key: KEY,
					durableOnly: true,
					nth: 2,
					effect: "crashBefore",
				});
				seller.server.spawn(() => trade(a, b, (x, y) => [donation("sold")(x), donation("bought")(y)]));
				world.waitUntil(() => dies.hits === 1, 30);
				world.wait(300);
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const fetched = hall.fetch(guild).unwrap();
				same(fetched.log.join(" "), "sold a", "as fetched");
				hall.save(guild).unwrap();
				same(logOf(world), "sold a", "stored");
				same(stored(world)?.Meta.PendingTransaction, undefined, "the pointer");
			});
		});
	});

	describe("lockless: a session load meets a transaction's lock (2.3)", () => {
		it("that waits: no request is sent, and it takes the key once the lock is given back", () => {
			simulate({}, (world) => {
				put(world, { Lock: foreignTxLock({ Expires: 100 }) });
				const hall = new Hall(world);
				hall.server.run(() => hall.driver.attach());
				const loading = hall.start(() => hall.driver.load(KEY, { waitForLock: true }));
				world.wait(8);
				check(loading.answer === undefined, "it did not wait");
				same(world.trace.count({ op: "PublishAsync" }), 0, "requests");
				put(world, { Data: { bank: 3, log: [] } });
				world.waitUntil(() => loading.answer !== undefined, 3);
				same(loading.answer!.unwrap().data.bank, 3, "the bank");
			});
		});

		it("that waits takes an expired one over", () => {
			simulate({}, (world) => {
				put(world, { Lock: foreignTxLock() });
				const hall = new Hall(world);
				const loading = hall.start(() => hall.driver.load(KEY, { waitForLock: true }));
				world.waitUntil(() => loading.answer !== undefined, 30);
				loading.answer!.unwrap();
				near(loading.answeredAt, 10, 2.5, "the answer");
			});
		});

		it("that waits takes an expired one over by its own clock where the store has no time", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { backend: "Memory" });
				const guild = hall.open();
				hall.server.run(() => guild.lock("gone", USUAL)).unwrap();
				hall.close(guild).unwrap();
				const since = world.now();
				hall.server.run(() => hall.driver.load(KEY, { waitForLock: true })).unwrap();
				near(world.now() - since, 10, 2.5, "the wait");
			});
		});

		it("that does not wait answers at once, and speaks of a transaction; a dead one's lock does not keep it out", () => {
			simulate({}, (world) => {
				put(world, { Lock: foreignTxLock() });
				const hall = new Hall(world);
				const refused = errorOf(hall.server.run(() => hall.driver.load(KEY)));
				same(refused.type, "profile_locked", "the error");
				check(refused.message.find("transaction", 1, true)[0] !== undefined, refused.message);
				world.wait(11);
				hall.server.run(() => hall.driver.load(KEY)).unwrap();
			});
		});
	});
};
