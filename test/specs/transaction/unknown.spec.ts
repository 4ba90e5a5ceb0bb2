import { Profile } from "../../../src/driver/profile";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { BatonError } from "../../../src/errors";
import { Result } from "../../../src/result";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { transaction } from "../../../src/transaction/transaction";
import { World } from "../../cloud/world";
import { errorOf, House, MIXED, must, Parties, Purse, TWO_LOCKED, TWO_LOCKLESS, withParties } from "./parties";

const MARKER_WRITE = { store: MARKER_STORE, op: "UpdateAsync" };
const REJECTED = "104: Cannot store Dictionary in data store. Data stores can only accept valid UTF-8 characters.";
const QUICK = { retryAttempts: 2, retryBase: 0.5 };

/** Everybody gets ten coins more, whatever they have. */
function give({ profiles, host }: Parties, count = profiles.size()): Result<boolean> {
	return host.server.run(() =>
		transaction(
			profiles,
			(ctx) => {
				profiles.forEach((profile, index) => {
					if (index >= count) return;
					ctx.set(profile, { ...ctx.get(profile), coins: ctx.get(profile).coins + 10 });
				});
			},
			QUICK,
		),
	);
}

function earn({ host }: Parties, profile: Profile<Purse> | LocklessProfile<Purse>, coins = 500): void {
	host.server
		.run(() => profile.update((data) => ({ ...data, coins: data.coins + coins })) as Result<unknown>)
		.unwrap();
}

function locked({ profiles }: Parties): ReadonlyArray<Profile<Purse>> {
	return profiles as ReadonlyArray<Profile<Purse>>;
}

function shared({ profiles }: Parties, index: number): LocklessProfile<Purse> {
	return profiles[index] as LocklessProfile<Purse>;
}

function coinsOf(house: House, party: Parties["cast"][number]): number {
	return house.read(party).coins;
}

function hasWarned({ host }: Parties, text: string): boolean {
	return host.server.warnings.some((warning) => warning.find(text, 1, true)[0] !== undefined);
}

/** Both locked records are prepared and the marker does not answer; A had unsaved changes. */
function unsaved(body: (parties: Parties, fresh: House, world: World, outage: { remove(): void }) => void): void {
	withParties(TWO_LOCKED, (parties, [fresh], world) => {
		earn(parties, locked(parties)[0]);
		const outage = parties.fault({ ...MARKER_WRITE, effect: "failBefore" });
		body(parties, fresh, world, outage);
	});
}

