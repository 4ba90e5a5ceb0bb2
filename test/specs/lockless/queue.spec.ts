import { StoredRecord } from "../../../src/record/types";
import { simulate } from "../../cloud/simulate";
import { check, errorOf, same } from "../driver/writeRig";
import { breakFlushes, donation, GuildData, Hall, KEY, logOf, put, stored, STORE, writesOf } from "./guilds";

export = () => {
	describe("lockless: update queues, save flushes", () => {
		it("an update before the first fetch is only queued; save applies it to what is stored", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 5, log: ["old"] } });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				same(guild.data, undefined, "data before the first fetch");
				same(writesOf(world), 0, "writes before save");
				hall.save(guild).unwrap();
				same(logOf(world), "old a", "stored");
				same(guild.data?.bank, 6, "the bank as seen here");
				check(stored(world)?.Lock === undefined, "a lock was left");
			});
		});

		it("updates of many servers on one key all land, each once", () => {
			simulate({ profile: "live", switches: { limits: false } }, (world) => {
				const halls = [1, 2, 3, 4].map(() => new Hall(world, { flushSeconds: 5 }));
				halls.forEach((hall, place) => {
					const guild = hall.open();
					for (let round = 0; round < 5; round++) {
						world.after(round * 3 + place, () =>
							hall.server.spawn(() => guild.update(donation(`s${place}r${round}`))),
						);
					}
				});
				world.wait(60);
				const log = (stored(world)!.Data as GuildData).log;
				same(log.size(), 20, "donations stored");
				same(new Set(log).size(), 20, "different donations stored");
				same((stored(world)!.Data as GuildData).bank, 20, "the bank");
			});
		});

		it("what is queued is flushed every flushSeconds; nothing is written while nothing is queued", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { flushSeconds: 10 });
				const guild = hall.open();
				world.wait(60);
				same(world.trace.count({ op: "UpdateAsync", store: STORE }), 0, "updates while clean");
				hall.give(guild, "a").unwrap();
				world.wait(11);
				same(logOf(world), "a", "stored");
				const since = world.now();
				world.wait(60);
				same(world.trace.count({ op: "UpdateAsync", key: KEY, since }), 0, "updates while clean again");
			});
		});

		it("calls of save made while a flush runs share one more, and each finds its own update stored", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				breakFlushes(world, { effect: "delay", seconds: 2 });
				hall.give(guild, "a").unwrap();
				const first = hall.start(() => guild.save());
				world.wait(0.5);
				hall.give(guild, "b").unwrap();
				const more = [1, 2, 3].map(() => hall.start(() => guild.save()));
				world.waitUntil(() => first.answer !== undefined);
				same(logOf(world), "a", "stored by the first");
				world.waitUntil(() => more.every((each) => each.answer !== undefined));
				same(logOf(world), "a b", "stored by the second");
				same(writesOf(world, 0, KEY), 2, "writes");
			});
		});

		it("scenario 27: flushes that lose their answers; each update lands once, in its source's order, none lost", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { flushSeconds: 1000 });
				const guild = hall.open();
				breakFlushes(world, { effect: "loseAnswer", nth: 4, count: 1 });
				breakFlushes(world, { effect: "loseAnswer", nth: 6, count: 2 });
				for (let n = 1; n <= 9; n++) {
					hall.give(guild, `u${n}`).unwrap();
					hall.start(() => guild.save());
					world.wait(0.3);
				}
				world.wait(30);
				same(logOf(world), "u1 u2 u3 u4 u5 u6 u7 u8 u9", "stored");
				check(!guild.isDirty(), "something is still queued");
			});
		});

		it("onChanged tells what changed here, and what was found stored; onSaved tells a flush", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 5, log: [] } });
				const hall = new Hall(world);
				const guild = hall.open();
				const seen = new Array<string>();
				hall.server.run(() => {
					guild.onChanged.connect((data, previous) => seen.push(`${previous?.bank} to ${data.bank}`));
					guild.onSaved.connect(() => seen.push("saved"));
				});
				hall.fetch(guild).unwrap();
				hall.give(guild, "a").unwrap();
				hall.save(guild).unwrap();
				hall.fetch(guild).unwrap();
				put(world, { Data: { bank: 50, log: [] } });
				hall.fetch(guild).unwrap();
				same(seen.join(", "), "nil to 5, 5 to 6, saved, 6 to 50", "events");
			});
		});

		it("an update that what is stored by now refuses is dropped with a warning; save says so; the others are stored", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 10, log: [] } });
				const hall = new Hall(world, {
					check: (value) => (value as GuildData).bank >= 0,
				});
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				hall.give(guild, "spend", -8).unwrap();
				hall.give(guild, "gift", 1).unwrap();
				put(world, { Data: { bank: 2, log: [] } });
				same(errorOf(hall.save(guild)).type, "invalid_data", "the answer");
				same(logOf(world), "gift", "stored");
				const [warning] = hall.server.warnings;
				for (const part of [KEY, STORE, "check"]) {
					check(
						warning.find(part, 1, true)[0] !== undefined,
						`the warning does not name ${part}: ${warning}`,
					);
				}
				same(guild.data?.bank, 3, "the bank as seen here");
				same(hall.save(guild).success, true, "the next save");
			});
		});

		it("the same where the flush that dropped it lost its answer", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 2, log: [] } });
				const hall = new Hall(world, { check: (value) => (value as GuildData).bank >= 0 });
				const guild = hall.open();
				hall.give(guild, "spend", -8).unwrap();
				hall.give(guild, "gift", 1).unwrap();
				breakFlushes(world, { effect: "loseAnswer", count: 1 });
				same(errorOf(hall.save(guild)).type, "invalid_data", "the answer");
				same(logOf(world), "gift", "stored");
			});
		});

		it("user ids and metadata of the record go on with every flush; given ones replace the ids", () => {
			simulate({}, (world) => {
				const fresh: StoredRecord = { Data: { bank: 0, log: [] }, Meta: { Turn: 0, Migrations: [] } };
				world.store(STORE).set(KEY, fresh, { userIds: [1, 2], metadata: { region: "eu" } });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				hall.save(guild).unwrap();
				same(world.store(STORE).info(KEY)!.userIds.join(), "1, 2", "user ids");
				same((world.store(STORE).info(KEY)!.metadata as { region: string }).region, "eu", "metadata");
				hall.server.run(() => hall.driver.lockless(KEY, [9])).unwrap();
				hall.give(guild, "b").unwrap();
				hall.save(guild).unwrap();
				same(world.store(STORE).info(KEY)!.userIds.join(), "9", "user ids that were given");
			});
		});
	});
};
