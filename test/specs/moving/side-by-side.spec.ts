import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { Host } from "../../story/host";
import { textOf } from "../driver/drivers";
import { expectText, failureOf, PlayerGame, STORE } from "../driver/playerGame";
import { causeOf, OldGame, oldGames, sessionOf, storedOf } from "./oldGames";

const KEY = "Player_7";

/** A user who earned 5 coins on a server of the old game and left it. */
function playedOnOld(world: World, old: Host): void {
	const arrival = old.join(7);
	sessionOf(arrival).earn(5);
	old.server.leave(arrival.player);
	world.waitUntil(() => old.stored(7)?.holder === undefined);
	if (old.stored(7)!.coins !== 5) error("the old game has not saved", 2);
}

/** Plays with one old server. */
function scene(oldGame: OldGame, body: (world: World, old: Host) => void): void {
	simulate({ seed: 3, maxSeconds: 20000 }, (world) => body(world, oldGame.open(world)));
}

/** What Baton and the game keep of a record; the rest is the other library's and the store's. */
function ofBaton(lobby: PlayerGame): string {
	const { Data, Lock, Pending, Meta } = storedOf(lobby, 7);
	return textOf([Data, Lock ?? {}, Pending ?? {}, Meta]);
}

// From the issue: "records that those libraries (from npm, on the emulated cloud) really wrote, with old and new servers
// running side by side".
export = () => {
	for (const oldGame of oldGames()) {
		describe(`moving over from ${oldGame.name}`, () => {
			it("a released record moves with the one write of the load, with its user ids", () => {
				scene(oldGame, (world, old) => {
					playedOnOld(world, old);
					const lobby = oldGame.moveTo(world);
					const since = world.now();
					const { profile } = lobby.join(7);
					expect(profile.data.coins).to.equal(5);
					const calls = world.trace.select({ service: "DataStore", store: STORE, key: KEY, since });
					expect(calls.size()).to.equal(1);
					expect(world.store(STORE).info(KEY)!.userIds[0]).to.equal(7);
					lobby.set(profile, 9).unwrap();
					lobby.server.run(() => profile.release()).unwrap();
					expect(lobby.coins(KEY)).to.equal(9);
					expect(storedOf(lobby, 7).Lock).to.equal(undefined);
				});
			});

			it("a load of a player who has moved costs one request, as always", () => {
				scene(oldGame, (world, old) => {
					playedOnOld(world, old);
					const first = oldGame.moveTo(world);
					const { player } = first.join(7);
					first.server.leave(player);
					first.waitUntilFree(KEY);
					const second = oldGame.moveTo(world);
					const since = world.now();
					expect(second.join(7).profile.data.coins).to.equal(5);
					expect(world.trace.select({ service: "DataStore", key: KEY, since }).size()).to.equal(1);
				});
			});

			it("while the old server has the session, the join fails as profile_locked, and that session goes on", () => {
				scene(oldGame, (world, old) => {
					const session = sessionOf(old.join(7));
					session.earn(5);
					const lobby = oldGame.moveTo(world);
					const before = textOf(world.store(STORE).get(KEY));
					const cause = failureOf(lobby.wait(lobby.server.join(7)));
					expect(cause.type).to.equal("profile_locked");
					expectText(cause.message, oldGame.name, STORE, KEY, "untouched");
					expect(textOf(world.store(STORE).get(KEY))).to.equal(before);
					expect(session.active()).to.equal(true);
					session.save();
					expect(old.stored(7)!.coins).to.equal(5);
				});
			});

			it("a load for no player answers at once that it is locked", () => {
				scene(oldGame, (world, old) => {
					sessionOf(old.join(7));
					const lobby = oldGame.moveTo(world);
					const since = world.now();
					const cause = failureOf(lobby.server.run(() => lobby.driver.load(KEY)));
					expect(cause.type).to.equal("profile_locked");
					expect(world.now() - since < 5).to.equal(true);
				});
			});

			it("a player whom the old server still saves waits for that save, and has what it wrote", () => {
				scene(oldGame, (world, old) => {
					const arrival = old.join(7);
					sessionOf(arrival).earn(5);
					world.faults.add({
						service: "DataStore",
						store: STORE,
						key: KEY,
						server: old.server,
						durableOnly: true,
						count: 1,
						effect: "delay",
						seconds: 6,
					});
					const lobby = oldGame.moveTo(world);
					old.server.leave(arrival.player);
					const since = world.now();
					const { profile } = lobby.join(7);
					expect(profile.data.coins).to.equal(5);
					expect(world.now() - since > 5).to.equal(true);
				});
			});

			it("a crashed old server is outwaited by its library's own figure, not before, with a warning", () => {
				scene(oldGame, (world, old) => {
					const session = sessionOf(old.join(7));
					session.earn(5);
					session.save();
					const crashedAt = world.now();
					old.server.crash();
					const lobby = oldGame.moveTo(world);
					world.wait(oldGame.deadAfterSeconds - 30);
					const early = lobby.server.join(7);
					expect(failureOf(lobby.wait(early)).type).to.equal("profile_locked");
					world.wait(crashedAt + oldGame.deadAfterSeconds + 5 - world.now());
					expect(lobby.join(7).profile.data.coins).to.equal(5);
					expectText(lobby.server.warnings.join("\n"), oldGame.name, KEY, "lost");
				});
			});

			it("a server that knows no store time yet learns it, and takes what is stale at its first join", () => {
				scene(oldGame, (world, old) => {
					sessionOf(old.join(7)).save();
					old.server.crash();
					world.wait(oldGame.deadAfterSeconds + 60);
					expect(oldGame.moveTo(world).join(7).profile.active).to.equal(true);
				});
			});

			for (const effect of ["conflict", "rerun", "loseCommit", "loseAnswer", "landLate", "duplicate"] as const) {
				it(`the write that moves a record is hit by ${effect}: moved once, nothing lost`, () => {
					scene(oldGame, (world, old) => {
						playedOnOld(world, old);
						const lobby = oldGame.moveTo(world);
						world.faults.add({
							service: "DataStore",
							store: STORE,
							key: KEY,
							durableOnly: true,
							count: 1,
							effect,
						});
						const { player, profile } = lobby.join(7);
						expect(profile.data.coins).to.equal(5);
						world.wait(10);
						lobby.set(profile, 6).unwrap();
						lobby.server.leave(player);
						lobby.waitUntilFree(KEY);
						expect(oldGame.moveTo(world).join(7).profile.data.coins).to.equal(6);
					});
				});
			}

			for (const effect of ["crashBefore", "crashAfter"] as const) {
				for (const nth of [1, 2, 3]) {
					it(`the new server dies at its durable write ${nth} (${effect}): the next one goes on from what is stored`, () => {
						scene(oldGame, (world, old) => {
							playedOnOld(world, old);
							const first = oldGame.moveTo(world);
							world.faults.add({
								service: "DataStore",
								store: STORE,
								key: KEY,
								server: first.server,
								durableOnly: true,
								nth,
								effect,
							});
							// Its second write is a save, its third the release.
							first.server.spawn(() => {
								const { player, profile } = first.join(7);
								first.set(profile, 6).unwrap();
								profile.save();
								first.server.leave(player);
							});
							world.waitUntil(() => !first.server.alive);
							world.wait(30);
							const second = oldGame.moveTo(world);
							const { profile } = second.join(7);
							const isSaved = nth === 3 || (nth === 2 && effect === "crashAfter");
							expect(profile.data.coins).to.equal(isSaved ? 6 : 5);
							// And what it left is no way in for the old game.
							expect(causeOf(old.join(7)) !== "").to.equal(true);
							expect(profile.active).to.equal(true);
						});
					});
				}
			}

			it("an old server that was taken for dead wakes up: its saves change nothing", () => {
				scene(oldGame, (world, old) => {
					const session = sessionOf(old.join(7));
					session.earn(5);
					session.save();
					session.earn(100);
					old.server.pause();
					world.wait(oldGame.deadAfterSeconds + 10);
					const lobby = oldGame.moveTo(world);
					const { profile } = lobby.join(7);
					expect(profile.data.coins).to.equal(5);
					lobby.set(profile, 6).unwrap();
					lobby.server.run(() => profile.save()).unwrap();
					const before = ofBaton(lobby);
					old.server.resume();
					const since = world.now();
					world.wait(2);
					expect(ofBaton(lobby)).to.equal(before);
					world.wait(700);
					const tries = world.trace.count({ op: "UpdateAsync", key: KEY, server: old.server, since });
					expect(tries > 0).to.equal(true);
					if (oldGame.name === "ProfileStore") expect(session.active()).to.equal(false);
					expect(profile.active).to.equal(true);
					expect(lobby.coins(KEY)).to.equal(6);
					lobby.set(profile, 8).unwrap();
					lobby.server.run(() => profile.save()).unwrap();
				});
			});

			it("a leave save of the old server that lands after the move changes nothing", () => {
				scene(oldGame, (world, old) => {
					const arrival = old.join(7);
					const session = sessionOf(arrival);
					session.earn(5);
					session.save();
					session.earn(100);
					world.faults.add({
						service: "DataStore",
						store: STORE,
						key: KEY,
						server: old.server,
						op: "UpdateAsync",
						count: 1,
						effect: "delay",
						stage: "arrive",
						seconds: oldGame.deadAfterSeconds + 60,
					});
					old.server.leave(arrival.player);
					world.wait(oldGame.deadAfterSeconds + 10);
					const lobby = oldGame.moveTo(world);
					const { profile } = lobby.join(7);
					expect(profile.data.coins).to.equal(5);
					// The session's own saves go on meanwhile.
					world.wait(100);
					expect(lobby.coins(KEY)).to.equal(5);
					lobby.set(profile, 6).unwrap();
					lobby.server.run(() => profile.save()).unwrap();
					expect(lobby.coins(KEY)).to.equal(6);
				});
			});

			it("old, new, old, new: the old server sends the player off and writes nothing of Baton's", () => {
				scene(oldGame, (world, old) => {
					playedOnOld(world, old);
					const first = oldGame.moveTo(world);
					const { player, profile } = first.join(7);
					first.set(profile, 9).unwrap();
					first.server.leave(player);
					first.waitUntilFree(KEY);
					const before = ofBaton(first);
					const asked = world.now();
					const refused = old.join(7);
					causeOf(refused);
					expect(refused.at - asked < 1).to.equal(true);
					world.wait(60);
					expect(ofBaton(first)).to.equal(before);
					const second = oldGame.moveTo(world);
					const since = world.now();
					expect(second.join(7).profile.data.coins).to.equal(9);
					expect(world.now() - since < 3).to.equal(true);
				});
			});

			it("an old server neither steals nor outwaits a session of the new game", () => {
				scene(oldGame, (world, old) => {
					playedOnOld(world, old);
					const lobby = oldGame.moveTo(world);
					const { profile } = lobby.join(7);
					for (const wait of [0, 60, 640]) {
						world.wait(wait);
						causeOf(old.join(7));
						lobby.set(profile, profile.data.coins + 1).unwrap();
						lobby.server.run(() => profile.save()).unwrap();
					}
					expect(lobby.coins(KEY)).to.equal(8);
				});
			});

			it("nor one whose new server has crashed, however long ago", () => {
				scene(oldGame, (world, old) => {
					playedOnOld(world, old);
					const lobby = oldGame.moveTo(world);
					lobby.join(7);
					lobby.server.crash();
					world.wait(700);
					causeOf(old.join(7));
					expect(oldGame.moveTo(world).join(7).profile.data.coins).to.equal(5);
				});
			});

			it("a player who is new to the game is kept from the old servers, too", () => {
				scene(oldGame, (world, old) => {
					const lobby = oldGame.moveTo(world);
					const { player, profile } = lobby.join(7);
					lobby.set(profile, 3).unwrap();
					lobby.server.leave(player);
					lobby.waitUntilFree(KEY);
					causeOf(old.join(7));
					expect(oldGame.moveTo(world).join(7).profile.data.coins).to.equal(3);
				});
			});

			it("so is a record that Baton made before the driver had the format, from its next load on", () => {
				scene(oldGame, (world, old) => {
					const plain = new PlayerGame(world);
					const { player, profile } = plain.join(7);
					plain.set(profile, 3).unwrap();
					plain.server.leave(player);
					plain.waitUntilFree(KEY);
					const lobby = oldGame.moveTo(world);
					lobby.server.leave(lobby.join(7).player);
					lobby.waitUntilFree(KEY);
					causeOf(old.join(7));
					expect(oldGame.moveTo(world).join(7).profile.data.coins).to.equal(3);
				});
			});

			it("two new servers at once: one has the record, the other finds it locked", () => {
				scene(oldGame, (world, old) => {
					playedOnOld(world, old);
					const servers = [oldGame.moveTo(world), oldGame.moveTo(world)];
					const outcomes = new Array<string>();
					for (const { server, driver } of servers) {
						server.spawn(() => {
							const loaded = driver.load(KEY);
							outcomes.push(loaded.success ? `${loaded.value.data.coins} coins` : loaded.error.type);
						});
					}
					world.waitUntil(() => outcomes.size() === 2);
					outcomes.sort();
					expect(outcomes.join()).to.equal("5 coins, profile_locked");
				});
			});

			it("an old and a new server at once: never two sessions, whoever comes first", () => {
				for (const delay of [0, 0.02, 0.05, 0.1, 0.3]) {
					scene(oldGame, (world, old) => {
						playedOnOld(world, old);
						const lobby = oldGame.moveTo(world);
						let fromOld = "";
						world.after(delay, () =>
							old.server.spawn(() => {
								const arrival = old.join(7);
								fromOld = "session" in arrival ? "session" : arrival.cause;
							}),
						);
						const loaded = lobby.server.run(() => lobby.driver.load(KEY));
						world.waitUntil(() => fromOld !== "", 120);
						expect(loaded.success).to.equal(fromOld !== "session");
					});
				}
			});

			it("peek and restoreAt read what the old game stored", () => {
				scene(oldGame, (world, old) => {
					playedOnOld(world, old);
					world.wait(5);
					const beforeMove = math.floor(world.cloudTime());
					// Roblox keeps the last write of an hour.
					world.wait(3600);
					const lobby = oldGame.moveTo(world);
					expect(lobby.server.run(() => lobby.driver.peek(KEY)).unwrap()!.coins).to.equal(5);
					world.wait(5);
					const { player, profile } = lobby.join(7);
					lobby.set(profile, 1).unwrap();
					lobby.server.leave(player);
					lobby.waitUntilFree(KEY);
					world.wait(5);
					const restored = lobby.server.run(() => lobby.driver.restoreAt(KEY, beforeMove));
					expect(restored.unwrap().coins).to.equal(5);
				});
			});
		});
	}
};
