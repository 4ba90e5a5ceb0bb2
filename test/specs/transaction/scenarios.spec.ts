import { Profile } from "../../../src/driver/profile";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { StoredRecord } from "../../../src/record/types";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { transaction } from "../../../src/transaction/transaction";
import { FaultEffect } from "../../cloud/faults";
import { World } from "../../cloud/world";
import {
	CASTS,
	errorOf,
	FIVE,
	House,
	MIXED,
	must,
	Parties,
	Purse,
	TWO_LOCKED,
	TWO_LOCKLESS,
	withParties,
} from "./parties";
import { stepsOf } from "./steps";

/** The marker is asked for and does not answer. */
const SILENT_MARKER = { store: MARKER_STORE, op: "UpdateAsync" };

/** Gives the transaction no more than a second in the eyes of lockless readers. */
const SHORT = { txTtl: 1 };

function finish(parties: Parties, houses: ReadonlyArray<House>): void {
	parties.host.close();
	for (const house of houses) house.close();
	parties.checkAnswer(parties.audit());
}

/** The guild ends with these coins and the transaction's item, the player as committed. */
function finishAt(parties: Parties, fresh: House, guild: Parties["cast"][number], coins: number): void {
	parties.host.close();
	fresh.close();
	const record = parties.record(guild);
	must((record.Data as Purse).coins === coins, `the guild has ${(record.Data as Purse).coins} coins, not ${coins}`);
	must(record.Pending === undefined && record.Lock === undefined, "something is left on the guild");
}

