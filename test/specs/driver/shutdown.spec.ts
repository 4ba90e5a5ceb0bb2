import { serverState } from "../../../src/driver/serverState";
import { ShutdownOrder } from "../../cloud/server";
import { World } from "../../cloud/world";
import { Coins, expectText, failureOf, lockedRecord, play, PlayerGame, STORE } from "./playerGame";

const ORDERS: ReadonlyArray<ShutdownOrder> = ["removingFirst", "closeFirst", "closeOnly", "interleaved"];

/** Closes the server; returns the seconds it took. */
function close(lobby: PlayerGame, order: ShutdownOrder = "closeFirst"): number {
	const since = lobby.world.now();
	lobby.server.shutdown({ order });
	return lobby.world.now() - since;
}

/** Lets players 1 to `count` in, each with 100 unsaved coins more than the user id. */
function fill(lobby: PlayerGame, count: number): void {
	for (let user = 1; user <= count; user++) lobby.set(lobby.join(user).profile, 100 + user);
}

/** Throws unless all of these players' coins are stored and their records free. */
function expectSaved(lobby: PlayerGame, count: number, except = 0): void {
	for (let user = 1; user <= count; user++) {
		if (user === except) continue;
		const key = `Player_${user}`;
		if (lobby.coins(key) !== 100 + user) error(`${key} holds ${lobby.coins(key)} coins`, 2);
		if (lobby.record(key)?.Lock !== undefined) error(`${key} is locked`, 2);
	}
}

function tries(world: World, key: string, since: number): number {
	return world.trace.count({ op: "UpdateAsync", key, since });
}

