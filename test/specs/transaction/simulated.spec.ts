import { transaction } from "../../../src/transaction/transaction";
import { MIXED, must, TWO_LOCKLESS, withParties } from "./parties";

// What the random search has found (test/simulation), by hand.
export = () => {
	it("I4, I6: a lock given back to be taken anew, doubled late, drops nothing of the committed transaction", () => {
		withParties(TWO_LOCKLESS, (parties, [fresh], world) => {
			const [guild, other] = TWO_LOCKLESS;
			const slow = { op: "UpdateAsync", store: other.store, key: other.key, stage: "respond" } as const;
			// The first lock is half over before the second is answered, so both are given back and taken anew.
			parties.fault({ ...slow, count: 1, effect: "delay", seconds: 6 });
			const doubled = parties.fault({
				store: guild.store,
				key: guild.key,
				durableOnly: true,
				nth: 2,
				count: 1,
				effect: "duplicate",
				seconds: 5,
			});
			must(parties.run().unwrap(), "it is not committed");
			must(doubled.hits === 1, "nothing was doubled");
			must(parties.record(guild).Pending !== undefined, "it is settled already: nothing could be dropped");
			world.wait(10);
			must(parties.readAll(fresh) === "committed", "a reader does not see it");
			must(parties.readAllAfterClose(fresh) === "committed", "it is gone");
		});
	});

	it("2.2: a transaction's lock that was taken anew by its second try has its whole time before it", () => {
		withParties([TWO_LOCKLESS[0]], (parties, [fresh], world) => {
			const [guild] = TWO_LOCKLESS;
			const { store, key } = guild;
			const waiting = fresh.lockless(guild);
			fresh.server.run(() => waiting.fetch()).unwrap();
			// The first try takes the lock and is not answered within 30 s; meanwhile it expires and is gone.
			parties.fault({ store, key, durableOnly: true, count: 1, effect: "hang", lands: true });
			const [own] = parties.profiles;
			parties.host.server.spawn(() => transaction([own], (ctx) => ctx.set(own, { coins: 0, items: [] })));
			world.wait(1);
			fresh.server.run(() => waiting.update((data) => ({ ...data, coins: data.coins + 1 }))).unwrap();
			fresh.server.run(() => waiting.save()).unwrap();
			must(parties.record(guild).Lock === undefined, "the lock is there");
			// The second try takes it, and is slow to prepare.
			parties.fault({
				store,
				key,
				durableOnly: true,
				nth: 2,
				count: 1,
				effect: "delay",
				stage: "apply",
				seconds: 5,
			});
			world.waitUntil(() => parties.record(guild).Lock?.Tx === true, 60);
			const retaken = world.now();
			fresh.server.run(() => waiting.update((data) => ({ ...data, coins: data.coins + 1 }))).unwrap();
			fresh.server.run(() => waiting.save()).unwrap();
			must(world.now() - retaken > 4, `it was taken after ${world.now() - retaken} s`);
		});
	});

	it("what a committed transaction has brought is not called lost when the lock is, before the record is clean", () => {
		withParties(MIXED, (parties, [fresh], world) => {
			const [player] = MIXED;
			must(parties.run().unwrap(), "it is not committed");
			must(parties.record(player).Pending !== undefined, "it is settled already");
			let told = "";
			parties.profiles[0].onChanged.connect(() => error("it has changed"));
			const [profile] = parties.profiles;
			must("onLockLost" in profile, "it has no lock");
			profile.onLockLost.connect((cause) => {
				told = cause.message;
			});
			parties.host.server.pause();
			fresh.load(player).unwrap();
			parties.host.server.resume();
			world.waitUntil(() => told !== "");
			must(told.find("are lost", 1, true)[0] === undefined, told);
		});
	});
};
