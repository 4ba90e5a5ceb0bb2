import { memoryBackend } from "../../../src/backend/memory";
import { Profile } from "../../../src/driver/profile";
import { DataDriver } from "../../../src/driver/dataDriver";
import { OpenProfile } from "../../../src/driver/openProfile";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { transaction } from "../../../src/transaction/transaction";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { roundsOf } from "../../story/story";
import { errorOf, FIVE, MIXED, must, Parties, Purse, TWO_LOCKED, TWO_LOCKLESS } from "./parties";

/** A cast on one server of a fresh world. */
function open(cast: Parties["cast"], body: (parties: Parties, world: World) => void): World {
	return simulate({ seed: 1 }, (world) => body(new Parties(world, cast), world));
}

function writes({ world, since }: Parties, more: { readonly store?: string } = {}): number {
	return world.trace.durableWrites({ service: "DataStore", since, ...more });
}

/** What `body` throws, run on the parties' server. */
function thrownBy({ host }: Parties, body: () => void): string {
	const thrown = host.server.run(() => {
		const [fine, why] = pcall(body);
		return { fine, why };
	});
	must(!thrown.fine, "it did not throw");
	return tostring(thrown.why);
}

function hasText(text: string, part: string): void {
	must(text.find(part, 1, true)[0] !== undefined, `"${text}" does not say "${part}"`);
}

