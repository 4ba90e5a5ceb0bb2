import { Profile } from "../../../src/driver/profile";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { trade } from "../../../src/trade/trade";
import { transaction } from "../../../src/transaction/transaction";
import { World } from "../../cloud/world";
import { CASTS, errorOf, House, MIXED, must, Parties, Purse, TWO_LOCKED, TWO_LOCKLESS, withParties } from "./parties";

const MARKER_WRITE = { store: MARKER_STORE, op: "UpdateAsync", durableOnly: true };

/** The server dies with everything prepared and nothing decided. */
function undecided(
	cast: Parties["cast"],
	body: (parties: Parties, fresh: ReadonlyArray<House>, world: World) => void,
): void {
	withParties(cast, (parties, fresh, world) => {
		parties.fault({ ...MARKER_WRITE, effect: "crashBefore" });
		parties.start();
		world.waitUntil(() => !parties.host.server.alive, 60);
		body(parties, fresh, world);
	});
}

// "Two-phase protocols" of what others shipped: each rule that the other specs of this folder do not name.
export = () => {
	describe("evidence outlives every intent that exists", () => {
		for (const [name, cast] of CASTS) {
			it(`${name}: the marker stays while one record still carries its Pending, and goes once none does`, () => {
				withParties(cast, (parties, _fresh, world) => {
					expect(parties.run().unwrap()).to.equal(true);
					const last = cast[cast.size() - 1];
					const { store, key } = last;
					const outage = parties.fault({ store, key, effect: "failBefore" });
					for (const profile of parties.profiles) parties.host.server.spawn(() => profile.save());
					world.wait(100);
					must(parties.record(last).Pending !== undefined, "the record was cleaned");
					expect(parties.markers().size()).to.equal(1);
					outage.remove();
					world.wait(100);
					expect(parties.markers().size()).to.equal(0);
					parties.audit("committed");
				});
			});
		}

		it("a participant that was lost before it was seen clean is looked at: the marker goes where its taker has cleaned it", () => {
			withParties(TWO_LOCKED, (parties, [fresh], world) => {
				const [a, b] = TWO_LOCKED;
				const { store, key } = a;
				const outage = parties.fault({ store, key, effect: "failBefore", count: 100 });
				outage.remove();
				expect(parties.run().unwrap()).to.equal(true);
				parties.host.server.pause();
				expect(parties.outcomeOf(fresh.load(a, 60).unwrap().data, a)).to.equal("committed");
				must(parties.record(b).Pending !== undefined, "B was cleaned");
				parties.host.server.resume();
				world.wait(150);
				expect(parties.markers().size()).to.equal(0);
			});
		});
	});

	it("rule 6.2: a participant that was lost with its Pending still on the record keeps the marker, which its next load needs", () => {
		withParties(TWO_LOCKED, (parties, [fresh], world) => {
			const [a] = TWO_LOCKED;
			expect(parties.run().unwrap()).to.equal(true);
			// Somebody has taken the lock away and left everything else.
			const record = parties.record(a);
			world.store(a.store).set(a.key, { ...record, Lock: undefined });
			for (const profile of parties.profiles) parties.host.server.spawn(() => profile.save());
			world.wait(100);
			must(parties.record(a).Pending !== undefined, "the record was cleaned");
			expect(parties.markers().size()).to.equal(1);
			parties.host.server.crash();
			expect(parties.readAll(fresh)).to.equal("committed");
		});
	});

	it("decide durably, then return: no reader shows the old data before the abort is stored", () => {
		for (const cast of [TWO_LOCKED, TWO_LOCKLESS]) {
			undecided(cast, (parties, [fresh], world) => {
				let shown: number | undefined;
				fresh.server.spawn(() => {
					fresh.read(cast[0]);
					shown = parties.markers().size();
				});
				world.waitUntil(() => shown !== undefined, 200);
				expect(shown).to.equal(1);
				expect(world.store(MARKER_STORE).get(parties.markers()[0])).to.equal("aborted");
			});
		}
	});

	describe("every path resolves what it meets before it writes", () => {
		it("a queued flush", () => {
			undecided(TWO_LOCKLESS, (parties, [fresh]) => {
				const [guild] = TWO_LOCKLESS;
				const profile = fresh.lockless(guild);
				fresh.server.run(() => profile.update((data) => ({ ...data, coins: data.coins + 1000 }))).unwrap();
				fresh.server.run(() => profile.save()).unwrap();
				const record = parties.record(guild);
				expect((record.Data as Purse).coins).to.equal(1100);
				expect(record.Pending).to.equal(undefined);
				expect(parties.markers().size()).to.equal(1);
			});
		});

		it("another transaction's lock and prepare", () => {
			undecided(MIXED, (parties, [fresh], world) => {
				const [player, guild] = MIXED;
				const mine = fresh.load(player).unwrap();
				const ours = fresh.lockless(guild);
				const result = fresh.server.run(() =>
					transaction([mine, ours], (ctx) => {
						ctx.set(mine, { ...ctx.get(mine), coins: ctx.get(mine).coins - 7 });
						ctx.set(ours, { ...ctx.get(ours), coins: ctx.get(ours).coins + 7 });
					}),
				);
				expect(result.unwrap()).to.equal(true);
				fresh.close();
				world.wait(1);
				expect((parties.record(player).Data as Purse).coins).to.equal(93);
				expect((parties.record(guild).Data as Purse).coins).to.equal(107);
			});
		});

		it("a trade's prepare, right after a transaction that its record still carries", () => {
			withParties(TWO_LOCKED, (parties, [fresh]) => {
				const [a, b] = parties.profiles as unknown as [Profile<Purse>, Profile<Purse>];
				const { server } = parties.host;
				expect(parties.run().unwrap()).to.equal(true);
				must(parties.record(TWO_LOCKED[0]).Pending !== undefined, "it was cleaned before");
				const traded = server.run(() =>
					trade(a, b, (mine, yours) => [
						{ ...mine, coins: mine.coins - 5 },
						{ ...yours, coins: yours.coins + 5 },
					]),
				);
				expect(traded.success).to.equal(true);
				parties.host.close();
				expect(fresh.load(TWO_LOCKED[0]).unwrap().data.coins).to.equal(94);
				expect(fresh.load(TWO_LOCKED[1]).unwrap().data.coins).to.equal(106);
			});
		});

		it("another transaction's prepare over a record that still carries the last one: that outcome becomes its data", () => {
			withParties(TWO_LOCKED, (parties, [fresh], world) => {
				const [a, b] = parties.profiles as unknown as [Profile<Purse>, Profile<Purse>];
				const { server } = parties.host;
				expect(parties.run().unwrap()).to.equal(true);
				parties.fault({ ...MARKER_WRITE, effect: "crashBefore" });
				server.spawn(() =>
					transaction([a, b], (ctx) => {
						ctx.set(a, { coins: 0, items: [] });
						ctx.set(b, { coins: 0, items: [] });
					}),
				);
				world.waitUntil(() => !server.alive, 60);
				// The second one is off, the first one stays.
				expect(parties.readAll(fresh)).to.equal("committed");
			});
		});

		it("rule 7.3, restoreAt: the current record is resolved first, then only the data come from the version", () => {
			undecided(TWO_LOCKED, (parties, [fresh], world) => {
				const [a] = TWO_LOCKED;
				const restored = fresh.server.run(() =>
					fresh.driver(a.store).restoreAt(a.key, world.cloudTime(), { waitForLock: true }),
				);
				expect(restored.unwrap().coins).to.equal(100);
				expect(parties.record(a).Pending).to.equal(undefined);
				expect(parties.markers().size()).to.equal(1);
			});
		});
	});

	describe("every ending cleans up: an aborted transaction leaves no marker", () => {
		for (const [name, cast] of CASTS) {
			it(name, () => {
				withParties(cast, (parties, _fresh, world) => {
					const { store, key, isLockless } = cast[0];
					const nth = isLockless ? 2 : 1;
					const fault = parties.fault({ store, key, durableOnly: true, nth, effect: "failBefore" });
					const problem = errorOf(parties.run({ retryAttempts: 2 }));
					expect(problem.type).to.equal("tx_aborted");
					fault.remove();
					world.wait(150);
					parties.audit("aborted");
					expect(parties.markers().size()).to.equal(0);
				});
			});
		}
	});

	it("the decision is read past every cache: a stale read of the record or the marker is never shown", () => {
		withParties(TWO_LOCKLESS, (parties, [fresh], world) => {
			const guild = TWO_LOCKLESS[0];
			expect(parties.outcomeOf(fresh.read(guild), guild)).to.equal("aborted");
			const stale = world.faults.add({ service: "DataStore", op: "GetAsync", effect: "stale", seconds: 60 });
			expect(parties.run().unwrap()).to.equal(true);
			expect(parties.outcomeOf(fresh.read(guild), guild)).to.equal("committed");
			expect(parties.outcomeOf(fresh.peek(guild), guild)).to.equal("committed");
			stale.remove();
		});
	});

	it("rule 6.3: what is pending is in the format of its own migrations: resolved first, migrated after", () => {
		withParties(TWO_LOCKLESS, (parties, _fresh, world) => {
			const [guild, other] = TWO_LOCKLESS;
			expect(parties.run().unwrap()).to.equal(true);
			parties.host.server.crash();
			const doubled = {
				name: "double",
				migrate: (data: unknown) => ({ ...(data as Purse), coins: (data as Purse).coins * 2 }),
			};
			const newer = new House(world, TWO_LOCKLESS, { migrations: [doubled] });
			expect(newer.read(guild).coins).to.equal(198);
			expect(newer.peek(other)?.coins).to.equal(202);
			const profile: LocklessProfile<Purse> = newer.lockless(guild);
			newer.server.run(() => profile.update((data) => ({ ...data }))).unwrap();
			newer.server.run(() => profile.save()).unwrap();
			expect((parties.record(guild).Data as Purse).coins).to.equal(198);
			expect(parties.record(guild).Meta.Migrations.join()).to.equal("double");
		});
	});
};
