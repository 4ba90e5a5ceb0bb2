import { Profile } from "../../../src/driver/profile";
import { World } from "../../cloud/world";
import { Handoff } from "../../../src/handoff/handoff";
import { Coins, play, PlayerGame, STORE } from "../driver/playerGame";
import { awaitBeat, KEY, lockOf, loseMap, SETTLE_SECONDS, settledPair, warned } from "./fleet";

/** Stops the beats right after one that was answered; returns when that one was sent. */
function silence(world: World, host: PlayerGame): number {
	const beatAt = awaitBeat(world, host.server);
	host.server.partition("MemoryStore");
	return beatAt;
}

const flagOf = (host: PlayerGame, key = KEY) => lockOf(host, key)?.Presence;

// Protocol 3.1: a server that cannot beat withdraws its flag within 10 s.
export = () => {
	describe("withdrawal", () => {
		it("rewrites every held lock once, from 6 s on and within 10 s of the last answered beat, spread", () => {
			play((lobby, world) => {
				for (let user = 1; user <= 20; user += 1) lobby.join(user);
				const beatAt = silence(world, lobby);
				world.wait(beatAt + 5.9 - world.now());
				expect(flagOf(lobby, "Player_3")).to.equal(true);
				const since = world.now();
				world.wait(4.1);
				const writes = world.trace.select({ service: "DataStore", wrote: true, since });
				expect(writes.size()).to.equal(20);
				for (let user = 1; user <= 20; user += 1) expect(flagOf(lobby, `Player_${user}`)).to.equal(false);
				expect(writes[19].at - writes[0].at > 2.5).to.equal(true);
				world.wait(25);
				expect(world.trace.durableWrites({ since }) - 20 <= 0).to.equal(true);
			});
		});

		it("is undone by saves after 13 s of good beats, not before", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				silence(world, lobby);
				world.wait(15);
				lobby.server.heal("MemoryStore");
				awaitBeat(world, lobby.server);
				world.wait(12);
				save(lobby, profile, 1);
				expect(flagOf(lobby)).to.equal(false);
				world.wait(1.5);
				save(lobby, profile, 2);
				expect(flagOf(lobby)).to.equal(true);
			});
		});

		it("reaches a lock that was on its way to a load when the beats failed", () => {
			play((lobby, world) => {
				world.wait(3);
				const beatAt = silence(world, lobby);
				world.wait(beatAt + 5.5 - world.now());
				// Sent with the flag up, answered when nobody walks the open profiles any more.
				world.faults.add({
					service: "DataStore",
					key: KEY,
					effect: "delay",
					stage: "respond",
					seconds: 7,
					count: 1,
				});
				lobby.server.join(7);
				world.wait(2);
				expect(flagOf(lobby)).to.equal(true);
				world.wait(6);
				expect(flagOf(lobby)).to.equal(false);
			});
		});

		it("reaches a lock whose save was on its way when the beats failed", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				const beatAt = silence(world, lobby);
				world.wait(beatAt + 5.5 - world.now());
				// Sent with the flag up, answered long after every lock was told to withdraw.
				const slow = { effect: "delay", stage: "respond", seconds: 3, count: 1 } as const;
				world.faults.add({ service: "DataStore", key: KEY, ...slow });
				save(lobby, profile, 3);
				world.wait(2);
				expect(flagOf(lobby)).to.equal(false);
			});
		});

		it("reaches a lock whose save landed without an answer and is tried again with the same data", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				const beatAt = silence(world, lobby);
				world.wait(beatAt + 5.4 - world.now());
				world.faults.add({ service: "DataStore", key: KEY, effect: "loseAnswer", count: 1 });
				save(lobby, profile, 3);
				world.wait(beatAt + 10.2 - world.now());
				expect(flagOf(lobby)).to.equal(false);
				expect(lobby.coins(KEY)).to.equal(3);
			});
		});

		it("cuts the long pause of a failing save short", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				lobby.set(profile, 4);
				const outage = world.faults.add({ service: "DataStore", key: KEY, effect: "failBefore" });
				lobby.server.spawn(() => profile.save());
				world.waitUntil(() => outage.hits === 5, 60);
				outage.remove();
				const beatAt = silence(world, lobby);
				world.wait(beatAt + 10.2 - world.now());
				expect(flagOf(lobby)).to.equal(false);
			});
		});

		it("does not come from one beat that fails", () => {
			play((lobby, world) => {
				lobby.join(7);
				awaitBeat(world, lobby.server);
				const fault = world.faults.add({ service: "MemoryStore", effect: "failBefore", count: 2 });
				const since = world.now();
				world.wait(12);
				expect(fault.hits).to.equal(2);
				expect(flagOf(lobby)).to.equal(true);
				expect(world.trace.durableWrites({ since })).to.equal(0);
			});
		});

		it("is not repeated while the beats come and go", () => {
			play((lobby, world) => {
				lobby.join(7);
				silence(world, lobby);
				world.wait(12);
				const since = world.now();
				for (let round = 0; round < 4; round += 1) {
					lobby.server.heal("MemoryStore");
					silence(world, lobby);
					world.wait(8);
				}
				expect(world.trace.durableWrites({ since })).to.equal(0);
			});
		});

		it("comes with destroy, and locks taken afterwards carry no flag", () => {
			play((lobby, world) => {
				lobby.join(7);
				expect(flagOf(lobby)).to.equal(true);
				lobby.server.run(() => Handoff.shared(lobby.server.platform, lobby.server.jobId).destroy());
				world.wait(4);
				expect(flagOf(lobby)).to.equal(false);
				lobby.join(8);
				expect(flagOf(lobby, "Player_8")).to.equal(false);
			});
		});

		it("comes after a freeze, before any save puts the flag up again", () => {
			play((lobby, world) => {
				lobby.join(7);
				awaitBeat(world, lobby.server);
				lobby.server.pause();
				world.wait(60);
				lobby.server.resume();
				world.wait(4.5);
				expect(flagOf(lobby)).to.equal(false);
			});
		});

		it("leaves a stale lock protected by a live beat", () => {
			play((first, world) => {
				const second = new PlayerGame(world);
				first.join(7);
				silence(world, first);
				world.wait(12);
				expect(flagOf(first)).to.equal(false);
				first.server.heal("MemoryStore");
				first.server.partition("DataStore");
				first.server.partition("Messaging");
				world.wait(260);
				expect(second.wait(second.server.join(7)).success).to.equal(false);
				expect(lockOf(first)?.JobId).to.equal(first.server.jobId);
			});
		});
	});

	describe("a stale lock whose holder lives, while the map of beats is lost", () => {
		it("is kept: an emptied map says nothing, whoever reads it and whenever", () => {
			for (let offset = 0; offset < 3.2; offset += 0.4) {
				play((first, world) => {
					const second = new PlayerGame(world, { driver: { lockWaitSeconds: 5 } });
					first.join(7);
					world.wait(SETTLE_SECONDS);
					first.server.partition("DataStore");
					first.server.partition("Messaging");
					world.wait(260 + offset);
					loseMap(world);
					world.wait(0.1);
					expect(second.wait(second.server.join(7)).success).to.equal(false);
					expect(lockOf(first)?.JobId).to.equal(first.server.jobId);
				});
			}
		});
	});

	describe("a stale lock whose holder lives, asked for by a server that has just begun, in a lost map", () => {
		it("is kept, too: who cannot judge others yet knows a lost map all the same", () => {
			for (let offset = 0; offset < 3.2; offset += 0.4) {
				play((first, world) => {
					first.join(7);
					world.wait(SETTLE_SECONDS);
					first.server.partition("DataStore");
					first.server.partition("Messaging");
					world.wait(260 + offset);
					const second = new PlayerGame(world, { driver: { lockWaitSeconds: 3 } });
					world.wait(7);
					loseMap(world);
					expect(second.wait(second.server.join(7)).success).to.equal(false);
					expect(lockOf(first)?.JobId).to.equal(first.server.jobId);
				});
			}
		});
	});

	describe("a stale lock whose holder's presence cannot be read (scenario 3)", () => {
		it("is taken by age: an unknown answer does not protect it", () => {
			play((first, world) => {
				const second = new PlayerGame(world);
				first.join(7);
				world.wait(SETTLE_SECONDS);
				first.server.crash();
				world.wait(250);
				second.server.partition("MemoryStore");
				second.join(7);
				expect(lockOf(second)?.JobId).to.equal(second.server.jobId);
				expect(warned(second, "which has not written it for over 240 s")).to.equal(1);
			});
		});
	});

	// Protocol 3.2, scenario 4.
	describe("a server that lives keeps its locks", () => {
		it("when the map is lost and its beats fail for 20 s, whatever SetAsync tells", () => {
			for (const memorySetTellsCreation of [true, false]) {
				for (const offset of [0, 0.7, 1.5, 2.2, 2.9]) {
					play(
						(first, world) => {
							const second = new PlayerGame(world, { driver: { lockWaitSeconds: 40 } });
							const { profile } = first.join(7);
							world.wait(SETTLE_SECONDS + offset);
							first.server.partition("Messaging");
							first.server.partition("MemoryStore");
							loseMap(world);
							const player = second.server.join(7);
							world.wait(20);
							first.server.heal("MemoryStore");
							expect(second.wait(player).success).to.equal(false);
							expect(profile.active).to.equal(true);
							expect(warned(second, "took the lock")).to.equal(0);
						},
						{ switches: { memorySetTellsCreation } },
					);
				}
			}
		});

		it("when its own calls to MemoryStore fail, hang or are throttled for a minute", () => {
			for (const effect of ["failBefore", "hang", "throttle"] as const) {
				for (const offset of [0, 1, 2]) {
					play((first, world) => {
						const second = new PlayerGame(world, { driver: { lockWaitSeconds: 40 } });
						const { profile } = first.join(7);
						world.wait(SETTLE_SECONDS + offset);
						first.server.partition("Messaging");
						world.faults.add({ service: "MemoryStore", server: first.server, effect });
						const player = second.server.join(7);
						expect(second.wait(player).success).to.equal(false);
						expect(profile.active).to.equal(true);
					});
				}
			}
		});

		it("when MemoryStore fails for everyone", () => {
			play((first, world) => {
				const second = new PlayerGame(world, { driver: { lockWaitSeconds: 40 } });
				const { profile } = first.join(7);
				world.wait(SETTLE_SECONDS);
				first.server.partition("Messaging");
				world.faults.add({ service: "MemoryStore", effect: "failBefore", until: world.now() + 30 });
				expect(second.wait(second.server.join(7)).success).to.equal(false);
				expect(profile.active).to.equal(true);
			});
		});
	});

	describe("a stopped server's lock", () => {
		it("is not taken for 30 s after the map was lost, and then is", () => {
			play((first, world) => {
				const second = new PlayerGame(world, { driver: { lockWaitSeconds: 60 } });
				first.join(7);
				world.wait(SETTLE_SECONDS);
				first.server.crash();
				loseMap(world);
				const since = world.now();
				second.join(7);
				const took = world.now() - since;
				expect(took >= 30 && took < 42).to.equal(true);
			});
		});

		it("is taken after a longer silence where SetAsync does not tell what it did", () => {
			play(
				(first, world) => {
					const second = new PlayerGame(world);
					first.join(7);
					world.wait(SETTLE_SECONDS);
					awaitBeat(world, first.server);
					const since = world.now();
					first.server.crash();
					second.join(7);
					const took = world.now() - since;
					expect(took >= 21 && took < 26).to.equal(true);
				},
				{ switches: { memorySetTellsCreation: false } },
			);
		});

		it("is not taken by a server that beats for under 13 s", () => {
			play((first, world) => {
				first.join(7);
				first.server.crash();
				world.wait(60);
				const second = new PlayerGame(world);
				const since = world.now();
				second.join(7);
				expect(world.now() - since >= 16).to.equal(true);
			});
		});

		it("is told in a warning with key, store and JobId", () => {
			play((first, world) => {
				const second = new PlayerGame(world);
				first.join(7);
				world.wait(SETTLE_SECONDS);
				first.server.crash();
				second.join(7);
				const text = `took the lock of "${KEY}" in store "${STORE}" from server ${first.server.jobId}, which stopped beating presence`;
				expect(warned(second, text)).to.equal(1);
			});
		});
	});

	describe("MemoryStore that hangs", () => {
		it("delays no join of a free key, and a handover by a few seconds at most", () => {
			play((_, world) => {
				const [first, second] = settledPair(world, { driver: { name: "Pair" } }, { driver: { name: "Pair" } });
				first.join(7);
				world.faults.add({ service: "MemoryStore", effect: "hang" });
				const since = world.now();
				second.join(8);
				expect(world.now() - since < 0.2).to.equal(true);
				second.join(7);
				expect(world.now() - since < 6).to.equal(true);
			});
		});

		it("delays a new server's first join by a second at most", () => {
			play((lobby, world) => {
				world.faults.add({ service: "MemoryStore", effect: "hang" });
				const fresh = new PlayerGame(world);
				const since = world.now();
				fresh.join(7);
				expect(world.now() - since < 1.3).to.equal(true);
				expect(flagOf(lobby)).to.equal(false);
			});
		});
	});
};

function save(host: PlayerGame, profile: Profile<Coins>, coins: number): void {
	host.set(profile, coins);
	host.server.run(() => profile.save()).unwrap();
}
