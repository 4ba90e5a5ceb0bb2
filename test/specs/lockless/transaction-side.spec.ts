import { txTokens } from "../../../src/transaction/txLock";
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
	put,
	stored,
	USUAL,
	writesOf,
} from "./guilds";

export = () => {
	describe("lockless: 6.5, flush, transaction lock and snapshot are one update", () => {
		it("the snapshot is what is stored, with everything that was queued before; the lock is on it", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 5, log: [] } });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const since = world.now();
				same(hall.server.run(() => guild.lock("t", USUAL)).unwrap(), "taken", "the answer");
				same(writesOf(world, since), 1, "writes");
				same(guild.snapshot.bank, 6, "the snapshot");
				same((stored(world)!.Data as GuildData).bank, 6, "stored");
				const { Lock, Meta } = stored(world)!;
				same(Lock?.Token, "t", "the lock's token");
				same(Lock?.Tx, true, "Tx");
				same(Lock?.Turn, guild.lockTurn, "the lock's turn");
				same(Meta.Turn, 2, "the turn");
				check(txTokens(hall.server.platform).has("t"), "the token is not known to be running");
			});
		});

		it("what is queued meanwhile stays queued, and is not in the snapshot", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				breakFlushes(world, { effect: "delay", seconds: 2 });
				hall.give(guild, "a").unwrap();
				const locking = hall.start(() => guild.lock("t", USUAL));
				world.wait(1);
				hall.give(guild, "b").unwrap();
				world.waitUntil(() => locking.answer !== undefined);
				same(guild.snapshot.log.join(" "), "a", "the snapshot");
				same(guild.data?.log.join(" "), "a b", "the data");
				same(guild.countQueued(), 1, "queued");
			});
		});

		it("an answer that is lost is found by the next try, which writes nothing and has the same snapshot", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				breakFlushes(world, { effect: "loseAnswer", count: 1 });
				same(hall.server.run(() => guild.lock("t", USUAL)).unwrap(), "taken", "the answer");
				same(writesOf(world, 0, KEY), 1, "writes");
				same(guild.snapshot.bank, 1, "the snapshot");
				same(guild.countQueued(), 0, "queued");
			});
		});

		it("busy is answered where it is not to wait; else the lock is waited for, and its bound ends the wait", () => {
			simulate({}, (world) => {
				put(world, { Lock: foreignTxLock({ Expires: 1000 }) });
				const hall = new Hall(world);
				const guild = hall.open();
				same(hall.server.run(() => guild.lock("t", { ...USUAL, waits: false })).unwrap(), "busy", "the answer");
				const since = world.now();
				const bounded = { ...USUAL, deadline: hall.server.platform.clock() + 40 };
				same(errorOf(hall.server.run(() => guild.lock("t", bounded))).type, "busy", "after the wait");
				near(world.now() - since, 40, 2, "the wait");
			});
		});

		it("a session lock, and a store that fails for all tries, are errors", () => {
			simulate({}, (world) => {
				const owner = new Hall(world);
				const profile = owner.server.run(() => owner.driver.load(KEY)).unwrap();
				const hall = new Hall(world);
				const guild = hall.open();
				same(errorOf(hall.server.run(() => guild.lock("t", USUAL))).type, "lockless_locked", "under a session");
				owner.server.run(() => profile.release()).unwrap();
				breakFlushes(world, { effect: "failBefore" });
				const since = world.now();
				const short = { ...USUAL, retry: { attempts: 3, base: 1 } };
				same(errorOf(hall.server.run(() => guild.lock("t2", short))).type, "roblox", "while the store fails");
				near(world.now() - since, 3, 0.5, "the tries");
			});
		});

		it("6.3: a foreign Pending is resolved first", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending({ Expires: 5 }) });
				const hall = new Hall(world);
				const guild = hall.open();
				same(hall.server.run(() => guild.lock("t", USUAL)).unwrap(), "taken", "the answer");
				same(world.store("CKMarkers").get("x1"), "aborted", "the marker");
				same(stored(world)?.Pending, undefined, "Pending");
			});
		});
	});

	describe("lockless: a transaction has the profile to itself", () => {
		it("no flush starts while it is held, and one that waits for somebody's lock gives way, without a failure", () => {
			simulate({}, (world) => {
				put(world, { Lock: foreignTxLock({ Expires: 1000 }) });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const saved = hall.start(() => guild.save());
				world.wait(3);
				const since = world.now();
				const hold = hall.server.run(() => guild.takeHold())!;
				same(
					hall.server.run(() => guild.takeHold()),
					undefined,
					"a second hold",
				);
				hall.server.run(() => guild.awaitWrites());
				put(world, {});
				world.wait(30);
				same(world.trace.count({ op: "UpdateAsync", key: KEY, since }), 0, "tries while it is held");
				check(saved.answer === undefined, "the save was answered");
				hall.server.run(() => hold.finish());
				world.waitUntil(() => saved.answer !== undefined, 2);
				saved.answer!.unwrap();
				same(logOf(world), "a", "stored");
			});
		});

		it("update does not wait for it, and throws while the transaction's own function decides", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				const hold = hall.server.run(() => guild.takeHold())!;
				hall.give(guild, "a").unwrap();
				hold.deciding = true;
				const [fine, why] = pcall(() => hall.give(guild, "b"));
				check(!fine && tostring(why).find("transaction", 1, true)[0] !== undefined, tostring(why));
				same(guild.countQueued(), 1, "queued");
			});
		});

		it("what it committed becomes the base, and the queue is replayed on it", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				hall.give(guild, "a").unwrap();
				hall.server.run(() => guild.rebase({ bank: 50, log: ["tx"] }));
				same(guild.data?.log.join(" "), "tx a", "the data");
				same(guild.data?.bank, 51, "the bank");
			});
		});
	});

	describe("lockless: decided transactions are named until the record is seen clean (6.2, 6.3)", () => {
		it("onClean comes once, after an answered write, and the profile is dirty until then", () => {
			simulate({}, (world) => {
				put(world, { Pending: foreignPending({ Id: "mine" }) });
				const hall = new Hall(world, { flushSeconds: 10 });
				const guild = hall.open();
				const heard = new Array<string>();
				hall.server.run(() =>
					guild.noteDecided(
						{ id: "mine", outcome: "committed" },
						() => heard.push("clean"),
						() => heard.push("given up"),
					),
				);
				check(guild.isDirty(), "it does not count as dirty");
				breakFlushes(world, { effect: "loseAnswer", count: 1 });
				world.waitUntil(() => logOf(world) === "tx", 15);
				same(heard.join(), "", "heard before an answer");
				world.wait(5);
				same(heard.join(), "clean", "heard");
				check(!guild.isDirty(), "it still counts as dirty");
				hall.close(guild).unwrap();
				same(heard.join(), "clean", "heard in the end");
			});
		});

		it("closed without having been seen clean, onGivenUp comes; and at once where it is closed already", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				const heard = new Array<string>();
				hall.close(guild).unwrap();
				hall.server.run(() =>
					guild.noteDecided(
						{ id: "mine", outcome: "aborted" },
						() => heard.push("clean"),
						() => heard.push("given up"),
					),
				);
				same(heard.join(), "given up", "heard");
			});
		});
	});

	describe("lockless: 6.7, while an outcome is unknown old data are not written over it", () => {
		it("updates queue, save answers tx_unknown, nothing is flushed; afterwards everything lands", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { flushSeconds: 5 });
				const guild = hall.open();
				hall.server.run(() => {
					guild.undecided = true;
				});
				hall.give(guild, "a").unwrap();
				same(errorOf(hall.save(guild)).type, "tx_unknown", "save");
				same(
					hall.server.run(() => guild.takeHold()),
					undefined,
					"a hold",
				);
				world.wait(60);
				same(stored(world), undefined, "the record");
				hall.server.run(() => {
					guild.undecided = false;
				});
				world.wait(40);
				same(logOf(world), "a", "stored");
			});
		});

		it("close leaves the record as it is and says tx_unknown; what is queued lands once the outcome is known", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.server.run(() => {
					guild.undecided = true;
				});
				hall.give(guild, "a").unwrap();
				same(errorOf(hall.close(guild)).type, "tx_unknown", "close");
				same(stored(world), undefined, "the record");
				hall.server.run(() => {
					guild.undecided = false;
				});
				world.wait(40);
				same(logOf(world), "a", "stored");
			});
		});
	});
};
