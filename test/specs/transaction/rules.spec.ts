import { Profile } from "../../../src/driver/profile";
import { BatonError } from "../../../src/errors";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { Result } from "../../../src/result";
import { transaction } from "../../../src/transaction/transaction";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import {
	CASTS,
	errorOf,
	FIVE,
	MIXED,
	must,
	occupy,
	Parties,
	Purse,
	TWO_LOCKED,
	TWO_LOCKLESS,
	withParties,
} from "./parties";

/** Everybody among the first `count` gets a coin more. */
function addOne({ profiles }: Parties, count = profiles.size()): Result<boolean> {
	return transaction(profiles, (ctx) => {
		profiles.forEach((profile, index) => {
			if (index < count) ctx.set(profile, { ...ctx.get(profile), coins: ctx.get(profile).coins + 1 });
		});
	});
}

export = () => {
	describe("rule 6.2, I14: many transactions in a row over the same profiles leave nothing that grows", () => {
		for (const [name, cast] of CASTS) {
			it(name, () => {
				withParties(cast, (parties, [fresh], world) => {
					const { server } = parties.host;
					for (let round = 1; round <= 12; round++) {
						must(server.run(() => addOne(parties)).unwrap(), `round ${round} was not committed`);
						world.wait(0.2);
						must(parties.markers().size() <= 1, `${parties.markers().size()} markers after ${round}`);
					}
					world.wait(100);
					expect(parties.markers().size()).to.equal(0);
					for (const party of cast) {
						const record = parties.record(party);
						expect(record.Pending).to.equal(undefined);
						expect(record.Meta.TransactionIds).to.equal(undefined);
						expect((record.Data as Purse).coins).to.equal(112);
					}
					parties.host.close();
					for (const party of cast) expect(fresh.read(party).coins).to.equal(112);
				});
			});
		}
	});

	describe("section 0: user ids and metadata go with every write of a transaction", () => {
		for (const changed of [0, 1, 5]) {
			it(`of one that changes ${changed} of five, at every write of it`, () => {
				withParties(FIVE, (parties, _fresh, world) => {
					const stamped = { userIds: [7, 8], metadata: { team: "red" } };
					for (const { store, key } of FIVE) {
						const keys = world.store(store);
						keys.set(key, keys.get(key), stamped);
					}
					parties.host.server.run(() => addOne(parties, changed)).unwrap();
					const check = () => {
						for (const { store, key } of FIVE) {
							const info = world.store(store).info(key)!;
							must(info.userIds.join(",") === "7,8", `${key} has the user ids ${info.userIds.join()}`);
							must((info.metadata as { team?: string }).team === "red", `${key} has lost its metadata`);
						}
					};
					check();
					world.wait(100);
					check();
					parties.host.close();
					check();
				});
			});
		}
	});

	it("section 0: one changed profile is a plain write, so its size is that of one, and no marker", () => {
		withParties(TWO_LOCKED, (parties) => {
			const { host, profiles, world } = parties;
			const [profile] = profiles;
			const big = string.rep("x", 2_200_000);
			for (const each of [big, `${big}y`]) {
				host.server
					.run(() => transaction(profiles, (ctx) => ctx.set(profile, { coins: 1, items: [each] })))
					.unwrap();
				// A key takes 4 MB a minute.
				world.wait(70);
			}
			expect(world.trace.count({ store: MARKER_STORE })).to.equal(0);
			expect((parties.record(TWO_LOCKED[0]).Data as Purse).items[0].size()).to.equal(2_200_001);
		});
	});

	it("I13: its locks are waited for within one bound, however many of them others have", () => {
		withParties(FIVE, (parties, _fresh, world) => {
			const [, , guild, market] = FIVE;
			const free = parties.record(guild);
			for (const party of [guild, market]) occupy(parties, party);
			const began = world.now();
			world.after(60, () => world.store(guild.store).set(guild.key, free));
			expect(errorOf(parties.run()).type).to.equal("busy");
			must(world.now() - began < 110, `it took ${world.now() - began} s`);
			const [player] = parties.profiles as ReadonlyArray<Profile<Purse>>;
			parties.host.server.run(() => player.update((data) => ({ ...data, coins: 1 }))).unwrap();
		});
	});

	describe("what the function throws, and where it is begun", () => {
		it("a BatonError of the game's is thrown as it is", () => {
			withParties(MIXED, (parties) => {
				const mine = new BatonError("not_found", "my own");
				const thrown = parties.host.server.run(() => {
					const [fine, why] = pcall(() => transaction(parties.profiles, () => error(mine, 0)));
					must(!fine, "it did not throw");
					return why;
				});
				expect(thrown).to.equal(mine);
				expect(parties.record(MIXED[1]).Lock).to.equal(undefined);
			});
		});

		it("a transaction inside one over the same profiles is busy, and the outer one goes on", () => {
			withParties(MIXED, (parties) => {
				const { host, profiles } = parties;
				let inner: Result<boolean> | undefined;
				const outer = host.server.run(() =>
					transaction(profiles, (ctx) => {
						inner = transaction(profiles, () => {});
						ctx.set(profiles[0], { coins: 7, items: [] });
					}),
				);
				expect(errorOf(inner!).type).to.equal("busy");
				expect(outer.unwrap()).to.equal(true);
			});
		});

		it("in an onReleasing handler it is released; in an onChanged handler of its own commit, busy", () => {
			withParties(TWO_LOCKED, (parties) => {
				const { host, profiles } = parties;
				const [a] = profiles as ReadonlyArray<Profile<Purse>>;
				const answers = new Array<string>();
				const note = () => answers.push(errorOf(transaction(profiles, () => {})).type);
				a.onChanged.connect(note);
				a.onReleasing(note);
				host.server.run(() => addOne(parties)).unwrap();
				host.server.run(() => a.release()).unwrap();
				expect(answers.join(",")).to.equal("busy,released");
			});
		});

		it("update of a lockless profile during it is queued, kept on an abort, and lands on top of a commit", () => {
			for (const aborts of [false, true]) {
				withParties(TWO_LOCKLESS, (parties, [fresh], world) => {
					const [guild] = parties.profiles as ReadonlyArray<LocklessProfile<Purse>>;
					const [{ store, key }] = TWO_LOCKLESS;
					const effect = aborts ? "failBefore" : "delay";
					parties.fault({
						store,
						key,
						op: "UpdateAsync",
						nth: 2,
						count: aborts ? 10 : 1,
						effect,
						seconds: 2,
					});
					let answer: Result<boolean> | undefined;
					parties.host.server.spawn(() => (answer = addOne(parties)));
					world.wait(1);
					parties.host.server
						.run(() => guild.update((data) => ({ ...data, coins: data.coins + 50 })))
						.unwrap();
					world.waitUntil(() => answer !== undefined, 200);
					expect(answer!.success).to.equal(!aborts);
					expect(guild.data?.coins).to.equal(aborts ? 150 : 151);
					world.wait(100);
					expect(fresh.read(TWO_LOCKLESS[0]).coins).to.equal(aborts ? 150 : 151);
				});
			}
		});
	});

	it("a session load that takes an expired transaction's lock does not say that a server stopped", () => {
		withParties(TWO_LOCKLESS, (parties, [fresh], world) => {
			const [{ store, key }] = TWO_LOCKLESS;
			parties.fault({ store, key, durableOnly: true, nth: 2, effect: "crashBefore" });
			parties.start();
			world.waitUntil(() => !parties.host.server.alive, 60);
			fresh.load(TWO_LOCKLESS[0], 60).unwrap();
			must(fresh.server.warnings.isEmpty(), `it warned: ${fresh.server.warnings.join()}`);
		});
	});
};
