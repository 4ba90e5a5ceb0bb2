import { Profile } from "../../../src/driver/profile";
import { Result } from "../../../src/result";
import { transaction } from "../../../src/transaction/transaction";
import { World } from "../../cloud/world";
import { errorOf, House, MIXED, must, occupy, Parties, Purse, TWO_LOCKED, withParties } from "./parties";

/** The player's transaction with a guild that another server's transaction keeps. */
function waiting(
	body: (parties: Parties, player: Profile<Purse>, fresh: House, world: World, began: number) => void,
): void {
	withParties(MIXED, (parties, [fresh], world) => {
		const [player] = parties.profiles as ReadonlyArray<Profile<Purse>>;
		occupy(parties, MIXED[1]);
		const began = world.now();
		parties.start();
		world.wait(1);
		body(parties, player, fresh, world, began);
	});
}

// While a transaction waits for other servers' locks, nothing of its session-locked profiles is sent.
export = () => {
	it("I12: an update that comes while a transaction prepares waits for it, and is not lost", () => {
		withParties(TWO_LOCKED, (parties, _fresh, world) => {
			const [{ store, key }] = TWO_LOCKED;
			parties.fault({ store, key, durableOnly: true, count: 1, effect: "delay", seconds: 3 });
			parties.start();
			world.wait(1);
			const [a] = parties.profiles as ReadonlyArray<Profile<Purse>>;
			let coins = 0;
			parties.host.server.spawn(() => {
				coins = a.update((data) => ({ ...data, coins: data.coins + 50 })).unwrap().coins;
			});
			expect(parties.answered().unwrap()).to.equal(true);
			world.wait(1);
			expect(coins).to.equal(149);
			expect(a.data.coins).to.equal(149);
		});
	});

	describe("while a transaction waits for others' locks, a session-locked participant is as any other profile", () => {
		it("rules 3.1 and 2 (I2): its presence flag is withdrawn when its server cannot beat, and nobody steals it", () => {
			waiting((parties, _player, fresh, world) => {
				parties.host.server.partition("MemoryStore");
				world.wait(12);
				expect(parties.record(MIXED[0]).Lock?.Presence).to.equal(false);
				must(!fresh.load(MIXED[0], 20).success, "it was stolen");
			});
		});

		it("I4: it is saved when asked for", () => {
			withParties(MIXED, (parties, _fresh, world) => {
				const [player] = parties.profiles as ReadonlyArray<Profile<Purse>>;
				const { server } = parties.host;
				server.run(() => player.update((data) => ({ ...data, coins: 150 }))).unwrap();
				occupy(parties, MIXED[1]);
				server.spawn(() => transaction(parties.profiles, () => {}));
				world.wait(1);
				let saved: Result<undefined> | undefined;
				server.spawn(() => (saved = player.save()));
				world.wait(5);
				expect(saved?.success).to.equal(true);
				expect((parties.record(MIXED[0]).Data as Purse).coins).to.equal(150);
			});
		});

		it("rule 7.1: its release ends the transaction, with released, and nothing written", () => {
			waiting((parties, player, fresh, world, began) => {
				parties.host.server.run(() => player.release()).unwrap();
				must(world.now() - began < 5, `it took ${world.now() - began} s`);
				expect(errorOf(parties.answered()).type).to.equal("released");
				expect(fresh.load(MIXED[0], 5).unwrap().data.coins).to.equal(100);
			});
		});

		it("rule 7.1: so do another server's request for it, and its driver's close", () => {
			for (const closes of [true, false]) {
				waiting((parties, player, fresh, world, began) => {
					player.onReleaseRequested.connect(() => player.release());
					if (closes) parties.host.server.run(() => parties.host.driver("Players").close()).unwrap();
					fresh.load(MIXED[0], 20).unwrap();
					must(world.now() - began < 15, `it took ${world.now() - began} s`);
					expect(errorOf(parties.answered()).type).to.equal("released");
				});
			}
		});
	});
};