export = () => {
	describe("prior fault: shutdown waited on the wrong set; it is tested as a whole", () => {
		for (const order of ORDERS) {
			for (const deferredSignals of [false, true]) {
				it(`${order}: everything is saved and released, in parallel (deferred signals: ${deferredSignals})`, () => {
					play(
						(lobby) => {
							fill(lobby, 12);
							expect(close(lobby, order) < 2).to.equal(true);
							expectSaved(lobby, 12);
						},
						{ switches: { deferredSignals } },
					);
				});
			}

			it(`${order}: those loading, saving and releasing as well, and none is lost`, () => {
				play((lobby, world) => {
					fill(lobby, 4);
					const slow = world.faults.add({
						service: "DataStore",
						op: "UpdateAsync",
						effect: "delay",
						seconds: 3,
					});
					// 1 is saving older data, 2 is releasing, 5 is loading, 6 waits for another server's lock.
					const first = lobby.driver.get("Player_1")!;
					lobby.server.spawn(() => first.save());
					lobby.server.leave(lobby.server.players()[1]);
					lobby.server.join(5);
					world.store(STORE).set("Player_6", lockedRecord(3));
					slow.remove();
					lobby.server.join(6);
					world.wait(0.5);
					lobby.set(first, 101);
					const took = close(lobby, order);
					expect(took < 5).to.equal(true);
					expectSaved(lobby, 4);
					expect(lobby.record("Player_5")?.Lock).to.equal(undefined);
					expect(lobby.record("Player_6")?.Lock?.JobId).to.equal("elsewhere");
				});
			});

			it(`${order}: a player in back-off after a failed leave save is tried at once`, () => {
				play((lobby, world) => {
					fill(lobby, 2);
					const outage = world.faults.add({ service: "DataStore", key: "Player_1", effect: "failBefore" });
					lobby.server.leave(lobby.server.players()[0]);
					world.wait(20);
					outage.remove();
					expect(close(lobby, order) < 2).to.equal(true);
					expectSaved(lobby, 2);
				});
			});
		}

		it("profiles that no player owns, of a driver that is not attached, too", () => {
			play(
				(lobby) => {
					const profile = lobby.server.run(() => lobby.driver.load("guild")).unwrap();
					lobby.set(profile, 5);
					close(lobby);
					expect(lobby.coins("guild")).to.equal(5);
					expect(lobby.record("guild")?.Lock).to.equal(undefined);
				},
				{ attach: false },
			);
		});

		it("100 players at once, within the budgets and their queues", () => {
			for (const order of ["removingFirst", "closeOnly"] as const) {
				play((lobby, world) => {
					for (let user = 1; user <= 100; user++) lobby.server.join(user);
					world.waitUntil(() => lobby.ready.size() === 100, 60);
					// The joins have used up what a young server has; a minute later it has its share again.
					world.wait(60);
					for (const { player, profile } of lobby.ready) lobby.set(profile, 100 + player.UserId);
					expect(close(lobby, order) < 28).to.equal(true);
					expectSaved(lobby, 100);
				});
			}
		});
	});

	describe("prior fault: one failed load made shutdown wait for ever; another library burned the whole 30 s", () => {
		it("an empty server closes at once", () => {
			play((lobby) => {
				expect(close(lobby) < 0.1).to.equal(true);
			});
		});

		it("after a normal close, and after failed loads, the shutdown costs nothing", () => {
			play((lobby, world) => {
				world.store(STORE).set("Player_1", "no record");
				world.store(STORE).set("Player_2", lockedRecord(1));
				const one = lobby.server.join(1);
				const two = lobby.server.join(2);
				failureOf(lobby.wait(one));
				failureOf(lobby.wait(two));
				fill(lobby, 0);
				lobby.join(3);
				expect(lobby.server.run(() => lobby.driver.close()).success).to.equal(true);
				const calls = world.trace.count({ service: "DataStore" });
				expect(close(lobby) < 0.2).to.equal(true);
				expect(world.trace.count({ service: "DataStore" })).to.equal(calls);
			});
		});

		it("clean profiles of players close in the time of one write", () => {
			play((lobby) => {
				for (let user = 1; user <= 10; user++) lobby.join(user);
				expect(close(lobby) < 0.3).to.equal(true);
			});
		});
	});

	describe("prior fault: closing twice threw; it is harmless", () => {
		it("twice in a row, twice at once, before the shutdown and during it; nothing is written twice", () => {
			play((lobby, world) => {
				fill(lobby, 3);
				let done = 0;
				for (let index = 0; index < 2; index++) {
					lobby.server.spawn(() => {
						if (lobby.driver.close().success) done += 1;
					});
				}
				world.wait(1);
				expect(done).to.equal(2);
				expect(lobby.server.run(() => lobby.driver.close()).success).to.equal(true);
				lobby.server.spawn(() => lobby.driver.close());
				close(lobby);
				expectSaved(lobby, 3);
				for (let user = 1; user <= 3; user++) {
					expect(world.trace.durableWrites({ key: `Player_${user}` })).to.equal(2);
				}
			});
		});

		it("loads after the close answer profile_closed, players who join then get no session, updates answer released", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(1);
				lobby.server.run(() => lobby.driver.close()).unwrap();
				expect(failureOf(lobby.server.run(() => lobby.driver.load("k"))).type).to.equal("profile_closed");
				const late = lobby.server.join(2);
				expect(failureOf(lobby.wait(late)).type).to.equal("profile_closed");
				expect(failureOf(lobby.set(profile, 3)).type).to.equal("released");
				world.wait(30);
				expect(lobby.record("Player_2")).to.equal(undefined);
				expect(lobby.server.run(() => profile.release()).success).to.equal(true);
			});
		});
	});

	describe("prior fault: failing saves at shutdown were retried in a tight loop; they back off inside the 30 s", () => {
		for (const seconds of [3, 12, 22]) {
			it(`an outage of ${seconds} s in the shutdown loses nothing, at a handful of tries each`, () => {
				play((lobby, world) => {
					fill(lobby, 5);
					const since = world.now();
					const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
					world.after(seconds, () => outage.remove());
					const took = close(lobby);
					expect(took < seconds + 5).to.equal(true);
					expectSaved(lobby, 5);
					for (let user = 1; user <= 5; user++) {
						const count = tries(world, `Player_${user}`, since);
						expect(count >= 3 && count <= 10).to.equal(true);
					}
				});
			});
		}

		it("a store that is gone for all of the 30 s: a warning names the keys, the records keep what was saved", () => {
			play((lobby, world) => {
				fill(lobby, 3);
				world.faults.add({ service: "DataStore", effect: "failBefore" });
				const since = world.now();
				const took = close(lobby);
				expect(took <= 30.1).to.equal(true);
				const text = lobby.server.warnings.join("\n");
				expectText(text, "Player_1", "Player_2", "Player_3", STORE);
				for (let user = 1; user <= 3; user++) {
					expect(lobby.coins(`Player_${user}`)).to.equal(0);
					const count = tries(world, `Player_${user}`, since);
					expect(count >= 6 && count <= 11).to.equal(true);
				}
			});
		});

		it("a driver whose wait ends a frame after 28 s still says what it leaves: nothing is lost without a word", () => {
			play((lobby) => {
				let told = false;
				const slow = (deadline: number): boolean => {
					const { task: taskLibrary, clock } = lobby.server.platform;
					taskLibrary.wait(deadline - clock());
					taskLibrary.wait();
					told = true;
					return false;
				};
				serverState(lobby.server.platform).enter("Slow", slow);
				const took = close(lobby);
				expect(told).to.equal(true);
				expect(took < 30).to.equal(true);
			});
		});

		it("driver.close says which keys were not answered", () => {
			play((lobby, world) => {
				fill(lobby, 2);
				world.faults.add({ service: "DataStore", key: "Player_2", effect: "failBefore" });
				const cause = failureOf(lobby.server.run(() => lobby.driver.close()));
				expect(cause.type).to.equal("roblox");
				expectText(cause.message, "Player_2", STORE);
				expect(cause.message.find("Player_1", 1, true)[0]).to.equal(undefined);
			});
		});
	});

	describe("a failed one does not hold up or lose the others", () => {
		for (const effect of ["failBefore", "hang", "loseAnswer"] as const) {
			for (const order of ORDERS) {
				it(`one profile whose store calls ${effect}, ${order}: the others are saved within a second`, () => {
					play((lobby, world) => {
						fill(lobby, 6);
						world.faults.add({ service: "DataStore", key: "Player_3", effect });
						let quick = false;
						world.after(1.5, () => {
							expectSaved(lobby, 6, 3);
							quick = true;
						});
						const took = close(lobby, order);
						expect(took <= 30.1).to.equal(true);
						world.wait(2);
						expect(quick).to.equal(true);
						if (effect === "loseAnswer") expectSaved(lobby, 6);
					});
				});
			}
		}

		it("one load that hangs does not keep the others, and a lock on its way back is hurried, not left", () => {
			play(
				(lobby, world) => {
					world.store(STORE).set("Player_1", { Data: { coins: -1 }, Meta: { Turn: 1, Migrations: [] } });
					const outage = world.faults.add({
						service: "DataStore",
						key: "Player_1",
						nth: 2,
						effect: "failBefore",
					});
					failureOf(lobby.wait(lobby.server.join(1)));
					lobby.set(lobby.join(2).profile, 102);
					// The give-back of 1 has gone through its quick tries by now.
					world.wait(20);
					world.faults.add({ service: "DataStore", key: "Player_9", effect: "hang" });
					lobby.server.join(9);
					outage.remove();
					let freed = false;
					world.after(2, () => {
						freed = lobby.record("Player_1")?.Lock === undefined;
					});
					close(lobby);
					expect(freed).to.equal(true);
					expect(lobby.coins("Player_2")).to.equal(102);
				},
				{ driver: { check: (value) => (value as Coins).coins >= 0 } },
			);
		});

		it("one driver that cannot save holds up no other driver of the server", () => {
			play((lobby, world) => {
				const other = lobby.server.run(() => lobby.newDriver({ name: "Other" }));
				lobby.server.run(() => other.attach());
				fill(lobby, 2);
				const profile = lobby.server.run(() => other.load("k")).unwrap();
				lobby.set(profile, 7);
				world.faults.add({ service: "DataStore", store: STORE, effect: "failBefore" });
				let stored: unknown;
				world.after(1, () => {
					stored = world.store("Other").get("k");
				});
				close(lobby);
				expect((stored as { Data: Coins }).Data.coins).to.equal(7);
			});
		});
	});

	describe("prior fault: games had no last chance to write before the final save", () => {
		it("onReleasing runs on shutdown once, may update, and one that throws or yields holds up nothing", () => {
			for (const order of ORDERS) {
				play((lobby) => {
					fill(lobby, 3);
					let calls = 0;
					for (const { player, profile } of lobby.ready) {
						profile.onReleasing(() => {
							calls += 1;
							profile.update((data) => ({ coins: data.coins + 1000 }));
							if (player.UserId === 1) error("spec: a handler that throws");
							if (player.UserId === 2) coroutine.yield();
						});
					}
					expect(close(lobby, order) < 2).to.equal(true);
					expect(calls).to.equal(3);
					for (let user = 1; user <= 3; user++) {
						expect(lobby.coins(`Player_${user}`)).to.equal(1100 + user);
					}
				});
			}
		});
	});
};
