import { World } from "../../cloud/world";
import { simulate } from "../../cloud/simulate";
import { check, errorOf, same } from "../driver/writeRig";
import { breakFlushes, donation, GuildData, Hall, KEY, logOf, put, stored } from "./guilds";

const DAY = 86_400;

/** Everything that was donated, once each, whatever the order between servers. */
function expectOnce(world: World, donations: ReadonlyArray<string>): void {
	const log = [...(stored(world)!.Data as GuildData).log];
	log.sort();
	same(log.join(" "), [...donations].sort().join(" "), "stored");
	same((stored(world)!.Data as GuildData).bank, donations.size(), "the bank");
}

/** What happens between a flush and the landing of its late copy. */
const STEPS: ReadonlyArray<[name: string, step: (world: World, hall: Hall) => void]> = [
	["at once", () => {}],
	[
		"after the next flush",
		(_, hall) => {
			const guild = hall.open();
			hall.give(guild, "b").unwrap();
			hall.save(guild).unwrap();
		},
	],
	[
		"after its profile was closed",
		(_, hall) => {
			hall.close(hall.open()).unwrap();
		},
	],
	[
		"after its profile was closed and opened anew",
		(_, hall) => {
			hall.close(hall.open()).unwrap();
			const guild = hall.open();
			hall.give(guild, "b").unwrap();
			hall.save(guild).unwrap();
		},
	],
	[
		"after another server wrote and closed",
		(world) => {
			const other = new Hall(world);
			const guild = other.open();
			other.give(guild, "b").unwrap();
			other.close(guild).unwrap();
		},
	],
	[
		"after a session had the key",
		(_, hall) => {
			hall.close(hall.open()).unwrap();
			const profile = hall.server.run(() => hall.driver.load(KEY)).unwrap();
			hall.server.run(() => profile.update(donation("b"))).unwrap();
			hall.server.run(() => profile.release()).unwrap();
		},
	],
];

