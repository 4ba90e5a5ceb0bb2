import { OpenProfile } from "../../../src/driver/openProfile";
import { Result } from "../../../src/result";
import { Coins, expectText, failureOf, play, PlayerGame, STORE } from "../driver/playerGame";

const KEY = "Player_7";

/** A player with 5 unsaved coins, released for a teleport. */
function readyToGo(lobby: PlayerGame) {
	const joined = lobby.join(7);
	lobby.set(joined.profile, 5);
	const released = lobby.server.run(() => lobby.driver.releaseForTeleport(joined.player));
	return { ...joined, released };
}

// Protocol 7.2: a failed teleport takes the profile back.
export = () => {
	describe("releaseForTeleport", () => {
		it("saves and releases in one write, so that the next server loads at once", () => {
			play((lobby, world) => {
				const other = new PlayerGame(world);
				const before = world.trace.durableWrites();
				const { released, profile } = readyToGo(lobby);
				expect(released.success).to.equal(true);
				expect(world.trace.durableWrites() - before).to.equal(2);
				expect(profile.active).to.equal(false);
				expect(failureOf(lobby.set(profile, 6)).type).to.equal("released");
				const since = world.now();
				expect(other.join(7).profile.data.coins).to.equal(5);
				expect(world.now() - since < 0.15).to.equal(true);
			});
		});

		it("says so where the outcome is not known, and where there is no profile", () => {
			play((lobby, world) => {
				const { player } = lobby.join(7);
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				const answer = failureOf(lobby.server.run(() => lobby.driver.releaseForTeleport(player)));
				expect(answer.type).to.equal("roblox");
				outage.remove();
				world.store(STORE).set("Player_8", 1);
				const eight = lobby.server.join(8);
				world.wait(1);
				expect(failureOf(lobby.server.run(() => lobby.driver.releaseForTeleport(eight))).type).to.equal(
					"released",
				);
			});
		});

		it("the player's leaving afterwards writes nothing", () => {
			play((lobby, world) => {
				const { player } = readyToGo(lobby);
				const before = world.trace.durableWrites();
				lobby.server.leave(player);
				world.wait(20);
				expect(world.trace.durableWrites() - before).to.equal(0);
			});
		});
	});

	describe("reacquire, after a teleport that failed", () => {
		it("takes the record back under a fresh token and a higher turn; the same profile goes on", () => {
			play((lobby, world) => {
				const before = lobby.join(7);
				const token = lobby.record(KEY)!.Lock!.Token;
				lobby.set(before.profile, 5);
				lobby.server.run(() => lobby.driver.releaseForTeleport(before.player)).unwrap();
				expect(lobby.server.run(() => before.profile.reacquire()).success).to.equal(true);
				const { Lock, Meta } = lobby.record(KEY)!;
				expect(Lock!.Token === token).to.equal(false);
				expect(Lock!.Turn).to.equal(2);
				expect(Meta.Turn).to.equal(2);
				expect(Meta.ReleasedToken).to.equal(undefined);
				expect(before.profile.active).to.equal(true);
				expect(lobby.driver.profileOf(before.player)).to.equal(before.profile);
				expect(lobby.driver.get(KEY)).to.equal(before.profile);
				lobby.set(before.profile, 9).unwrap();
				world.wait(70);
				expect(lobby.coins(KEY)).to.equal(9);
				lobby.server.leave(before.player);
				lobby.waitUntilFree(KEY);
				expect(lobby.record(KEY)!.Meta.ReleasedToken).to.equal(Lock!.Token);
			});
		});

		it("asks nobody and steals nothing: once another server has the record, it is refused and the session ends", () => {
			play((lobby, world) => {
				const other = new PlayerGame(world);
				const { profile } = readyToGo(lobby);
				const there = other.join(7).profile;
				const before = world.trace.count({ service: "Messaging", op: "PublishAsync" });
				expect(failureOf(lobby.server.run(() => profile.reacquire())).type).to.equal("lock_lost");
				expect(world.trace.count({ service: "Messaging", op: "PublishAsync" })).to.equal(before);
				expect(there.active).to.equal(true);
				expect(lobby.server.kicks.size()).to.equal(1);
				expect(failureOf(lobby.server.run(() => profile.reacquire())).type).to.equal("lock_lost");
			});
		});

		it("is refused also when the other server has released it again: the record has moved on", () => {
			play((lobby, world) => {
				const other = new PlayerGame(world);
				const { profile } = readyToGo(lobby);
				const there = other.join(7);
				other.set(there.profile, 50);
				other.server.leave(there.player);
				other.waitUntilFree(KEY);
				const refusal = failureOf(lobby.server.run(() => profile.reacquire()));
				expect(refusal.type).to.equal("lock_lost");
				// Nothing was changed since the release, so nothing may be called lost.
				expect(refusal.message.find("are lost", 1, true)[0]).to.equal(undefined);
				expectText(refusal.message, KEY, "cannot be taken back", "What was released is stored");
				expect(lobby.coins(KEY)).to.equal(50);
				expect(lobby.record(KEY)!.Lock).to.equal(undefined);
			});
		});

		it("recognizes its own write when the answer is lost", () => {
			play((lobby, world) => {
				const { profile } = readyToGo(lobby);
				world.faults.add({ service: "DataStore", effect: "loseAnswer", count: 1 });
				expect(lobby.server.run(() => profile.reacquire()).success).to.equal(true);
				expect(lobby.record(KEY)!.Meta.Turn).to.equal(2);
				expect(profile.active).to.equal(true);
			});
		});

		it("during an outage it fails, takes no updates, and leaves no lock behind", () => {
			play((lobby, world) => {
				const { profile } = readyToGo(lobby);
				const outage = world.faults.add({ service: "DataStore", effect: "loseAnswer" });
				expect(failureOf(lobby.server.run(() => profile.reacquire())).type).to.equal("roblox");
				expect(profile.active).to.equal(false);
				expect(failureOf(lobby.set(profile, 6)).type).to.equal("released");
				outage.remove();
				lobby.waitUntilFree(KEY, 60);
				expect(lobby.coins(KEY)).to.equal(5);
			});
		});

		it("calls a release off that has not landed", () => {
			play((lobby, world) => {
				const { player, profile } = lobby.join(7);
				lobby.set(profile, 5);
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				lobby.server.run(() => lobby.driver.releaseForTeleport(player));
				outage.remove();
				expect(lobby.server.run(() => profile.reacquire()).success).to.equal(true);
				expect(profile.active).to.equal(true);
				expect(lobby.coins(KEY)).to.equal(5);
			});
		});

		it("a player who leaves while it runs is released all the same", () => {
			play((lobby, world) => {
				const { player, profile } = readyToGo(lobby);
				world.faults.add({ service: "DataStore", effect: "delay", seconds: 3, count: 1 });
				lobby.server.spawn(() => profile.reacquire());
				world.wait(1);
				lobby.server.leave(player);
				world.wait(5);
				expect(lobby.record(KEY)!.Lock).to.equal(undefined);
				expect(profile.active).to.equal(false);
				expect(lobby.driver.get(KEY)).to.equal(undefined);
			});
		});

		it("a player who has left while the release fails is not taken back: the lock is given up", () => {
			play((lobby, world) => {
				const { player, profile } = lobby.join(7);
				lobby.set(profile, 5);
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				let back: Result<undefined> | undefined;
				lobby.server.spawn(() => {
					lobby.driver.releaseForTeleport(player);
					back = profile.reacquire();
				});
				world.wait(2);
				lobby.server.leave(player);
				world.wait(30);
				expect(failureOf(back!).type).to.equal("player_left");
				outage.remove();
				lobby.waitUntilFree(KEY);
				expect(lobby.coins(KEY)).to.equal(5);
				expect(lobby.driver.get(KEY)).to.equal(undefined);
			});
		});

		it("a release that waits for a trade, too, comes first: what is answered as taken back is open", () => {
			for (const isFirst of [true, false]) {
				play((lobby) => {
					const profile = lobby.join(7).profile as OpenProfile<Coins>;
					const hold = profile.takeHold()!;
					let back: Result<undefined> | undefined;
					const reacquire = () => {
						back = profile.reacquire();
						if (back.success) expect(profile.active).to.equal(true);
					};
					if (isFirst) lobby.server.spawn(reacquire);
					lobby.server.spawn(() => profile.release());
					if (!isFirst) lobby.server.spawn(reacquire);
					lobby.world.wait(1);
					expect(hold.lasts()).to.equal(true);
					profile.letGo();
					lobby.world.wait(5);
					expect(back?.success).to.equal(true);
					expect(profile.active).to.equal(true);
					expect(lobby.record(KEY)?.Lock).never.to.equal(undefined);
				});
			}
		});

		it("the lock is lost while both wait for a trade: both are told, and nobody waits on", () => {
			for (const isFirst of [true, false]) {
				play((lobby) => {
					const profile = lobby.join(7).profile as OpenProfile<Coins>;
					profile.takeHold();
					const answers = new Array<string>();
					const ask = (call: () => Result<undefined>) => {
						lobby.server.spawn(() => answers.push(failureOf(call()).type));
					};
					if (isFirst) ask(() => profile.reacquire());
					ask(() => profile.release());
					if (!isFirst) ask(() => profile.reacquire());
					lobby.server.run(() => {
						profile.lose("taken", undefined);
						profile.letGo();
					});
					lobby.world.wait(1);
					expect(answers.join()).to.equal("lock_lost, lock_lost");
				});
			}
		});

		it("is refused where the driver closes while the release fails: the lock is given up", () => {
			play((lobby, world) => {
				const { player, profile } = lobby.join(7);
				lobby.set(profile, 5);
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				lobby.server.run(() => lobby.driver.releaseForTeleport(player));
				lobby.server.spawn(() => lobby.driver.close());
				world.wait(1);
				expect(failureOf(lobby.server.run(() => profile.reacquire())).type).to.equal("profile_closed");
				outage.remove();
				lobby.waitUntilFree(KEY);
				expect(lobby.coins(KEY)).to.equal(5);
			});
		});

		// Rule 2.6: a rejoin rebinds the profile to the new instance, also one that waits for what becomes of it.
		it("a player who rejoins before the old instance has left goes on with what is taken back", () => {
			play((lobby, world) => {
				const { player, profile } = readyToGo(lobby);
				world.faults.add({ service: "DataStore", effect: "delay", seconds: 3, count: 1 });
				lobby.server.spawn(() => profile.reacquire());
				world.wait(0.5);
				const again = lobby.server.join(7);
				world.wait(0.5);
				lobby.server.leave(player);
				world.wait(10);
				expect(lobby.failed.size()).to.equal(0);
				expect(lobby.driver.profileOf(again)).to.be.ok();
				lobby.server.leave(again);
				lobby.waitUntilFree(KEY);
			});
		});

		it("a player who rejoins before the old instance has left, and leaves after it, has it for itself", () => {
			play((lobby, world) => {
				const { player, profile } = readyToGo(lobby);
				lobby.server.spawn(() => profile.reacquire());
				const again = lobby.server.join(7);
				world.wait(5);
				expect(lobby.failed.size()).to.equal(0);
				expect(lobby.driver.profileOf(again)).to.equal(profile);
				lobby.server.leave(player);
				world.wait(5);
				expect(profile.active).to.equal(true);
				lobby.server.leave(again);
				lobby.waitUntilFree(KEY);
			});
		});

		it("a player who rejoins while it is taken back goes on with it, and the call tells so", () => {
			play((lobby, world) => {
				const { player, profile } = readyToGo(lobby);
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				let back: Result<undefined> | undefined;
				lobby.server.spawn(() => (back = profile.reacquire()));
				world.wait(0.2);
				lobby.server.leave(player);
				world.wait(0.2);
				const again = lobby.server.join(7);
				world.wait(0.2);
				outage.remove();
				world.wait(10);
				expect(lobby.driver.profileOf(again)).to.equal(profile);
				expect(back!.success).to.equal(true);
				expect(profile.active).to.equal(true);
			});
		});

		it("calls made at once share one attempt and its answer", () => {
			play((lobby, world) => {
				const { profile } = readyToGo(lobby);
				const answers = new Array<boolean>();
				for (let index = 0; index < 2; index++) {
					lobby.server.spawn(() => answers.push(profile.reacquire().success));
				}
				world.wait(2);
				expect(answers.size()).to.equal(2);
				expect(answers[0] && answers[1]).to.equal(true);
				expect(lobby.record(KEY)!.Meta.Turn).to.equal(2);
			});
		});

		it("works for a player who went on with a profile that the game had loaded by hand, whose user id then goes along", () => {
			play((lobby, world) => {
				const manual = lobby.server.run(() => lobby.driver.load(KEY)).unwrap();
				lobby.set(manual, 5);
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				lobby.server.spawn(() => manual.release());
				world.wait(1);
				const { player, profile } = lobby.join(7);
				expect(profile).to.equal(manual);
				outage.remove();
				world.wait(35);
				expect(world.store(STORE).info(KEY)!.userIds[0]).to.equal(7);
				lobby.server.run(() => lobby.driver.releaseForTeleport(player)).unwrap();
				expect(lobby.server.run(() => profile.reacquire()).success).to.equal(true);
			});
		});
	});
};