export = () => {
	describe("I4: what is acknowledged while the outcome is unknown is durable", () => {
		it("a save that was asked for during the transaction is not answered as stored by a write of the lock alone", () => {
			unsaved((parties, fresh, world, outage) => {
				const [a] = locked(parties);
				let saved: Result<undefined> | undefined;
				parties.host.server.spawn(() => {
					parties.host.server.platform.task.wait(0.1);
					saved = a.save();
				});
				expect(errorOf(give(parties)).type).to.equal("tx_unknown");
				world.wait(5);
				expect(errorOf(saved!).type).to.equal("tx_unknown");
				parties.host.server.crash();
				outage.remove();
				world.wait(15);
				expect(coinsOf(fresh, parties.cast[0])).to.equal(100);
			});
		});

		it("a release that had to leave unsaved changes out is not answered as stored, and warns", () => {
			unsaved((parties, fresh, _world, outage) => {
				const [a, b] = locked(parties);
				expect(errorOf(give(parties)).type).to.equal("tx_unknown");
				const { server } = parties.host;
				expect(errorOf(server.run(() => a.release())).type).to.equal("tx_unknown");
				must(hasWarned(parties, '"A"'), "nobody was told");
				// B's data were stored: nothing of it is left out.
				server.run(() => b.release()).unwrap();
				outage.remove();
				expect(coinsOf(fresh, parties.cast[0])).to.equal(100);
			});
		});
	});

	for (const cast of [TWO_LOCKED, TWO_LOCKLESS]) {
		it(`rule 6.4, I12: while nothing is decided, a peek shows ${cast[0].key} and ${cast[1].key} as before`, () => {
			withParties(cast, (parties, [fresh]) => {
				parties.fault({ ...MARKER_WRITE, effect: "failBefore" });
				expect(errorOf(give(parties)).type).to.equal("tx_unknown");
				for (const party of cast) {
					must(parties.record(party).Pending !== undefined, `${party.key} is not prepared`);
					expect(fresh.peek(party)!.coins).to.equal(100);
				}
			});
		});
	}

	describe("rule 6.7: a lockless profile that is closed while the outcome is unknown", () => {
		it("still flushes what is queued once the retry is answered, and lets the key go", () => {
			withParties(TWO_LOCKLESS, (parties, [fresh], world) => {
				const outage = parties.fault({ ...MARKER_WRITE, effect: "failBefore" });
				expect(errorOf(give(parties)).type).to.equal("tx_unknown");
				const { server } = parties.host;
				for (const index of [0, 1]) {
					earn(parties, shared(parties, index));
					expect(errorOf(server.run(() => shared(parties, index).close())).type).to.equal("tx_unknown");
				}
				world.wait(40);
				outage.remove();
				world.wait(120);
				for (const party of parties.cast) {
					expect(coinsOf(fresh, party)).to.equal(610);
					expect(parties.record(party).Pending).to.equal(undefined);
				}
				expect(parties.markers().size()).to.equal(0);
				for (const { store, key } of parties.cast) {
					server.run(() => parties.host.driver(store).load(key)).unwrap();
				}
			});
		});

		it("where it alone was changed, too", () => {
			withParties([TWO_LOCKLESS[0]], (parties, [fresh], world) => {
				const [guild] = parties.cast;
				const outage = parties.fault({ store: guild.store, key: guild.key, nth: 2, effect: "failBefore" });
				expect(errorOf(give(parties)).type).to.equal("tx_unknown");
				earn(parties, shared(parties, 0));
				const { server } = parties.host;
				expect(errorOf(server.run(() => shared(parties, 0).close())).type).to.equal("tx_unknown");
				world.wait(40);
				outage.remove();
				world.wait(120);
				// Its lock has not been taken meanwhile, so the retry has landed.
				expect(coinsOf(fresh, guild)).to.equal(610);
			});
		});
	});

	it("I14: a lockless profile that is closed during its transaction is tidied by its last flush, and the marker goes", () => {
		withParties(MIXED, (parties, _fresh, world) => {
			const [player, guild] = parties.cast;
			parties.fault({ ...MARKER_WRITE, durableOnly: true, count: 1, effect: "delay", seconds: 2 });
			parties.start();
			world.wait(1);
			parties.host.server.run(() => shared(parties, 1).close()).unwrap();
			expect(parties.answered().unwrap()).to.equal(true);
			expect(parties.record(guild).Pending).to.equal(undefined);
			expect(parties.outcomeOf(parties.record(guild).Data as Purse, guild)).to.equal("committed");
			world.wait(100);
			expect(parties.record(player).Pending).to.equal(undefined);
			expect(parties.markers().size()).to.equal(0);
		});
	});

	describe("rule 6.5: a single write that is unknown, while its profile leaves", () => {
		for (const tenths of [1, 5, 8, 10, 12, 15, 20, 30]) {
			it(`the release is answered as one, not as a lost lock (${tenths / 10} s after the answer)`, () => {
				withParties([TWO_LOCKED[0]], (parties, [fresh], world) => {
					const [{ store, key }] = parties.cast;
					const lost = new Array<BatonError>();
					const [a] = locked(parties);
					a.onLockLost.connect((cause) => lost.push(cause));
					const outage = parties.fault({ store, key, effect: "failBefore" });
					expect(errorOf(give(parties)).type).to.equal("tx_unknown");
					outage.remove();
					// Both the release and the retry are at the store for a while, in either order.
					const slow = { effect: "delay", stage: "respond", seconds: 3 } as const;
					parties.fault({ store, key, op: "UpdateAsync", count: 1, ...slow });
					world.wait(tenths / 10);
					const released = parties.host.server.run(() => a.release());
					must(released.success, `the release answered ${released.success ? "" : released.error}`);
					world.wait(60);
					must(lost.isEmpty(), `the lock was said to be lost: ${lost[0]}`);
					const coins = coinsOf(fresh, parties.cast[0]);
					must(coins === 100 || coins === 110, `there are ${coins} coins`);
				});
			});
		}
	});

	describe("what the store refuses for good has not landed, so it is no unknown: nobody's data changed, all goes on", () => {
		for (const cast of [TWO_LOCKED, MIXED, TWO_LOCKLESS]) {
			it(`the marker, of ${cast.map(({ key }) => key).join(" and ")}`, () => {
				withParties(cast, (parties, [fresh], world) => {
					const outage = parties.fault({ ...MARKER_WRITE, effect: "failBefore", message: REJECTED });
					const problem = errorOf(give(parties));
					expect(problem.type).to.equal("tx_aborted");
					expect(problem.cause?.type).to.equal("roblox");
					for (const profile of parties.profiles) earn(parties, profile, 1);
					outage.remove();
					world.wait(100);
					parties.host.close();
					for (const party of cast) {
						expect(parties.record(party).Pending).to.equal(undefined);
						expect(coinsOf(fresh, party)).to.equal(101);
					}
				});
			});
		}

		it("the marker, after a try that was not answered: that one may have landed", () => {
			withParties(TWO_LOCKED, (parties, [fresh], world) => {
				parties.fault({ ...MARKER_WRITE, durableOnly: true, count: 1, effect: "landLate", seconds: 30 });
				const outage = parties.fault({ ...MARKER_WRITE, nth: 2, effect: "failBefore", message: REJECTED });
				expect(errorOf(give(parties)).type).to.equal("tx_unknown");
				outage.remove();
				world.wait(60);
				for (const profile of parties.profiles) expect((profile.data as Purse).coins).to.equal(110);
				parties.host.close();
				for (const party of parties.cast) expect(coinsOf(fresh, party)).to.equal(110);
			});
		});

		for (const cast of [TWO_LOCKED, TWO_LOCKLESS]) {
			it(`the single write of ${cast[0].key}`, () => {
				withParties(cast, (parties, [fresh]) => {
					const [{ store, key, isLockless }] = cast;
					const nth = isLockless ? 2 : 1;
					const outage = parties.fault({
						store,
						key,
						op: "UpdateAsync",
						nth,
						effect: "failBefore",
						message: REJECTED,
					});
					const problem = errorOf(give(parties, 1));
					expect(problem.type).to.equal("tx_aborted");
					expect(problem.cause?.type).to.equal("roblox");
					outage.remove();
					earn(parties, parties.profiles[0], 1);
					parties.host.close();
					expect(coinsOf(fresh, cast[0])).to.equal(101);
				});
			});
		}
	});
};