export = () => {
	describe("lockless: 6.6 and section 8, every write lands late, once and twice, at every later step", () => {
		for (const [name, step] of STEPS) {
			for (const effect of ["duplicate", "landLate"] as const) {
				it(`a flush (${effect}), ${name}`, () => {
					simulate({}, (world) => {
						const hall = new Hall(world);
						const guild = hall.open();
						hall.give(guild, "a").unwrap();
						breakFlushes(world, { effect, seconds: 60, count: 1 });
						hall.save(guild).unwrap();
						step(world, hall);
						const expected = (stored(world)!.Data as GuildData).log;
						world.wait(120);
						expectOnce(world, expected);
						check(expected.includes("a"), "the first donation was lost");
					});
				});
			}
		}

		it("the removal of the entry lands twice, the second time after the key was opened anew and flushed", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				breakFlushes(world, { effect: "duplicate", seconds: 60, nth: 2, count: 1 });
				hall.close(guild).unwrap();
				const anew = hall.open();
				hall.give(anew, "b").unwrap();
				hall.save(anew).unwrap();
				world.wait(90);
				hall.give(anew, "c").unwrap();
				hall.save(anew).unwrap();
				same(logOf(world), "a b c", "stored");
			});
		});

		it("a flush whose server died after sending it lands once", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				const sent = breakFlushes(world, { effect: "landLate", seconds: 30, count: 1 });
				hall.start(() => guild.save());
				world.waitUntil(() => sent.hits === 1);
				hall.server.crash();
				world.wait(60);
				const other = new Hall(world);
				const there = other.open();
				other.give(there, "b").unwrap();
				other.save(there).unwrap();
				same(logOf(world), "a b", "stored");
			});
		});

		it("many servers, every fifth answer lost, every seventh doubled late: each donation is there once", () => {
			for (const seed of [1, 2, 3]) {
				simulate({ seed, profile: "live", switches: { limits: false } }, (world) => {
					breakFlushes(world, { effect: "loseAnswer", chance: 0.2, until: 200 });
					breakFlushes(world, { effect: "duplicate", chance: 0.15, seconds: 9, until: 200 });
					breakFlushes(world, { effect: "landLate", chance: 0.1, seconds: 20, until: 200 });
					const names = new Array<string>();
					for (let n = 0; n < 4; n++) {
						const hall = new Hall(world, { flushSeconds: 7 });
						let guild = hall.open();
						for (let round = 0; round < 8; round++) {
							const name = `s${n}r${round}`;
							names.push(name);
							world.after(round * 11 + n, () => hall.server.spawn(() => guild.update(donation(name))));
						}
						// In the midst of it one opening ends and the next begins.
						world.after(45, () =>
							hall.server.spawn(() => {
								const old = guild;
								hall.server.spawn(() => old.close());
								guild = hall.driver.lockless(KEY).unwrap() as typeof guild;
							}),
						);
					}
					world.wait(400);
					expectOnce(world, names);
				});
			}
		});
	});

	describe("lockless: 6.6, lanes that are closed or a day old", () => {
		it("a writer whose first number is not above the floor takes a new one, and its update lands once", () => {
			simulate({}, (world) => {
				const floor = (world.cloudTime() + 5000) * 1000;
				put(world, { Meta: { Turn: 1, Migrations: [], FlushFloor: floor } });
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				breakFlushes(world, { effect: "loseAnswer", count: 2 });
				hall.save(guild).unwrap();
				same(logOf(world), "a", "stored");
				let entry = 0;
				for (const [_name, number] of pairs(stored(world)!.Meta.Flushed as Record<string, number>))
					entry = number;
				check(entry > floor, `the entry ${entry} is not above the floor ${floor}`);
			});
		});

		it("the entry of a server that died is removed a day later by whoever writes; its late flush lands nowhere", () => {
			simulate({ maxSeconds: 3 * DAY }, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				breakFlushes(world, { effect: "duplicate", seconds: DAY + 500, count: 1 });
				hall.save(guild).unwrap();
				hall.server.crash();
				world.wait(DAY - 100);
				const other = new Hall(world);
				const there = other.open();
				other.give(there, "b").unwrap();
				other.save(there).unwrap();
				same(entries(world), 2, "entries within the day");
				world.wait(200);
				other.give(there, "c").unwrap();
				other.save(there).unwrap();
				same(entries(world), 1, "entries after the day");
				world.wait(600);
				same(logOf(world), "a b c", "stored");
			});
		});

		it("closing removes the entry, so that nothing of a writer stays behind", () => {
			simulate({}, (world) => {
				const hall = new Hall(world);
				const guild = hall.open();
				hall.give(guild, "a").unwrap();
				hall.close(guild).unwrap();
				same(entries(world), 0, "entries");
				same(logOf(world), "a", "stored");
			});
		});
	});

	describe("lockless: a flush that is not answered for an hour is unknown (6.6), and says so", () => {
		it("its updates are dropped with a warning, those that were not sent that long ago are kept, and land once", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { flushSeconds: 10 });
				const guild = hall.open();
				hall.fetch(guild).unwrap();
				hall.give(guild, "old").unwrap();
				const outage = world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					key: KEY,
					effect: "failBefore",
				});
				world.wait(1800);
				hall.give(guild, "young").unwrap();
				world.wait(1700);
				same(guild.countQueued(), 2, "queued within the hour");
				const waiting = hall.start(() => guild.save());
				world.wait(200);
				same(guild.countQueued(), 1, "queued after the hour");
				same(guild.data?.bank, 1, "the bank as seen here");
				check(
					hall.server.warnings.some((warning) => warning.find("over an hour ago", 1, true)[0] !== undefined),
					"there was no warning",
				);
				check(waiting.answer?.success === false, "the save was answered as stored");
				outage.remove();
				world.wait(60);
				same(logOf(world), "young", "stored");
			});
		});

		it("whoever waits hears unknown_outcome", () => {
			simulate({}, (world) => {
				// So many tries that the hour passes while save waits.
				const hall = new Hall(world, { retryAttempts: 400, retryBase: 0, flushSeconds: 10_000 });
				const guild = hall.open();
				hall.give(guild, "old").unwrap();
				breakFlushes(world, { effect: "hang", until: 3700 });
				const waiting = hall.start(() => guild.save());
				world.waitUntil(() => waiting.answer !== undefined, 5000);
				same(errorOf(waiting.answer!).type, "unknown_outcome", "the answer");
				same(stored(world), undefined, "the record");
			});
		});

		it("one that landed all the same, long after, is applied once, and not over what came after it", () => {
			simulate({}, (world) => {
				const hall = new Hall(world, { flushSeconds: 10 });
				const guild = hall.open();
				hall.give(guild, "old").unwrap();
				breakFlushes(world, { effect: "landLate", seconds: 5000, count: 1 });
				const outage = breakFlushes(world, { effect: "failBefore" });
				world.wait(4000);
				outage.remove();
				hall.give(guild, "new").unwrap();
				hall.save(guild).unwrap();
				world.wait(2000);
				same(logOf(world), "new", "stored");
			});
		});
	});
};

function entries(world: World): number {
	let count = 0;
	for (const [_name] of pairs((stored(world)!.Meta.Flushed ?? {}) as Record<string, number>)) count += 1;
	return count;
}