export = () => {
	describe("scenario 25: a reader's abort races the coordinator's commit, three of five prepared", () => {
		for (let tenths = 2; tenths <= 80; tenths += 6) {
			it(`the reader comes ${tenths / 10} s after the start: all or none, and the answer is true`, () => {
				withParties(FIVE, (parties, [fresh], world) => {
					const [, , guild, market, stall] = FIVE;
					for (const late of [market, stall]) {
						const { store, key } = late;
						const nth = late.isLockless ? 2 : 1;
						parties.fault({ store, key, nth, count: 1, durableOnly: true, effect: "delay", seconds: 5 });
					}
					parties.start(SHORT);
					world.wait(tenths / 10);
					const seen = parties.outcomeOf(fresh.read(guild), guild);
					parties.answered();
					must(
						parties.record(guild).Pending === undefined || parties.markers().size() === 1,
						"no decision is left",
					);
					parties.checkAnswer(seen);
					finish(parties, [fresh]);
				});
			});
		}
	});

	it("scenario 26: its lock expires while the owner stalls and another writer goes ahead: tx_lock_lost, and it aborts", () => {
		withParties(MIXED, (parties, [fresh], world) => {
			const [, guild] = MIXED;
			const { store, key } = guild;
			parties.fault({ store, key, durableOnly: true, nth: 2, effect: "failBefore", until: world.now() + 14 });
			parties.start();
			world.wait(1);
			const other = fresh.lockless(guild);
			const began = world.now();
			fresh.server.run(() => other.update((data) => ({ ...data, coins: data.coins + 1000 }))).unwrap();
			fresh.server.run(() => other.save()).unwrap();
			must(world.now() - began > 8 && world.now() - began < 14, `the writer waited ${world.now() - began} s`);
			const problem = errorOf(parties.answered());
			expect(problem.type).to.equal("tx_aborted");
			expect(problem.cause?.type).to.equal("tx_lock_lost");
			parties.host.close();
			fresh.close();
			expect((parties.record(MIXED[0]).Data as Purse).coins).to.equal(100);
			expect((parties.record(guild).Data as Purse).coins).to.equal(1100);
		});
	});

	it("rule 6.5: while a transaction holds a lockless key, other servers' writers wait for it and do not fail", () => {
		withParties(MIXED, (parties, [fresh], world) => {
			const [player, guild] = MIXED;
			const { store, key } = player;
			parties.fault({ store, key, durableOnly: true, nth: 1, count: 1, effect: "delay", seconds: 4 });
			parties.start();
			world.wait(0.05);
			const other = fresh.lockless(guild);
			fresh.server.run(() => other.update((data) => ({ ...data, coins: data.coins + 1000 }))).unwrap();
			fresh.server.run(() => other.save()).unwrap();
			expect(parties.answered().unwrap()).to.equal(true);
			finishAt(parties, fresh, guild, 1101);
		});
	});

	describe("scenario 27: u1 to u9, a transaction between u4 and u5, the flushes of u4 and u6 lose their answers", () => {
		const effects: ReadonlyArray<FaultEffect> = [
			"loseAnswer",
			"landLate",
			"loseCommit",
			"rerun",
			"conflict",
			"duplicate",
		];
		for (const effect of effects) {
			it(`each applies once, in its order, none lost (${effect})`, () => {
				withParties(MIXED, (parties, [fresh], world) => {
					const [, guild] = MIXED;
					const { store, key } = guild;
					const [player, bank] = parties.profiles as unknown as [Profile<Purse>, LocklessProfile<Purse>];
					const { server } = parties.host;
					const add = (name: string) =>
						server.run(() => bank.update((data) => ({ ...data, items: [...data.items, name] }))).unwrap();
					const flush = (faulty: boolean) => {
						if (faulty)
							parties.fault({ store, key, durableOnly: true, count: 1, effect, seconds: 3, times: 2 });
						server.run(() => bank.save()).unwrap();
					};
					for (const name of ["u1", "u2", "u3", "u4"]) {
						add(name);
						flush(name === "u4");
					}
					server
						.run(() =>
							transaction([player, bank], (ctx) => {
								ctx.set(player, { coins: 0, items: [] });
								ctx.set(bank, { coins: 200, items: [...ctx.get(bank).items, "tx"] });
							}),
						)
						.unwrap();
					for (const name of ["u5", "u6", "u7", "u8", "u9"]) {
						add(name);
						if (name !== "u8") flush(name === "u6");
					}
					world.wait(20);
					parties.host.close();
					const found = fresh.read(guild);
					expect(found.items.join(",")).to.equal("G,u1,u2,u3,u4,tx,u5,u6,u7,u8,u9");
					expect(found.coins).to.equal(200);
				});
			});
		}
	});

	describe("scenario 28: transforms run three times on different bases: the result equals one application", () => {
		for (const [name, cast] of CASTS) {
			for (const step of stepsOf(cast)) {
				if (step.where.op === "RemoveAsync") continue;
				for (const effect of ["rerun", "loseCommit", "conflict"] as const) {
					it(`${name}: ${step.title} (${effect})`, () => {
						withParties(cast, (parties, [fresh], world) => {
							const fault = parties.fault({
								...step.where,
								durableOnly: true,
								count: 1,
								effect,
								times: 2,
							});
							parties.start();
							expect(parties.answered().unwrap()).to.equal(true);
							for (const profile of parties.profiles) parties.host.server.spawn(() => profile.save());
							world.wait(5);
							expect(fault.hits).to.equal(1);
							expect(parties.readAllAfterClose(fresh)).to.equal("committed");
						});
					});
				}
			}
		}
	});

	describe("the seed: if the marker write has an unknown outcome, participants block until a retry answers", () => {
		for (const effect of ["failBefore", "loseAnswer", "hang"] as const) {
			for (const [name, cast] of CASTS) {
				it(`${name}, ${effect}: tx_unknown, no changes meanwhile, committed once it answers`, () => {
					withParties(cast, (parties, [fresh], world) => {
						const outage = parties.fault({ ...SILENT_MARKER, effect, lands: true });
						parties.start();
						expect(errorOf(parties.answered()).type).to.equal("tx_unknown");
						const { server } = parties.host;
						for (const profile of parties.profiles) {
							expect(errorOf(server.run(() => profile.save())).type).to.equal("tx_unknown");
						}
						expect(errorOf(parties.run()).type).to.equal("tx_unknown");
						world.wait(200);
						for (const party of cast)
							must(parties.record(party).Pending !== undefined, `${party.key} was written`);
						outage.remove();
						world.wait(60);
						parties.profiles.forEach((profile, index) => {
							expect(parties.outcomeOf(profile.data, cast[index])).to.equal("committed");
						});
						world.wait(100);
						expect(parties.markers().size()).to.equal(0);
						expect(parties.readAllAfterClose(fresh)).to.equal("committed");
					});
				});

				it(`${name}, ${effect}: leaving while blocked leaves the records for their next reader to resolve`, () => {
					withParties(cast, (parties, [fresh], world) => {
						const outage = parties.fault({ ...SILENT_MARKER, effect, lands: true });
						parties.start();
						parties.answered();
						parties.host.close();
						for (const party of cast)
							must(parties.record(party).Pending !== undefined, `${party.key} was written`);
						const expected = parties.markers().isEmpty() ? "aborted" : "committed";
						expect(parties.readAll(fresh)).to.equal(expected);
						outage.remove();
						world.wait(100);
						fresh.close();
						const again = parties.another();
						expect(parties.readAll(again)).to.equal(expected);
					});
				});
			}
		}
	});

	describe("rule 6.7: when phase one failed nobody can commit: tx_aborted is true at once, even while the marker is unknown", () => {
		for (const [name, cast] of CASTS) {
			it(name, () => {
				withParties(cast, (parties, [fresh], world) => {
					const { store, key, isLockless } = cast[1];
					parties.fault({ ...SILENT_MARKER, effect: "hang" });
					const nth = isLockless ? 2 : 1;
					const fault = parties.fault({ store, key, durableOnly: true, nth, effect: "failBefore" });
					parties.start({ retryAttempts: 2 });
					const problem = errorOf(parties.answered(40));
					expect(problem.type).to.equal("tx_aborted");
					expect(problem.cause?.type).to.equal("roblox");
					fault.remove();
					world.wait(100);
					expect(parties.readAllAfterClose(fresh)).to.equal("aborted");
				});
			});
		}
	});

	it("a takeover between prepare and decision resolves before the data is shown; the old coordinator's commit loses", () => {
		withParties(TWO_LOCKED, (parties, [fresh], world) => {
			const [a] = TWO_LOCKED;
			parties.fault({ ...SILENT_MARKER, durableOnly: true, count: 1, effect: "landLate", seconds: 40 });
			parties.start();
			world.waitUntil(() => parties.record(a).Pending !== undefined, 5);
			world.wait(0.5);
			parties.host.server.pause();
			const loaded = fresh.load(a, 60).unwrap();
			expect(parties.outcomeOf(loaded.data, a)).to.equal("aborted");
			world.wait(30);
			parties.host.server.resume();
			const problem = errorOf(parties.answered());
			expect(problem.type).to.equal("tx_aborted");
			expect(problem.cause).to.equal(undefined);
			world.wait(30);
			finish(parties, [fresh]);
		});
	});

	describe("a session lock lost in phase one aborts all, with the thief's lock in the cause", () => {
		const thief = { JobId: "thief", Token: "stolen", Seq: 0, Time: 0 };
		const rob = (world: World, { store, key }: { store: string; key: string }) => {
			const record = world.store(store).get(key) as StoredRecord;
			const Turn = record.Meta.Turn + 1;
			world.store(store).set(key, { ...record, Lock: { ...thief, Turn }, Meta: { ...record.Meta, Turn } });
		};
		for (const [what, isChanged] of [
			["that was to be changed", true],
			["that was only read", false],
		] as const) {
			it(`of a participant ${what}`, () => {
				withParties(FIVE, (parties, _fresh, world) => {
					const { profiles, host } = parties;
					rob(world, FIVE[1]);
					const result = host.server.run(() =>
						transaction(profiles, (ctx) => {
							profiles.forEach((profile, index) => {
								if (index !== 1 || isChanged) ctx.set(profile, { coins: 0, items: [] });
							});
						}),
					);
					const problem = errorOf(result);
					expect(problem.type).to.equal("tx_aborted");
					expect(problem.cause?.type).to.equal("lock_lost");
					expect(problem.cause?.holder?.jobId).to.equal("thief");
					world.wait(100);
					for (const party of FIVE) expect((parties.record(party).Data as Purse).coins).to.equal(100);
					expect(parties.markers().size()).to.equal(0);
				});
			});
		}
	});

	describe("a marker that is neither of its two values: tx_marker_invalid, and the operator's way out", () => {
		/** The server dies before the marker, which somebody then writes over. */
		const broken = (cast: Parties["cast"], body: (parties: Parties, fresh: House, id: string) => void) =>
			withParties(cast, (parties, [fresh], world) => {
				parties.fault({ ...SILENT_MARKER, durableOnly: true, effect: "crashBefore" });
				parties.start();
				world.waitUntil(() => !parties.host.server.alive, 60);
				const id = parties.record(cast[0]).Pending!.Id;
				world.store(MARKER_STORE).set(id, "perhaps");
				body(parties, fresh, id);
			});

		it("load and peek answer it and leave the record; abandonTransaction keeps the data and warns", () => {
			broken(TWO_LOCKED, (parties, fresh, id) => {
				const [a] = TWO_LOCKED;
				const driver = fresh.driver(a.store);
				expect(errorOf(fresh.server.run(() => driver.peek(a.key))).type).to.equal("tx_marker_invalid");
				expect(errorOf(fresh.load(a, 60)).type).to.equal("tx_marker_invalid");
				must(parties.record(a).Pending !== undefined, "the record was changed");
				const wish = { waitForLock: true, abandonTransaction: id };
				const loaded = fresh.server.run(() => driver.load(a.key, wish)).unwrap();
				expect(parties.outcomeOf(loaded.data, a)).to.equal("aborted");
				must(
					fresh.server.warnings.some((warning) => warning.find("given up", 1, true)[0] !== undefined),
					"nothing was said",
				);
				fresh.close();
				must(parties.record(a).Pending === undefined, "the Pending is still there");
			});
		});

		it("6.7, I5: one that does not answer for a while is waited for: the load shows what it says then, whatever it was told to abandon", () => {
			for (const tells of [false, true]) {
				broken(TWO_LOCKED, (parties, fresh, id) => {
					const [a] = TWO_LOCKED;
					parties.world.store(MARKER_STORE).set(id, "committed");
					// Its session's lock is old enough to be taken.
					parties.world.wait(400);
					const outage = { service: "DataStore", op: "UpdateAsync", store: MARKER_STORE } as const;
					const failing = parties.world.faults.add({ ...outage, effect: "failBefore", count: 2 });
					const wish = { waitForLock: true, abandonTransaction: tells ? id : undefined };
					const loaded = fresh.server.run(() => fresh.driver(a.store).load(a.key, wish)).unwrap();
					must(failing.hits === 2, "the marker was not asked for");
					expect(parties.outcomeOf(loaded.data, a)).to.equal("committed");
				});
			}
		});

		it("fetch and save of a lockless profile answer it", () => {
			broken(TWO_LOCKLESS, (_parties, fresh) => {
				const guild = fresh.lockless(TWO_LOCKLESS[0]);
				expect(errorOf(fresh.server.run(() => guild.fetch())).type).to.equal("tx_marker_invalid");
				fresh.server.run(() => guild.update((data) => ({ ...data }))).unwrap();
				expect(errorOf(fresh.server.run(() => guild.save())).type).to.equal("tx_marker_invalid");
			});
		});
	});

	it("txTtl: a lockless reader gives a live coordinator 60 s, or what the transaction says, and then has it aborted", () => {
		for (const [config, seconds] of [
			[undefined, 60],
			[{ txTtl: 5 }, 5],
			[{ txTtl: 100 }, 100],
		] as const) {
			withParties(TWO_LOCKLESS, (parties, [fresh], world) => {
				parties.fault({ ...SILENT_MARKER, durableOnly: true, effect: "crashBefore" });
				parties.start(config);
				world.waitUntil(() => !parties.host.server.alive, 60);
				const began = world.now();
				expect(parties.outcomeOf(fresh.read(TWO_LOCKLESS[0]), TWO_LOCKLESS[0])).to.equal("aborted");
				const waited = world.now() - began;
				must(waited >= seconds - 1 && waited <= seconds + 4, `it waited ${waited} s, not ${seconds}`);
			});
		}
	});

	it("a lockless key under a live session lock: what locking it raised, lockless_locked, and nothing is written", () => {
		withParties(MIXED, (parties, [fresh], world) => {
			const [, guild] = MIXED;
			fresh.load(guild).unwrap();
			const problem = errorOf(parties.run());
			expect(problem.type).to.equal("lockless_locked");
			world.wait(1);
			must(parties.record(MIXED[0]).Pending === undefined, "the player was prepared");
		});
	});

	describe("scenario 24's neighbour: transactions over the same lockless keys in opposite orders never deadlock", () => {
		for (const profile of ["fast", "live"] as const) {
			it(`on three servers (${profile})`, () => {
				withParties(
					TWO_LOCKLESS,
					(parties, fresh, world) => {
						const houses = [parties.host, ...fresh];
						const ended = new Array<string>();
						houses.forEach((house, index) => {
							const both = TWO_LOCKLESS.map((party) => house.lockless(party));
							const [g, h] = index === 1 ? [both[1], both[0]] : both;
							house.server.spawn(() => {
								const result = transaction([g, h], (ctx) => {
									ctx.set(g, { ...ctx.get(g), coins: ctx.get(g).coins - 1 });
									ctx.set(h, { ...ctx.get(h), coins: ctx.get(h).coins + 1 });
								});
								ended.push(result.success ? `${result.value}` : result.error.type);
							});
						});
						world.waitUntil(() => ended.size() === 3, 120);
						expect(ended.join(",")).to.equal("true,true,true");
						const reader = parties.another();
						const sum = TWO_LOCKLESS.map((party) => reader.read(party).coins).reduce((a, b) => a + b);
						expect(sum).to.equal(200);
					},
					{ profile },
				);
			});
		}
	});

	it("peek shows what is committed and writes nothing, also while the record still carries its Pending", () => {
		withParties(FIVE, (parties, [fresh], world) => {
			expect(parties.run().unwrap()).to.equal(true);
			const since = world.now();
			expect(parties.peekAll(fresh)).to.equal("committed");
			const name = fresh.server.name;
			const own = world.trace.select({ service: "DataStore", since }).filter((call) => call.server === name);
			must(
				own.every((call) => call.wrote !== true),
				"peek has written",
			);
		});
	});
};