export = () => {
	describe("a transaction", () => {
		it('seed "Usage": committed gives Ok(true), and every participant has its new data', () => {
			open(FIVE, (parties) => {
				expect(parties.run().unwrap()).to.equal(true);
				parties.profiles.forEach((profile, index) => {
					expect(parties.outcomeOf(profile.data, parties.cast[index])).to.equal("committed");
				});
			});
		});

		it('seed "Usage": a callback that returns false cancels: Ok(false), and nothing of the data is written', () => {
			open(MIXED, (parties) => {
				const { host, profiles } = parties;
				const before = parties.cast.map((party) => parties.record(party).Data);
				const result = host.server.run(() =>
					transaction(profiles, (ctx) => {
						for (const profile of profiles) ctx.set(profile, { coins: 0, items: [] });
						return false;
					}),
				);
				expect(result.unwrap()).to.equal(false);
				parties.cast.forEach((party, index) => {
					const record = parties.record(party);
					expect((record.Data as Purse).coins).to.equal((before[index] as Purse).coins);
					expect(record.Lock?.Tx).never.to.equal(true);
				});
			});
		});

		it('seed "Rules": get gives frozen data; set stages them for the next get; a reference that stays is unchanged', () => {
			open(TWO_LOCKED, (parties) => {
				const [a, b] = parties.profiles;
				const result = parties.host.server.run(() =>
					transaction([a, b], (ctx) => {
						const [fine] = pcall(() => ((ctx.get(a) as { coins: number }).coins = 1));
						must(!fine, "the data were not frozen");
						ctx.set(a, { coins: 1, items: [] });
						must(ctx.get(a).coins === 1, "set was not staged");
						ctx.set(b, ctx.get(b));
					}),
				);
				expect(result.unwrap()).to.equal(true);
				expect(writes(parties)).to.equal(1);
			});
		});

		it('seed "How it works": one that changes one profile is a plain write, no marker involved', () => {
			for (const cast of [TWO_LOCKED, MIXED, TWO_LOCKLESS]) {
				open(cast, (parties) => {
					const { profiles, host, world, since } = parties;
					const [first] = profiles;
					host.server
						.run(() => transaction(profiles, (ctx) => ctx.set(first, { coins: 7, items: [] })))
						.unwrap();
					expect(world.trace.count({ service: "DataStore", store: MARKER_STORE, since })).to.equal(0);
					expect((parties.record(cast[0]).Data as Purse).coins).to.equal(7);
					expect(parties.record(cast[0]).Meta.TransactionIds?.size()).to.equal(1);
				});
			}
		});

		it("rule 6.5: one that changes nothing writes nothing of the data, and is committed", () => {
			open(TWO_LOCKED, (parties) => {
				const { profiles, host } = parties;
				expect(host.server.run(() => transaction(profiles, () => {})).unwrap()).to.equal(true);
				expect(writes(parties)).to.equal(0);
			});
		});

		it("rule 6.5: a session-locked profile with unsaved changes counts as changed: what was read becomes durable", () => {
			open(TWO_LOCKED, (parties, world) => {
				const { profiles, host, cast } = parties;
				const [a, b] = profiles as unknown as [Profile<Purse>, Profile<Purse>];
				host.server.run(() => a.update((data) => ({ ...data, coins: 500 }))).unwrap();
				host.server
					.run(() => transaction([a, b], (ctx) => ctx.set(b, { coins: ctx.get(a).coins, items: [] })))
					.unwrap();
				host.server.crash();
				const fresh = parties.another();
				world.wait(20);
				expect(fresh.load(cast[0]).unwrap().data.coins).to.equal(500);
				expect(fresh.load(cast[1]).unwrap().data.coins).to.equal(500);
			});
		});

		it("the positional form gets data by position and returns the next ones, or false", () => {
			open(TWO_LOCKED, (parties) => {
				const { host } = parties;
				const profiles = parties.profiles as unknown as [Profile<Purse>, Profile<Purse>];
				const driver = host.driver("Players");
				const give = (coins: number) =>
					host.server.run(() =>
						driver.transaction(profiles, ([mine, yours]) =>
							coins > mine.coins
								? false
								: [
										{ ...mine, coins: mine.coins - coins },
										{ ...yours, coins: yours.coins + coins },
									],
						),
					);
				expect(give(5).unwrap()).to.equal(true);
				expect(give(500).unwrap()).to.equal(false);
				expect(profiles[0].data.coins).to.equal(95);
				expect(profiles[1].data.coins).to.equal(105);
			});
		});
	});

	describe("what a transaction costs (the issue's figures)", () => {
		const costs: ReadonlyArray<readonly [string, Parties["cast"], number, number, number]> = [
			["2 locked", TWO_LOCKED, 3, 2, 6],
			["1 locked, 1 lockless", MIXED, 4, 3, 7],
			["2 lockless", TWO_LOCKLESS, 5, 3, 8],
			["5 mixed", FIVE, 8, 3, 14],
		];
		for (const [name, cast, durable, rounds, inAll] of costs) {
			it(`${name}: ${durable} durable writes in ${rounds} rounds until the answer, ${inAll} requests with all that comes later`, () => {
				open(cast, (parties, world) => {
					parties.run().unwrap();
					expect(writes(parties)).to.equal(durable);
					const { since } = parties;
					expect(roundsOf(world.trace.select({ service: "DataStore", wrote: true, since }))).to.equal(rounds);
					world.wait(100);
					const requests = world.trace.select({ service: "DataStore", since: parties.since });
					expect(requests.filter((call) => call.wrote).size()).to.equal(inAll);
					expect(parties.markers().size()).to.equal(0);
					parties.audit("committed");
				});
			});
		}
	});

	describe("a transaction refuses", () => {
		it("rule 6.5: busy, where another trade or transaction has a profile; nothing is written", () => {
			open(MIXED, (parties, world) => {
				parties.start();
				const again = errorOf(parties.run());
				expect(again.type).to.equal("busy");
				world.wait(5);
				expect(parties.answered().unwrap()).to.equal(true);
			});
		});

		it("a released profile with released, a closed lockless one with profile_closed", () => {
			open(MIXED, (parties) => {
				const { host, profiles } = parties;
				const [player, guild] = profiles as unknown as [Profile<Purse>, LocklessProfile<Purse>];
				host.server.run(() => player.release()).unwrap();
				expect(errorOf(parties.run()).type).to.equal("released");
				host.server.run(() => guild.close()).unwrap();
				const alone = host.server.run(() => transaction([guild], () => {}));
				expect(errorOf(alone).type).to.equal("profile_closed");
			});
		});

		it("data that cannot be stored: tx_aborted with cause invalid_data, every lock given back", () => {
			open(MIXED, (parties) => {
				const { host, profiles, cast } = parties;
				const result = host.server.run(() =>
					transaction(profiles, (ctx) => {
						ctx.set(profiles[0], { coins: 1, items: [] });
						ctx.set(profiles[1], { coins: 0 / 0, items: [] });
					}),
				);
				const problem = errorOf(result);
				expect(problem.type).to.equal("tx_aborted");
				expect(problem.cause?.type).to.equal("invalid_data");
				expect(parties.record(cast[1]).Lock).to.equal(undefined);
				parties.audit("aborted");
			});
		});

		it("data that cannot be stored, where it changes one profile alone: nothing is written", () => {
			open(TWO_LOCKED, (parties) => {
				const { host, profiles } = parties;
				const result = host.server.run(() =>
					transaction(profiles, (ctx) => ctx.set(profiles[0], { coins: 0 / 0, items: [] })),
				);
				expect(errorOf(result).cause?.type).to.equal("invalid_data");
				expect(writes(parties)).to.equal(0);
			});
		});

		it("data that do not fit into a record beside those from before, with both sizes in the message", () => {
			open(TWO_LOCKED, (parties) => {
				const { host, profiles } = parties;
				const big = string.rep("x", 2_200_000);
				host.server.run(() => profiles[0].update((data) => ({ ...data, items: [big] }))).unwrap();
				const result = host.server.run(() =>
					transaction(profiles, (ctx) => {
						ctx.set(profiles[0], { coins: 1, items: [`y${big}`] });
						ctx.set(profiles[1], { coins: 1, items: [] });
					}),
				);
				const problem = errorOf(result);
				expect(problem.cause?.type).to.equal("invalid_data");
				hasText(problem.message, "2200");
				expect(writes(parties)).to.equal(0);
			});
		});
	});

	it("rule 6.5: a change of one profile alone is off where another's lock turns out to be lost", () => {
		open(TWO_LOCKED, (parties, world) => {
			const { host, profiles, cast } = parties;
			const record = parties.record(cast[1]);
			const Lock = { ...record.Lock!, JobId: "elsewhere", Token: "x" };
			world.store(cast[1].store).set(cast[1].key, { ...record, Lock });
			const result = host.server.run(() =>
				transaction(profiles, (ctx) => ctx.set(profiles[0], { coins: 1, items: [] })),
			);
			expect(errorOf(result).type).to.equal("tx_aborted");
			expect(errorOf(result).cause?.type).to.equal("lock_lost");
			expect((parties.record(cast[0]).Data as Purse).coins).to.equal(100);
		});
	});

	it("rule 6.2: an aborted one leaves its verdict for whoever meets what was prepared", () => {
		open(TWO_LOCKED, (parties, world) => {
			const { store, key } = TWO_LOCKED[1];
			parties.fault({ store, key, op: "UpdateAsync", effect: "failBefore" });
			expect(errorOf(parties.run({ retryAttempts: 2, retryBase: 0.5 })).type).to.equal("tx_aborted");
			world.wait(2);
			must(parties.record(TWO_LOCKED[0]).Pending !== undefined, "nothing was prepared");
			expect(parties.markers().size()).to.equal(1);
			expect(world.store(MARKER_STORE).get(parties.markers()[0])).to.equal("aborted");
		});
	});

	it("rule 6.5: an aborted one gives its lock on a lockless key back, also where its prepare failed", () => {
		open(MIXED, (parties, world) => {
			const { store, key } = MIXED[1];
			parties.fault({ store, key, op: "UpdateAsync", nth: 2, count: 2, effect: "failBefore" });
			expect(errorOf(parties.run({ retryAttempts: 2, retryBase: 0.5 })).type).to.equal("tx_aborted");
			world.wait(3);
			expect(parties.record(MIXED[1]).Lock).to.equal(undefined);
		});
	});

	it("rule 1.4: a lock of its own that lands after it was given back is an orphan, which the next write clears at once", () => {
		open(MIXED, (parties, world) => {
			const [, guild] = MIXED;
			const { store, key } = guild;
			parties.fault({ store, key, op: "UpdateAsync", count: 1, effect: "landLate", seconds: 60 });
			expect(parties.run().unwrap()).to.equal(true);
			const profile = parties.profiles[1] as LocklessProfile<Purse>;
			const add = () =>
				parties.host.server.run(() => {
					profile.update((data) => ({ ...data, coins: data.coins + 1 })).unwrap();
					return profile.save();
				});
			// Takes the stamp away by which a lock under that token would recognize itself as given back.
			add().unwrap();
			world.waitUntil(() => parties.record(guild).Lock !== undefined, 100);
			const since = world.now();
			add().unwrap();
			must(world.now() - since < 1, `it waited ${world.now() - since} s`);
			expect(parties.record(guild).Lock).to.equal(undefined);
			expect((parties.record(guild).Data as Purse).coins).to.equal(103);
		});
	});

	it("rule 1.1: one of a single profile that a renewal of the lock has passed is off, and all shows the data from before", () => {
		open([TWO_LOCKED[0]], (parties, world) => {
			const [{ store, key }] = parties.cast;
			const [profile] = parties.profiles as unknown as [OpenProfile<Purse>];
			const outage = parties.fault({ store, key, effect: "failBefore" });
			const set = () => transaction([profile], (ctx) => ctx.set(profile, { coins: 7, items: [] }));
			expect(errorOf(parties.host.server.run(set)).type).to.equal("tx_unknown");
			outage.remove();
			const again = parties.fault({ store, key, op: "UpdateAsync", count: 1, effect: "delay", seconds: 5 });
			world.waitUntil(() => again.hits === 1, 60);
			parties.host.server.run(() => profile.writer.renewNow());
			world.wait(10);
			expect(profile.data.coins).to.equal(100);
			parties.host.server.run(() => profile.update((data) => ({ ...data, coins: data.coins + 1 }))).unwrap();
			parties.host.close();
			expect((parties.record(parties.cast[0]).Data as Purse).coins).to.equal(101);
		});
	});

	it("rule 6.2: where a prepare may land under the lock of a closed lockless profile, the marker stays and tells how it ended", () => {
		open(MIXED, (parties, world) => {
			const [player, guild] = MIXED;
			const { store, key } = guild;
			const { host } = parties;
			// Its prepare is on its way for long, and nothing else of it lands.
			const prepare = { store, key, op: "UpdateAsync", nth: 2, count: 1 } as const;
			const late = parties.fault({ ...prepare, effect: "landLate", seconds: 150 });
			parties.fault({ store, key, op: "UpdateAsync", nth: 3, effect: "failBefore" });
			parties.start({ retryAttempts: 6 });
			world.waitUntil(() => late.hits === 1, 5);
			// The close waits for the transaction for a while, and then no longer.
			host.server.spawn(() => host.driver(store).close());
			expect(errorOf(parties.answered()).type).to.equal("tx_aborted");
			world.waitUntil(() => parties.record(guild).Pending !== undefined, 200);
			must(parties.record(player).Pending === undefined, "the player was not tidied");
			expect(world.store(MARKER_STORE).get(parties.record(guild).Pending!.Id)).to.equal("aborted");
		});
	});

	describe("misuse throws, with every lock given back first and nothing written", () => {
		const misuse: ReadonlyArray<readonly [string, string, (parties: Parties) => void]> = [
			["no profiles", "one or more", () => transaction([], () => {})],
			["a profile twice", "twice", ({ profiles }) => transaction([profiles[0], profiles[0]], () => {})],
			["something else than a profile", "opened", () => transaction([{} as never], () => {})],
			["no function", "function", ({ profiles }) => transaction(profiles, undefined as never)],
			["an unknown option", "txTTL", ({ profiles }) => transaction(profiles, () => {}, { txTTL: 1 } as never)],
			[
				"an option of the wrong kind",
				"lockTtl",
				({ profiles }) => transaction(profiles, () => {}, { lockTtl: 0 }),
			],
			[
				"ctx.set of nothing",
				"next data",
				({ profiles }) => transaction(profiles, (ctx) => ctx.set(profiles[1], undefined as never)),
			],
			[
				"ctx.get of a profile that takes no part",
				"of this transaction",
				({ profiles }) =>
					transaction([profiles[1]], (ctx) => {
						ctx.get(profiles[0]);
					}),
			],
			[
				"update inside the callback",
				"inside",
				({ profiles }) =>
					transaction(profiles, () => {
						profiles[0].update((data) => data);
					}),
			],
			[
				"update of a lockless profile inside the callback",
				"inside",
				({ profiles }) =>
					transaction(profiles, () => {
						profiles[1].update((data) => data);
					}),
			],
			[
				"save inside the callback",
				"inside",
				({ profiles }) =>
					transaction(profiles, () => {
						profiles[0].save();
					}),
			],
			[
				"save of a lockless profile inside the callback",
				"inside",
				({ profiles }) =>
					transaction(profiles, () => {
						profiles[1].save();
					}),
			],
			["a callback that throws", "my own", ({ profiles }) => transaction(profiles, () => error("my own", 0))],
			[
				"a callback that yields",
				"yielded",
				({ profiles, host }) =>
					transaction(profiles, () => {
						host.server.platform.task.wait(1);
					}),
			],
		];
		for (const [title, part, body] of misuse) {
			it(title, () => {
				open(MIXED, (parties, world) => {
					hasText(
						thrownBy(parties, () => body(parties)),
						part,
					);
					for (const party of parties.cast) must(parties.record(party).Lock?.Tx !== true, "a lock is left");
					parties.audit("aborted");
					world.wait(1);
					expect(parties.run().unwrap()).to.equal(true);
				});
			});
		}

		it("the context after the callback has returned", () => {
			open(TWO_LOCKED, (parties) => {
				const { profiles, host } = parties;
				let late: (() => void) | undefined;
				host.server
					.run(() =>
						transaction(profiles, (ctx) => {
							late = () => ctx.set(profiles[0], { coins: 1, items: [] });
						}),
					)
					.unwrap();
				hasText(thrownBy(parties, late!), "after the transaction's function");
			});
		});

		it("profiles of two platforms", () => {
			open(TWO_LOCKED, (parties, world) => {
				const other = parties.another();
				world.wait(20);
				const theirs = other.server.run(() => other.driver("Players").load("C")).unwrap();
				hasText(
					thrownBy(parties, () => transaction([parties.profiles[0], theirs], () => {})),
					"one server",
				);
			});
		});

		it("rule 6.1: drivers that keep their decisions in two places", () => {
			open(TWO_LOCKED, (parties) => {
				const { host } = parties;
				const elsewhere = host.server.run(() => {
					const { platform } = host.server;
					return new DataDriver<Purse>({
						name: "Elsewhere",
						defaults: { coins: 0, items: [] },
						backend: memoryBackend(),
						platform,
					}).lockless("K");
				});
				hasText(
					thrownBy(parties, () => transaction([parties.profiles[0], elsewhere.unwrap()], () => {})),
					"markers",
				);
			});
		});

		it("the positional form with another driver's profile, or the wrong number of data", () => {
			open(FIVE, (parties) => {
				const driver = parties.host.driver("Players");
				const profiles = parties.profiles as unknown as ReadonlyArray<Profile<Purse>>;
				hasText(
					thrownBy(parties, () => driver.transaction([profiles[0], profiles[4]], (data) => data)),
					"this driver",
				);
				hasText(
					thrownBy(parties, () => driver.transaction([profiles[0], profiles[1]], ([first]) => [first])),
					"returns 2",
				);
			});
		});
	});
};
