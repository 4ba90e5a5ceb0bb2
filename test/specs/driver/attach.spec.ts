import { Kernel, plainKernel } from "../../../src/driver/kernel";
import { JobOptions, Scheduler } from "../../../src/cloud/scheduler";
import { Profile } from "../../../src/driver/profile";
import { Result } from "../../../src/result";
import {
	Coins,
	expectText,
	failureOf,
	lockedRecord,
	play,
	PlayerGame,
	SessionEnd,
	STORE,
	thrownBy,
} from "./playerGame";

const KEY = "Player_7";

export = () => {
	describe("attach binds PlayerAdded and players already there", () => {
		it("loads the players who joined before attach, and those after", () => {
			play(
				(lobby, world) => {
					const early = lobby.server.join(7);
					lobby.server.run(() => lobby.driver.attach());
					// Nobody has to ask for the profile.
					world.wait(5);
					expect(lobby.ready.size()).to.equal(1);
					const late = lobby.server.join(8);
					expect(lobby.profile(early).key).to.equal("Player_7");
					expect(lobby.profile(late).key).to.equal("Player_8");
					expect(lobby.ready.size()).to.equal(2);
				},
				{ attach: false },
			);
		});

		for (const deferredSignals of [false, true]) {
			it(`loads a player once who is both listed and announced (deferred signals: ${deferredSignals})`, () => {
				play(
					(lobby, world) => {
						const player = lobby.server.run(() => {
							const joined = lobby.server.join(7);
							lobby.driver.attach();
							return joined;
						});
						lobby.profile(player);
						world.wait(5);
						expect(lobby.ready.size()).to.equal(1);
						expect(world.trace.durableWrites({ key: KEY })).to.equal(1);
						expect(lobby.server.kicks.size()).to.equal(0);
					},
					{ attach: false, switches: { deferredSignals } },
				);
			});

			it(`a player who is gone again before PlayerAdded is heard costs nothing (deferred: ${deferredSignals})`, () => {
				play(
					(lobby, world) => {
						lobby.server.run(() => lobby.server.leave(lobby.server.join(7)));
						world.wait(30);
						expect(lobby.ready.size()).to.equal(0);
						const record = lobby.record(KEY);
						expect(record?.Lock).to.equal(undefined);
					},
					{ switches: { deferredSignals } },
				);
			});
		}

		it("attach twice throws, and attach after close throws", () => {
			play((lobby) => {
				expectText(
					thrownBy(() => lobby.server.run(() => lobby.driver.attach())),
					STORE,
					"attached already",
				);
				lobby.server.run(() => lobby.driver.close());
				const other = lobby.server.run(() => lobby.newDriver({ name: "Other" }));
				lobby.server.run(() => other.close());
				expectText(
					thrownBy(() => lobby.server.run(() => other.attach())),
					"Other",
					"closed",
				);
			});
		});

		it("two drivers of one name on a server are refused at construction, on two servers and by other names not", () => {
			play((lobby, world) => {
				expectText(
					thrownBy(() => lobby.server.run(() => lobby.newDriver())),
					STORE,
					"already",
				);
				lobby.server.run(() => lobby.newDriver({ name: "Other" }));
				new PlayerGame(world);
			});
		});

		it("a construction that is refused for its options leaves the name free", () => {
			play((lobby) => {
				const wrong = { name: "Other", autosaveSeconds: -1 };
				thrownBy(() => lobby.server.run(() => lobby.newDriver(wrong)));
				lobby.server.run(() => lobby.newDriver({ name: "Other" }));
			});
		});
	});

	describe("PlayerRemoving releases", () => {
		it("the profile is saved and released, and inactive at once", () => {
			play((lobby) => {
				const { player, profile } = lobby.join(7);
				lobby.set(profile, 5);
				lobby.server.leave(player);
				expect(profile.active).to.equal(false);
				expect(lobby.driver.profileOf(player)).to.equal(undefined);
				lobby.waitUntilFree(KEY);
				expect(lobby.coins(KEY)).to.equal(5);
			});
		});

		it("a player who left while loading: the profile is released at once, and nobody is kicked", () => {
			for (const deferredSignals of [false, true]) {
				play(
					(lobby, world) => {
						const slow = world.faults.add({ service: "DataStore", effect: "delay", seconds: 4 });
						const player = lobby.server.join(7);
						world.wait(1);
						lobby.server.leave(player);
						slow.remove();
						lobby.waitUntilFree(KEY, 6);
						world.wait(30);
						expect(lobby.ready.size()).to.equal(0);
						expect(lobby.failed.size()).to.equal(0);
						expect(lobby.server.kicks.size()).to.equal(0);
					},
					{ switches: { deferredSignals } },
				);
			}
		});

		it("scenario 16: one who left while waiting for another server's lock takes no lock and makes no further call", () => {
			play((lobby, world) => {
				world.store(STORE).set(KEY, lockedRecord(3));
				const player = lobby.server.join(7);
				world.wait(4);
				const tries = world.trace.count({ op: "UpdateAsync", key: KEY });
				lobby.server.leave(player);
				world.store(STORE).set(KEY, { ...lockedRecord(3), Lock: undefined });
				world.wait(30);
				expect(world.trace.count({ op: "UpdateAsync", key: KEY })).to.equal(tries);
				expect(lobby.record(KEY)?.Lock).to.equal(undefined);
			});
		});
	});

	describe("waitForProfile and profileOf", () => {
		it("answers when the profile is ready, to all who wait, and at once afterwards", () => {
			play((lobby) => {
				const player = lobby.server.join(7);
				const answers = new Array<Result<Profile<Coins>>>();
				for (let index = 0; index < 3; index++) {
					lobby.server.spawn(() => answers.push(lobby.driver.waitForProfile(player)));
				}
				expect(lobby.driver.profileOf(player)).to.equal(undefined);
				const profile = lobby.profile(player);
				expect(answers.size()).to.equal(3);
				for (const answer of answers) expect(answer.unwrap()).to.equal(profile);
				expect(lobby.driver.profileOf(player)).to.equal(profile);
				expect(lobby.driver.get(KEY)).to.equal(profile);
			});
		});

		it("answers with the load's error when the load fails", () => {
			play((lobby, world) => {
				world.store(STORE).set(KEY, { Foreign: 1 });
				const player = lobby.server.join(7);
				expect(failureOf(lobby.wait(player)).type).to.equal("invalid_record");
				expect(failureOf(lobby.wait(player)).type).to.equal("invalid_record");
			});
		});

		it("answers player_left when the player leaves while it loads, and to those who ask afterwards", () => {
			play((lobby, world) => {
				world.faults.add({ service: "DataStore", effect: "delay", seconds: 5 });
				const player = lobby.server.join(7);
				let waited: Result<Profile<Coins>> | undefined;
				lobby.server.spawn(() => {
					waited = lobby.driver.waitForProfile(player);
				});
				world.wait(1);
				lobby.server.leave(player);
				expect(failureOf(waited!).type).to.equal("player_left");
				expect(failureOf(lobby.wait(player)).type).to.equal("player_left");
			});
		});

		it("throws before attach, and so does profileOf", () => {
			play(
				(lobby) => {
					const player = lobby.server.join(7);
					expectText(
						thrownBy(() => lobby.wait(player)),
						"attach",
						STORE,
					);
					expectText(
						thrownBy(() => lobby.server.run(() => lobby.driver.profileOf(player))),
						"attach",
						STORE,
					);
				},
				{ attach: false },
			);
		});

		it("after close it answers profile_closed to a player who is here, not that the player left", () => {
			play((lobby) => {
				lobby.server.run(() => lobby.driver.close());
				const player = lobby.server.join(7);
				expect(failureOf(lobby.wait(player)).type).to.equal("profile_closed");
			});
		});

		it("after the game itself released the profile it answers released, not a dead profile", () => {
			play((lobby) => {
				const { player, profile } = lobby.join(7);
				lobby.server.run(() => profile.release()).unwrap();
				expect(failureOf(lobby.wait(player)).type).to.equal("released");
				expect(lobby.driver.profileOf(player)).to.equal(undefined);
			});
		});
	});

	describe("a load that fails kicks, with a message by reason, once", () => {
		it("a foreign lock: what to do, after onLoadFailed, with the holder", () => {
			play((lobby, world) => {
				world.store(STORE).set(KEY, lockedRecord(3));
				const player = lobby.server.join(7);
				const cause = failureOf(lobby.wait(player));
				expect(cause.type).to.equal("profile_locked");
				expect(cause.holder?.jobId).to.equal("elsewhere");
				expectText(cause.message, "profile is locked by another server", KEY, STORE);
				world.wait(1);
				expect(lobby.server.kicks.size()).to.equal(1);
				expectText(lobby.server.kicks[0].message, "another server", "rejoin");
				expect(lobby.failed.size()).to.equal(1);
				expect(lobby.failed[0].cause).to.equal(cause);
			});
		});

		it("anything else: another message", () => {
			play((lobby, world) => {
				world.store(STORE).set(KEY, "text");
				lobby.wait(lobby.server.join(7));
				world.wait(1);
				expect(lobby.server.kicks.size()).to.equal(1);
				expectText(lobby.server.kicks[0].message, "could not be loaded", "rejoin");
			});
		});

		it("onSessionEnd replaces the kick and hears player, typed reason and the default message", () => {
			const ends = new Array<SessionEnd>();
			play(
				(lobby, world) => {
					world.store(STORE).set(KEY, lockedRecord(3));
					world.store(STORE).set("Player_8", 1);
					const seven = lobby.server.join(7);
					const eight = lobby.server.join(8);
					lobby.wait(seven);
					lobby.wait(eight);
					world.wait(5);
					expect(lobby.server.kicks.size()).to.equal(0);
					expect(ends.size()).to.equal(2);
					expect(ends[0].player).to.equal(eight);
					expect(ends[0].reason).to.equal("load_failed");
					expect(ends[1].player).to.equal(seven);
					expect(ends[1].reason).to.equal("profile_locked");
					expect(ends[1].message.size() > 0).to.equal(true);
					expect(lobby.server.players().size()).to.equal(2);
				},
				{
					driver: {
						onSessionEnd: (player, reason, message) => {
							ends.push({ player, reason, message });
						},
					},
				},
			);
		});

		it("an onSessionEnd that throws or yields holds up nobody", () => {
			play(
				(lobby, world) => {
					world.expectThreadErrors.push("spec: the handler throws");
					world.store(STORE).set(KEY, 1);
					world.store(STORE).set("Player_8", 1);
					lobby.wait(lobby.server.join(7));
					lobby.wait(lobby.server.join(8));
					expect(lobby.join(9).profile.active).to.equal(true);
				},
				{
					driver: {
						onSessionEnd: (player) => {
							if (player.UserId === 7) error("spec: the handler throws");
							coroutine.yield();
						},
					},
				},
			);
		});

		it("rule 2.6: one session end, one kick, the first cause wins, also over two drivers", () => {
			play((lobby, world) => {
				const inventory = lobby.server.run(() => lobby.newDriver({ name: "Inventory" }));
				lobby.server.run(() => inventory.attach());
				world.store(STORE).set(KEY, 1);
				world.store("Inventory").set(KEY, lockedRecord(1));
				const player = lobby.server.join(7);
				lobby.wait(player);
				lobby.server.run(() => inventory.waitForProfile(player));
				world.wait(30);
				expect(lobby.server.kicks.size()).to.equal(1);
				expectText(lobby.server.kicks[0].message, "could not be loaded");
			});
		});

		it("rule 2.6: the game's own handler is told once, over two drivers", () => {
			play((lobby, world) => {
				const ends = new Array<string>();
				const told = lobby.server.run(() =>
					["One", "Two"].map((name) =>
						lobby.newDriver({ name, onSessionEnd: (_, reason) => ends.push(`${name} ${reason}`) }),
					),
				);
				world.store("One").set(KEY, 1);
				world.store("Two").set(KEY, lockedRecord(1));
				lobby.server.run(() => told.forEach((driver) => driver.attach()));
				lobby.server.join(7);
				world.wait(30);
				expect(ends.join()).to.equal("One load_failed");
			});
		});

		it("a kicked player of two drivers: what the other one loaded is saved and released", () => {
			play((lobby, world) => {
				const inventory = lobby.server.run(() => lobby.newDriver({ name: "Inventory" }));
				lobby.server.run(() => inventory.attach());
				world.store(STORE).set(KEY, lockedRecord(1));
				const player = lobby.server.join(7);
				const items = lobby.server.run(() => inventory.waitForProfile(player)).unwrap();
				lobby.set(items, 4);
				lobby.wait(player);
				world.wait(5);
				const stored = world.store("Inventory").get(KEY) as { Data: Coins; Lock?: unknown };
				expect(stored.Data.coins).to.equal(4);
				expect(stored.Lock).to.equal(undefined);
			});
		});
	});

	describe("the option key", () => {
		it("names the record, default Player_<UserId>", () => {
			play(
				(lobby) => {
					expect(lobby.join(7).profile.key).to.equal("slot-7");
					expect(lobby.record("slot-7")).to.be.ok();
				},
				{ driver: { key: (player) => `slot-${player.UserId}` } },
			);
		});

		it("two players of one key: the first keeps the profile, the second is refused; neither ends the other's session", () => {
			play(
				(lobby, world) => {
					const first = lobby.join(7);
					lobby.set(first.profile, 5);
					const second = lobby.server.join(8);
					expect(failureOf(lobby.wait(second)).type).to.equal("already_loaded");
					world.wait(5);
					expect(lobby.server.kicks.size()).to.equal(1);
					expect(lobby.server.kicks[0].userId).to.equal(8);
					expect(first.profile.active).to.equal(true);
					expect(lobby.driver.profileOf(first.player)).to.equal(first.profile);
					lobby.server.leave(first.player);
					lobby.waitUntilFree("team");
					expect(lobby.coins("team")).to.equal(5);
				},
				{ driver: { key: () => "team" } },
			);
		});

		it("two players of one key at once: one is in, the other is told, nobody is left without an answer", () => {
			play(
				(lobby, world) => {
					const slow = world.faults.add({ service: "DataStore", effect: "delay", seconds: 3 });
					const first = lobby.server.join(7);
					const second = lobby.server.join(8);
					world.wait(1);
					slow.remove();
					expect(lobby.profile(first).active).to.equal(true);
					expect(failureOf(lobby.wait(second)).type).to.equal("already_loaded");
					world.wait(5);
					expect(lobby.server.players().size()).to.equal(1);
					expect(lobby.server.kicks.size()).to.equal(1);
				},
				{ driver: { key: () => "team" } },
			);
		});

		for (const [what, key] of [
			["throws", () => error("spec: no key")],
			["yields", () => coroutine.yield() as unknown as string],
			["gives no string", () => 7 as unknown as string],
			["gives nothing", () => undefined as unknown as string],
			["gives an empty string", () => ""],
			["gives 51 bytes", () => string.rep("x", 51)],
			["gives a reserved key", () => "CKTxn_1"],
		] as ReadonlyArray<[string, () => string]>) {
			it(`one that ${what}: the load fails with invalid_key, the player is kicked, nothing is read or written`, () => {
				play(
					(lobby, world) => {
						const seven = lobby.server.join(7);
						const eight = lobby.server.join(8);
						expect(failureOf(lobby.wait(seven)).type).to.equal("invalid_key");
						expect(failureOf(lobby.wait(eight)).type).to.equal("invalid_key");
						world.wait(5);
						expect(lobby.server.kicks.size()).to.equal(2);
						expect(world.trace.count({ service: "DataStore" })).to.equal(0);
					},
					{ driver: { key } },
				);
			});
		}
	});

	describe("kernel is what a game framework hands in", () => {
		it("its scheduler runs autosave, its sessions end players", () => {
			play(
				(lobby, world) => {
					const jobs = new Array<JobOptions>();
					const finished = new Array<Player>();
					const own = lobby.server.run(() => plainKernel(lobby.server.platform));
					const inner = new Scheduler(lobby.server.platform);
					const kernel: Kernel = {
						...own,
						scheduler: {
							schedule(options, body) {
								jobs.push(options);
								return inner.schedule(options, body);
							},
						},
						sessions: {
							finish(player, endNow) {
								finished.push(player);
								return own.sessions.finish(player, endNow);
							},
						},
					};
					lobby.server.run(() => lobby.driver.attach(kernel));
					const { profile } = lobby.join(7);
					expect(jobs.size()).to.equal(2);
					expectText(jobs[0].name, STORE);
					expectText(jobs[1].name, "presence");
					lobby.set(profile, 5);
					world.wait(130);
					expect(lobby.coins(KEY)).to.equal(5);
					world.store(STORE).set("Player_8", 1);
					const eight = lobby.server.join(8);
					lobby.wait(eight);
					expect(finished.size()).to.equal(1);
					expect(finished[0]).to.equal(eight);
				},
				{ attach: false },
			);
		});

		it("a driver that has loaded before attach moves to the kernel's scheduler and autosaves once a period", () => {
			play(
				(lobby, world) => {
					const profile = lobby.server.run(() => lobby.driver.load("k")).unwrap();
					const kernel = lobby.server.run(() => plainKernel(lobby.server.platform));
					lobby.server.run(() => lobby.driver.attach(kernel));
					lobby.set(profile, 1);
					world.wait(125);
					expect(lobby.coins("k")).to.equal(1);
					expect(world.trace.durableWrites({ key: "k" })).to.equal(2);
				},
				{ attach: false },
			);
		});

		it("autosave runs although players join all the time", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				lobby.set(profile, 5);
				for (let index = 0; index < 180; index++) {
					lobby.server.leave(lobby.server.join(100 + index));
					world.wait(0.7);
				}
				expect(lobby.coins(KEY)).to.equal(5);
			});
		});
	});
};
