import { play, PlayerGame, STORE } from "./playerGame";
import { World } from "../../cloud/world";

const KEY = "Player_7";

/** The record is free, holds `coins`, and nobody was kicked. */
function settled(lobby: PlayerGame, coins: number): void {
	lobby.waitUntilFree(KEY);
	if (lobby.coins(KEY) !== coins) error(`stored are ${lobby.coins(KEY)} coins, not ${coins}`, 2);
	if (lobby.server.kicks.size() > 0) error(`kicked: ${lobby.server.kicks[0].message}`, 2);
}

function failing(world: World): { remove(): void } {
	return world.faults.add({ service: "DataStore", op: "UpdateAsync", key: KEY, effect: "failBefore" });
}

export = () => {
	describe("rule 2.6: a session belongs to a Player instance", () => {
		it("a rejoin before PlayerRemoving of the old instance goes on with the profile, unsaved data included", () => {
			play((lobby, world) => {
				const old = lobby.join(7);
				lobby.set(old.profile, 5);
				const player = lobby.server.join(7);
				const profile = lobby.profile(player);
				expect(profile).to.equal(old.profile);
				expect(profile.data.coins).to.equal(5);
				expect(profile.player).to.equal(player);
				expect(lobby.wait(player).unwrap()).to.equal(profile);
				const waited = lobby.wait(old.player);
				expect(waited.success ? "ready" : waited.error.type).to.equal("player_left");
				lobby.server.leave(old.player);
				world.wait(5);
				expect(profile.active).to.equal(true);
				expect(lobby.driver.profileOf(player)).to.equal(profile);
				expect(lobby.driver.profileOf(old.player)).to.equal(undefined);
				lobby.set(profile, 6);
				lobby.server.leave(player);
				settled(lobby, 6);
				expect(world.trace.durableWrites({ key: KEY })).to.equal(2);
			});
		});

		it("the newest instance has the profile, also where it is asked for before an older one is announced", () => {
			play(
				(lobby, world) => {
					const old = lobby.server.join(7);
					const player = lobby.server.join(7);
					lobby.server.spawn(() => lobby.driver.waitForProfile(player));
					world.wait(5);
					const profile = lobby.driver.profileOf(player)!;
					lobby.set(profile, 5);
					expect(lobby.ready.size()).to.equal(1);
					expect(lobby.server.run(() => lobby.driver.waitForProfile(old)).success).to.equal(false);
					lobby.server.leave(old);
					world.wait(5);
					expect(lobby.driver.profileOf(player)).to.equal(profile);
					lobby.server.leave(player);
					settled(lobby, 5);
				},
				{ switches: { deferredSignals: true } },
			);
		});

		it("where both are asked for before either is announced, the newest has it, too", () => {
			play(
				(lobby, world) => {
					const old = lobby.server.join(7);
					const player = lobby.server.join(7);
					lobby.server.spawn(() => lobby.driver.waitForProfile(player));
					lobby.server.spawn(() => lobby.driver.waitForProfile(old));
					world.wait(5);
					expect(lobby.driver.profileOf(old)).to.equal(undefined);
					lobby.set(lobby.driver.profileOf(player)!, 5);
					lobby.server.leave(old);
					lobby.server.leave(player);
					settled(lobby, 5);
				},
				{ switches: { deferredSignals: true } },
			);
		});

		it("a player whose profile goes on for a load by hand is told that it was released", () => {
			play((lobby, world) => {
				const { player, profile } = lobby.join(7);
				lobby.set(profile, 5);
				const outage = failing(world);
				lobby.server.spawn(() => profile.release());
				world.wait(1);
				outage.remove();
				expect(lobby.server.run(() => lobby.driver.load(KEY)).unwrap()).to.equal(profile);
				const waited = lobby.wait(player);
				expect(waited.success ? "ready" : waited.error.type).to.equal("released");
				expect(lobby.driver.profileOf(player)).to.equal(undefined);
			});
		});

		it("three instances of one user: only the last one's leave releases", () => {
			play((lobby, world) => {
				const first = lobby.join(7);
				const second = lobby.join(7);
				const third = lobby.join(7);
				lobby.set(third.profile, 9);
				lobby.server.leave(second.player);
				lobby.server.leave(first.player);
				world.wait(3);
				expect(third.profile.active).to.equal(true);
				lobby.server.leave(third.player);
				settled(lobby, 9);
			});
		});

		it("a rejoin after PlayerRemoving, while the leave save runs, waits for it and sees its data, at no more writes", () => {
			play((lobby, world) => {
				const old = lobby.join(7);
				lobby.set(old.profile, 5);
				const slow = world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "delay", seconds: 2 });
				lobby.server.leave(old.player);
				world.wait(0.5);
				slow.remove();
				const { profile, player } = lobby.join(7);
				expect(profile === old.profile).to.equal(false);
				expect(profile.data.coins).to.equal(5);
				lobby.server.leave(player);
				settled(lobby, 5);
				expect(world.trace.durableWrites({ key: KEY })).to.equal(4);
			});
		});

		it("rule 4.1: a rejoin cuts the back-off pause of a failed leave save short, and starts on the newest data", () => {
			play((lobby, world) => {
				const old = lobby.join(7);
				lobby.set(old.profile, 5);
				const outage = failing(world);
				lobby.server.leave(old.player);
				// Tries at 0, 1, 3, 7 and 15 s; from then on every 30 s.
				world.wait(20);
				outage.remove();
				expect(lobby.coins(KEY)).to.equal(0);
				const since = world.now();
				const { profile } = lobby.join(7);
				expect(world.now() - since < 2).to.equal(true);
				expect(profile.data.coins).to.equal(5);
			});
		});

		it("prior fault: a failed leave save is not dropped by a rejoin: the retained profile goes on, and is saved on", () => {
			play((lobby, world) => {
				const old = lobby.join(7);
				lobby.set(old.profile, 5);
				const outage = failing(world);
				lobby.server.leave(old.player);
				world.wait(2);
				const since = world.now();
				const { profile } = lobby.join(7);
				expect(world.now() - since < 0.3).to.equal(true);
				expect(profile).to.equal(old.profile);
				expect(profile.active).to.equal(true);
				expect(profile.data.coins).to.equal(5);
				outage.remove();
				world.wait(35);
				expect(lobby.coins(KEY)).to.equal(5);
				expect(lobby.server.kicks.size()).to.equal(0);
			});
		});
	});

	describe("prior fault: a rejoin of the same user was handed the first join's load; each join owns its load", () => {
		for (const oldLeaves of ["before", "after", "never"] as const) {
			it(`a rejoin while the old instance is still loading (PlayerRemoving of the old one: ${oldLeaves})`, () => {
				play((lobby, world) => {
					const slow = world.faults.add({ service: "DataStore", effect: "delay", seconds: 3 });
					const old = lobby.server.join(7);
					let oldAnswer: string | undefined;
					lobby.server.spawn(() => {
						const waited = lobby.driver.waitForProfile(old);
						oldAnswer = waited.success ? "ready" : waited.error.type;
					});
					world.wait(1);
					slow.remove();
					if (oldLeaves === "before") lobby.server.leave(old);
					const player = lobby.server.join(7);
					if (oldLeaves === "after") lobby.server.leave(old);
					const profile = lobby.profile(player);
					expect(oldAnswer).to.equal("player_left");
					expect(lobby.ready.size()).to.equal(1);
					expect(lobby.ready[0].player).to.equal(player);
					expect(profile.player).to.equal(player);
					lobby.set(profile, 5);
					world.wait(3);
					if (oldLeaves === "never") lobby.server.leave(old);
					world.wait(3);
					expect(profile.active).to.equal(true);
					lobby.server.leave(player);
					settled(lobby, 5);
				});
			});
		}

		it("five joins and leaves within one slow load: the last one gets in, no lock is left behind", () => {
			play((lobby, world) => {
				const slow = world.faults.add({ service: "DataStore", effect: "delay", seconds: 2 });
				for (let round = 0; round < 5; round++) {
					const player = lobby.server.join(7);
					world.wait(0.3);
					lobby.server.leave(player);
					world.wait(0.1);
				}
				slow.remove();
				const { player, profile } = lobby.join(7);
				lobby.set(profile, 5);
				lobby.server.leave(player);
				settled(lobby, 5);
				expect(lobby.ready.size()).to.equal(1);
			});
		});

		for (const secondLeaves of ["before", "after"] as const) {
			it(`rules 2.6, 4.2: a third instance while the second's adoption runs (the second leaves ${secondLeaves} it joins)`, () => {
				play((lobby, world) => {
					const old = lobby.join(7);
					lobby.set(old.profile, 5);
					const outage = failing(world);
					lobby.server.leave(old.player);
					world.wait(2);
					outage.remove();
					const slow = world.faults.add({
						service: "DataStore",
						op: "UpdateAsync",
						effect: "delay",
						seconds: 2,
					});
					const second = lobby.server.join(7);
					world.wait(0.5);
					slow.remove();
					if (secondLeaves === "before") lobby.server.leave(second);
					const player = lobby.server.join(7);
					if (secondLeaves === "after") lobby.server.leave(second);
					const profile = lobby.profile(player);
					expect(profile.data.coins).to.equal(5);
					world.wait(10);
					expect(profile.active).to.equal(true);
					expect(lobby.driver.profileOf(player)).to.equal(profile);
					lobby.set(profile, 6).unwrap();
					lobby.server.leave(player);
					settled(lobby, 6);
				});
			});
		}

		it("a rejoin does not sit through the pause of the old instance's wait for another server", () => {
			play((lobby, world) => {
				world.store(STORE).set(KEY, {
					Data: { coins: 3 },
					Lock: { JobId: "elsewhere", Token: "t", Turn: 1, Seq: 0, Time: 0 },
					Meta: { Turn: 1, Migrations: [] },
				});
				const old = lobby.server.join(7);
				world.wait(4);
				world.store(STORE).set(KEY, { Data: { coins: 3 }, Meta: { Turn: 1, Migrations: [] } });
				lobby.server.leave(old);
				const since = world.now();
				const { profile } = lobby.join(7);
				expect(profile.data.coins).to.equal(3);
				expect(world.now() - since < 0.5).to.equal(true);
			});
		});
	});
};
