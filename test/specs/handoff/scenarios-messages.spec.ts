import { PROFILES, KEY, must, withServers } from "./servers";
import { PlayerGame } from "../driver/playerGame";

/** A load that fails after it wrote the lock, three ways. */
const FAILING_LOADS = ["the check refuses the data", "a migration throws", "the player has left"] as const;

export = () => {
	for (const profile of PROFILES) {
		describe(`locks, answers and loads that go wrong, in the profile ${profile}`, () => {
			it("scenario 10: an acquire whose answer was lost recognizes its own token and holds the key once", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const first = servers.settle(s1, 5);
					servers.end(s1, first.player, 5);
					const since = world.now();
					world.faults.add({
						service: "DataStore",
						key: KEY,
						server: s2.server,
						effect: "loseAnswer",
						count: 1,
					});
					const arrival = servers.arrive(s2);
					must(arrival.profile?.data.coins === 5, "the join failed");
					expect(s2.record(KEY)!.Meta.Turn).to.equal(2);
					expect(servers.writes(since)).to.equal(1);
					servers.end(s2, arrival.player, 5);
				});
			});

			for (const why of FAILING_LOADS) {
				for (const failing of [0, 3]) {
					it(`scenario 11: a load fails after it wrote the lock (${why}), giving it back fails ${failing} times: the lock ends free`, () => {
						withServers({ profile }, (servers, world) => {
							const { s1, s2 } = servers;
							const first = servers.settle(s1, 5);
							servers.end(s1, first.player, 5);
							const closed = new PlayerGame(world, {
								driver: {
									check: (value) =>
										why !== "the check refuses the data" ||
										(value as { coins: number }).coins !== 5,
									migrations:
										why === "a migration throws"
											? [{ name: "broken", migrate: () => error("no") }]
											: undefined,
								},
							});
							world.faults.add({
								service: "DataStore",
								key: KEY,
								server: closed.server,
								effect: "failBefore",
								nth: 2,
								count: failing,
							});
							const slow =
								why === "the player has left"
									? world.faults.add({
											service: "DataStore",
											key: KEY,
											server: closed.server,
											effect: "delay",
											stage: "respond",
											seconds: 2,
											count: 1,
										})
									: undefined;
							const player = closed.server.join(7);
							world.wait(1);
							if (slow !== undefined) closed.server.leave(player);
							closed.waitUntilFree(KEY, 30);
							expect(closed.coins(KEY)).to.equal(5);
							const arrival = servers.arrive(s2);
							must(arrival.profile?.data.coins === 5, "the next load failed");
						});
					});
				}
			}
		});

		describe(`messages and handoff, in the profile ${profile}`, () => {
			it("scenario 12: five copies of a request for an earlier lock, one 10 minutes late, are answered and end nothing", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const first = servers.settle(s1, 5);
					const old = servers.lock()!.Token;
					servers.end(s1, first.player, 5);
					const again = servers.settle(s1, 6, 1);
					expect(servers.lock()!.Token === old).to.equal(false);
					const since = world.now();
					for (let copy = 0; copy < 4; copy++) servers.request(s2, s1, old);
					world.wait(600);
					servers.request(s2, s1, old);
					world.wait(10);
					expect(servers.heard(s1, since)).to.equal(5);
					expect(servers.heard(s2, since) >= 5).to.equal(true);
					expect(again.profile.active).to.equal(true);
					expect(s1.server.kicks.size()).to.equal(0);
					expect(servers.holds(s1)).to.equal(true);
					servers.end(s1, again.player, 7);
				});
			});

			it("scenario 13: a lost reply costs a poll: the lock is found gone within 2 s, and nothing is saved twice", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const { profile: held } = servers.settle(s1, 5, 1);
					let releasedAt = math.huge;
					held.onReleased.connect(() => (releasedAt = world.now()));
					servers.deafen(s2);
					const since = world.now();
					const arrival = servers.arrive(s2);
					const arrivedAt = world.now();
					must(arrival.profile?.data.coins === 6, "the handoff failed");
					// A pause of 2 s and one load.
					expect(arrivedAt - releasedAt < 2 + 0.6).to.equal(true);
					expect(servers.writes(since, s1)).to.equal(1);
					world.wait(30);
					expect(servers.writes(since, s1)).to.equal(1);
				});
			});

			it("scenario 14: a reply that comes before the release is on the record decides nothing; the record does", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const { profile: held } = servers.settle(s1, 5, 1);
					const hear = servers.deafen(s1);
					const coming = servers.coming(s2);
					for (let copy = 0; copy < 8; copy++) {
						world.wait(0.5);
						s1.server.run(() =>
							s1.server.platform.messaging.PublishAsync(`CKHandoff_${s2.server.jobId}`, {
								T: "R",
								D: "PlayerData",
								K: KEY,
							}),
						);
						must(
							coming.ended === undefined && servers.holds(s1) && held.active,
							"a reply has moved the lock",
						);
					}
					hear();
					world.faults.add({
						service: "DataStore",
						key: KEY,
						server: s2.server,
						durableOnly: true,
						effect: "conflict",
						count: 1,
					});
					const arrival = servers.ended(coming);
					must(arrival.profile?.data.coins === 6, "the handoff failed");
					expect(s2.record(KEY)!.Meta.Turn).to.equal(2);
				});
			});

			it("scenario 15: the requester crashes; the released key is loaded at once by a third server", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2, s3 } = servers;
					servers.settle(s1, 5, 1);
					servers.coming(s2);
					world.waitUntil(() => servers.heard(s1) > 0);
					s2.server.crash();
					s1.waitUntilFree(KEY, 10);
					const arrival = servers.arrive(s3);
					must(arrival.profile?.data.coins === 6, "the third server's load failed");
					expect(arrival.seconds < (profile === "fast" ? 0.15 : 0.55)).to.equal(true);
				});
			});

			for (const answer of ["slow", "lost"] as const) {
				it(`scenario 16: a request meets a load for a player who left (its answer is ${answer}): answered when it settles, no lock left`, () => {
					withServers({ profile }, (servers, world) => {
						const { s1, s2 } = servers;
						const before = servers.settle(s1, 5);
						servers.end(s1, before.player, 5);
						world.faults.add({
							service: "DataStore",
							key: KEY,
							server: s1.server,
							effect: answer === "slow" ? "delay" : "hang",
							lands: true,
							stage: "respond",
							seconds: 5,
							count: 1,
						});
						const gone = s1.server.join(7);
						world.waitUntil(() => servers.holds(s1));
						s1.server.leave(gone);
						const arrival = servers.arrive(s2);
						if (answer === "slow") {
							must(arrival.profile?.data.coins === 5, "the next server's load failed");
							expect(arrival.seconds < 9).to.equal(true);
							world.wait(60);
							expect(servers.holds(s2)).to.equal(true);
						} else {
							// An answer that never comes is given up after 15 s, as the load's own deadline has it.
							world.wait(30);
							const later = arrival.profile !== undefined ? arrival : servers.arrive(s2);
							must(later.profile?.data.coins === 5, "the lock was left behind");
						}
					});
				});
			}
		});
	}
};
