import { simulate } from "../../cloud/simulate";
import { check, errorOf, same } from "../driver/writeRig";
import { donation, GuildData, Hall, logOf, put } from "./guilds";

function thrownBy(body: () => unknown): string {
	const [fine, why] = pcall(body);
	if (fine) error("it did not throw", 2);
	return tostring(why);
}

export = () => {
	describe("lockless: keys and user ids", () => {
		it("a key that Roblox would refuse, or that Baton keeps, answers invalid_key", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				for (const key of ["", string.rep("k", 51), "CKTxn_1", "CKClock", "\xff"]) {
					same(errorOf(hall.server.run(() => hall.driver.lockless(key))).type, "invalid_key", key);
				}
			});
		});

		it("user ids that the store would refuse throw", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				for (const ids of [[1, 2, 3, 4, 5], [1.5], ["1"], "1"]) {
					const why = thrownBy(() => hall.server.run(() => hall.driver.lockless("k", ids as Array<number>)));
					check(why.find("userIds", 1, true)[0] !== undefined, why);
				}
			});
		});
	});

	describe("lockless: update", () => {
		it("what is no function throws; an error of the function is thrown on, and nothing is queued", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				thrownBy(() => hall.server.run(() => guild.update({} as unknown as () => GuildData)));
				const why = thrownBy(() => hall.server.run(() => guild.update(() => error("mine", 0))));
				same(why, "mine", "what was thrown");
				same(guild.countQueued(), 0, "queued");
			});
		});

		it("data that do not pass answer invalid_data with their path, and nothing is queued", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { check: (value) => (value as GuildData).bank >= 0 });
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				const unstorable = errorOf(hall.server.run(() => guild.update((data) => ({ ...data, bank: 0 / 0 }))));
				same(unstorable.type, "invalid_data", "NaN");
				same(unstorable.path, "data.bank", "the path");
				same(errorOf(hall.give(guild, "spend", -1)).type, "invalid_data", "a refused bank");
				same(guild.countQueued(), 0, "queued");
			});
		});

		it("one that yields throws, and is ended there", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				const { platform } = hall.server;
				const why = thrownBy(() =>
					hall.server.run(() =>
						guild.update((data) => {
							platform.task.wait(1);
							return data;
						}),
					),
				);
				check(why.find("yielded", 1, true)[0] !== undefined, why);
				same(guild.countQueued(), 0, "queued");
			});
		});

		it("queued before the first fetch, one that throws, yields or makes bad data is dropped by the flush alone", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				const { platform } = hall.server;
				hall.server.run(() => {
					guild.update(() => error("mine")).unwrap();
					guild
						.update((data) => {
							platform.task.wait(1);
							return data;
						})
						.unwrap();
					guild.update((data) => ({ ...data, bank: math.huge })).unwrap();
				});
				hall.give(guild, "a").unwrap();
				same(errorOf(hall.save(guild)).type, "invalid_data", "save");
				same(logOf(world), "a", "stored");
				same(hall.server.warnings.size(), 3, "warnings");
			});
		});

		it("inside another update's function it throws, also where that runs in a flush", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.server.run(() =>
					guild.update((data) => {
						guild.update(donation("inner"));
						return data;
					}),
				);
				same(errorOf(hall.save(guild)).type, "invalid_data", "save");
				check(
					hall.server.warnings[0].find("inside the function", 1, true)[0] !== undefined,
					hall.server.warnings[0],
				);
				same(guild.countQueued(), 0, "queued");
			});
		});

		it("one that changes nothing on this base is queued all the same: on another it may", () => {
			simulate({}, (world) => {
				put(world, { Data: { bank: 0, log: [] } });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				hall.server
					.run(() => guild.update((data) => (data.bank === 0 ? data : { ...data, log: ["rich"] })))
					.unwrap();
				put(world, { Data: { bank: 9, log: [] } });
				hall.save(guild).unwrap();
				same(logOf(world), "rich", "stored");
			});
		});

		it("the data are frozen", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				const data = hall.fetch(guild).unwrap();
				check(table.isfrozen(data) && table.isfrozen(data.log), "the data can be changed");
				hall.give(guild, "a").unwrap();
				hall.save(guild).unwrap();
				check(table.isfrozen(guild.data!) && table.isfrozen(guild.data.log), "the stored data can be changed");
			});
		});
	});
};
