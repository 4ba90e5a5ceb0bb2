import { trade } from "../../../src/trade/trade";
import { World } from "../../cloud/world";
import { expectText, PlayerGame, recordOf, STORE } from "../driver/playerGame";
import { Coming, KEY, must, PROFILES, Servers, USER, withServers } from "./servers";

const ONE_WRITE = { fast: 0.08, live: 0.5 };

function outage(world: World, host: PlayerGame, count?: number) {
	return world.faults.add({
		service: "DataStore",
		op: "UpdateAsync",
		key: KEY,
		server: host.server,
		effect: "failBefore",
		count,
	});
}

/** A player with 5 stored coins and one more has left S1, whose first save of that has failed just now. */
function leftWithFailedSave(servers: Servers, world: World) {
	const before = servers.settle(servers.s1, 5, 1);
	const token = servers.lock()!.Token;
	const calls = () =>
		world.trace.select({ service: "DataStore", key: KEY, server: servers.s1.server, outcome: "failed" }).size();
	const failed = calls();
	outage(world, servers.s1, 1);
	servers.s1.server.leave(before.player);
	world.waitUntil(() => calls() > failed);
	return { ...before, token };
}

/** The same, whose user has been back for a second: the attempt to go on with the profile lasts two more. */
function midAdoption(servers: Servers, world: World) {
	const before = leftWithFailedSave(servers, world);
	world.faults.add({ service: "DataStore", key: KEY, effect: "delay", seconds: 3, count: 1 });
	const second = servers.coming(servers.s1);
	world.wait(1);
	return { before, second };
}

export = () => {
	for (const profile of PROFILES) {
		describe(`seed "Same-server rejoins", in the profile ${profile}`, () => {
			it("leave save still running: the load waits for it, wakes with it, and sees the saved record", () => {
				withServers({ profile }, (servers, world) => {
					const { s1 } = servers;
					const before = servers.settle(s1, 5, 1);
					world.faults.add({ service: "DataStore", key: KEY, effect: "delay", seconds: 3, count: 1 });
					s1.server.leave(before.player);
					let releasedAt = 0;
					before.profile.onReleased.connect(() => (releasedAt = world.now()));
					world.wait(0.5);
					const since = world.now();
					const again = servers.arrive(s1);
					must(again.profile?.data.coins === 6, "the rejoin failed");
					expect(again.profile === before.profile).to.equal(false);
					// No polling: one load after the release, and nothing else.
					expect(world.now() - releasedAt <= ONE_WRITE[profile] + 0.05).to.equal(true);
					expect(world.trace.count({ service: "DataStore", key: KEY, since })).to.equal(1);
				});
			});

			it("adoption, the save lands: the same Profile goes on with everything earned, after one attempt under a fresh token", () => {
				withServers({ profile }, (servers, world) => {
					const { s1 } = servers;
					const before = leftWithFailedSave(servers, world);
					const since = world.now();
					const again = servers.arrive(s1);
					must(again.profile === before.profile, "not the same profile");
					expect(again.profile.active).to.equal(true);
					expect(again.profile.data.coins).to.equal(6);
					expect(again.seconds <= ONE_WRITE[profile] + 0.1).to.equal(true);
					expect(world.trace.count({ service: "DataStore", key: KEY, since })).to.equal(1);
					expect(s1.coins(KEY)).to.equal(6);
					const lock = servers.lock()!;
					expect(lock.Token === before.token).to.equal(false);
					expect(lock.Turn).to.equal(2);
					expect(s1.record(KEY)!.Meta.Turn).to.equal(2);
					expect(s1.record(KEY)!.Meta.ReleasedToken).to.equal(undefined);
					expect(s1.server.kicks.size()).to.equal(0);
					servers.end(s1, again.player, 6);
				});
			});

			it("adoption, the lock is gone: the profile is closed as lost, and the record is loaded the ordinary way", () => {
				withServers({ profile }, (servers, world) => {
					const { s1 } = servers;
					const before = leftWithFailedSave(servers, world);
					let lost: string | undefined;
					before.profile.onLockLost.connect((cause) => (lost = cause.type));
					world
						.store(STORE)
						.set(KEY, recordOf(50, { Meta: { Turn: 3, Migrations: [], ReleasedToken: "theirs" } }));
					const again = servers.arrive(s1);
					must(again.profile !== undefined, `the rejoin failed: ${again.cause}`);
					expect(again.profile === before.profile).to.equal(false);
					expect(again.profile.active).to.equal(true);
					expect(again.profile.data.coins).to.equal(50);
					expect(before.profile.active).to.equal(false);
					expect(lost).to.equal("lock_lost");
					expect(s1.server.kicks.size()).to.equal(0);
					expect(s1.ready.size()).to.equal(2);
					servers.end(s1, again.player, 50);
				});
			});

			it("adoption, the save fails: the player plays on, a warning is given, and saves are tried until one lands", () => {
				withServers({ profile }, (servers, world) => {
					const { s1 } = servers;
					const before = leftWithFailedSave(servers, world);
					const down = outage(world, s1);
					const since = world.now();
					const again = servers.arrive(s1);
					must(again.profile === before.profile, "not the same profile");
					expect(again.profile.active).to.equal(true);
					expect(again.seconds <= ONE_WRITE[profile] + 0.1).to.equal(true);
					// One attempt, no ladder.
					expect(world.trace.count({ service: "DataStore", key: KEY, since })).to.equal(1);
					expectText(s1.server.warnings.join(), KEY, "goes on here, but could not be saved yet");
					s1.set(again.profile, 8);
					world.wait(90);
					expect(again.profile.active).to.equal(true);
					down.remove();
					world.wait(35);
					expect(s1.coins(KEY)).to.equal(8);
					expect(s1.server.kicks.size()).to.equal(0);
					servers.end(s1, again.player, 8);
				});
			});

			it("a release whose answer was lost is recognized: the lock is taken back, and the same Profile goes on", () => {
				withServers({ profile }, (servers, world) => {
					const { s1 } = servers;
					const before = servers.settle(s1, 5, 1);
					const token = servers.lock()!.Token;
					world.faults.add({ service: "DataStore", key: KEY, effect: "loseAnswer", count: 1 });
					s1.server.leave(before.player);
					world.wait(0.7);
					expect(servers.lock()).to.equal(undefined);
					expect(s1.record(KEY)!.Meta.ReleasedToken).to.equal(token);
					const again = servers.arrive(s1);
					must(again.profile === before.profile && again.profile.active, "not the same profile");
					expect(again.seconds <= ONE_WRITE[profile] + 0.1).to.equal(true);
					expect(servers.holds(s1)).to.equal(true);
					expect(s1.record(KEY)!.Meta.ReleasedToken).to.equal(undefined);
					servers.end(s1, again.player, 6);
				});
			});

			it("rule 4.2: a lost release after which others wrote is not taken back: their record is loaded", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const before = servers.settle(s1, 5, 1);
					world.faults.add({
						service: "DataStore",
						key: KEY,
						server: s1.server,
						effect: "loseAnswer",
						count: 1,
					});
					const down = outage(world, s1);
					s1.server.leave(before.player);
					world.wait(0.7);
					const visit = servers.arrive(s2);
					must(visit.profile?.data.coins === 6, "S2's load failed");
					s2.set(visit.profile, 30);
					s2.server.leave(visit.player);
					world.wait(1.5);
					down.remove();
					const again = servers.arrive(s1);
					must(again.profile !== undefined, `the rejoin failed: ${again.cause}`);
					expect(again.profile.data.coins).to.equal(30);
					expect(again.profile === before.profile).to.equal(false);
					expect(before.profile.active).to.equal(false);
					servers.end(s1, again.player, 30);
				});
			});
		});
	}

	describe("rule 4.1: a back-off pause is neither running nor waiting", () => {
		it("a rejoin cuts it short", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const before = servers.settle(s1, 5, 1);
				const down = outage(world, s1);
				s1.server.leave(before.player);
				// Tried at 0, 1, 3, 7 and 15 s, from then on every 30 s.
				world.wait(20);
				down.remove();
				const again = servers.arrive(s1);
				must(again.profile === before.profile && again.profile.active, "not the same profile");
				expect(again.seconds < 0.2).to.equal(true);
			});
		});

		it("a handoff request cuts it short", () => {
			for (const profile of PROFILES) {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const before = servers.settle(s1, 5, 1);
					const down = outage(world, s1);
					s1.server.leave(before.player);
					world.wait(20);
					down.remove();
					const taker = servers.arrive(s2);
					must(taker.profile?.data.coins === 6, "the handoff failed");
					expect(taker.seconds < (profile === "fast" ? 1.5 : 7)).to.equal(true);
				});
			}
		});

		it("a retry that is at the store is running: a rejoin waits for it, and loads what it has stored", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const before = leftWithFailedSave(servers, world);
				world.faults.add({ service: "DataStore", key: KEY, effect: "delay", seconds: 3, count: 1 });
				// The retry begins a second after the failure.
				world.wait(1.5);
				const again = servers.arrive(s1);
				must(again.profile?.data.coins === 6, `the rejoin failed: ${again.cause}`);
				expect(again.profile === before.profile).to.equal(false);
				expect(before.profile.active).to.equal(false);
			});
		});

		it("nor does a rejoin get a profile whose release is still at the store at the deadline, and would end it", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				leftWithFailedSave(servers, world);
				world.faults.add({ service: "DataStore", key: KEY, effect: "delay", seconds: 20, count: 1 });
				world.wait(1.5);
				const again = servers.arrive(s1);
				must(again.cause?.type === "already_loaded", "the rejoin got a profile");
				world.wait(10);
				expect(s1.coins(KEY)).to.equal(6);
				expect(servers.lock()).to.equal(undefined);
			});
		});

		it("a release asked for right when a failure is heard of starts at once, not a slow pause later", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const { profile } = servers.settle(s1, 5, 1);
				const down = outage(world, s1, 5);
				let answered = 0;
				s1.server.spawn(() => {
					const saved = profile.save();
					must(!saved.success, "the save worked");
					down.remove();
					profile.release().unwrap();
					answered = world.now();
				});
				world.wait(18);
				expect(answered > 0).to.equal(true);
				expect(s1.coins(KEY)).to.equal(6);
			});
		});
	});

	describe("rule 4.2: an adoption accepts what any of the attempts before it may have left", () => {
		it("adopted twice without an answer: the first session's lock, still on the record, is taken over", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const before = leftWithFailedSave(servers, world);
				const down = outage(world, s1);
				const second = servers.arrive(s1);
				s1.server.leave(second.player);
				world.wait(2);
				const third = servers.arrive(s1);
				must(third.profile === before.profile, "not the same profile");
				expect(servers.lock()!.Token).to.equal(before.token);
				down.remove();
				s1.set(third.profile, 9);
				world.wait(35);
				expect(s1.coins(KEY)).to.equal(9);
				expect(s1.server.kicks.size()).to.equal(0);
				servers.end(s1, third.player, 9);
			});
		});

		it("data put back to what was stored before an unanswered save are stored by the adoption", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const { profile, player } = servers.settle(s1, 5, 0);
				const earlier = profile.data;
				s1.set(profile, 6);
				world.faults.add({ service: "DataStore", key: KEY, effect: "loseAnswer", count: 1 });
				s1.server.spawn(() => profile.save());
				world.wait(0.5);
				s1.server.run(() => profile.update(() => earlier)).unwrap();
				const down = outage(world, s1);
				s1.server.leave(player);
				world.wait(2);
				expect(s1.coins(KEY)).to.equal(6);
				down.remove();
				must(servers.arrive(s1).profile === profile, "not the same profile");
				world.wait(5);
				expect(s1.coins(KEY)).to.equal(5);
			});
		});
	});

	describe("rule 4.2: nobody has the profile in hand before the attempt has ended", () => {
		it("the player who is back leaves during the attempt, and comes once more: the last one has an active profile", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const { before, second } = midAdoption(servers, world);
				expect(s1.driver.get(KEY)).to.equal(undefined);
				s1.server.leave(second.player);
				const third = servers.arrive(s1);
				must(third.profile !== undefined, `the rejoin failed: ${third.cause}`);
				world.wait(10);
				expect(third.profile.active).to.equal(true);
				expect(third.profile.player).to.equal(third.player);
				expect(third.profile.data.coins).to.equal(6);
				expect(before.profile.active).to.equal(third.profile === before.profile);
				servers.end(s1, third.player, 6);
			});
		});

		it("a newer instance of the same user joins during the attempt: it gets the profile, active", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const { second } = midAdoption(servers, world);
				const third = servers.arrive(s1);
				must(third.profile !== undefined, `the rejoin failed: ${third.cause}`);
				s1.server.leave(second.player);
				world.wait(10);
				expect(third.profile.active).to.equal(true);
				expect(s1.driver.profileOf(third.player)).to.equal(third.profile);
				servers.end(s1, third.player, 6);
			});
		});

		it("the game trades with it and releases it during the attempt: the join waits for that, and loads anew", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const other = s1.join(USER + 1);
				s1.set(other.profile, 1);
				const { before, second } = midAdoption(servers, world);
				let traded = false;
				s1.server.spawn(() => {
					const answer = trade(before.profile, other.profile, (a, b) => [
						{ coins: a.coins - 2 },
						{ coins: b.coins + 2 },
					]);
					traded = answer.unwrap().outcome === "committed";
				});
				let released = false;
				s1.server.spawn(() => {
					released = before.profile.release().success;
				});
				const { profile, cause } = servers.ended(second);
				must(profile !== undefined, `the rejoin failed: ${cause}`);
				must(traded && released, "the join did not wait for the trade and the release");
				expect(s1.driver.profileOf(second.player)).to.equal(profile);
				expect(profile === before.profile).to.equal(false);
				expect(s1.ready[s1.ready.size() - 1].profile).to.equal(profile);
				expect(profile.data.coins).to.equal(4);
				expect(other.profile.data.coins).to.equal(3);
				servers.end(s1, second.player, 4);
			});
		});

		it("reacquire during the attempt answers once it is over, as it ended", () => {
			for (const isLost of [false, true]) {
				withServers({}, (servers, world) => {
					const { s1 } = servers;
					const { before, second } = midAdoption(servers, world);
					let answer: string | undefined;
					s1.server.spawn(() => {
						const back = before.profile.reacquire();
						answer = back.success ? "taken back" : back.error.type;
					});
					if (isLost) world.store(STORE).set(KEY, recordOf(8, { Meta: { Turn: 9, Migrations: [] } }));
					world.wait(1);
					expect(answer).to.equal(undefined);
					const { profile } = servers.ended(second);
					world.wait(1);
					expect(answer).to.equal(isLost ? "lock_lost" : "taken back");
					expect(profile === before.profile).to.equal(!isLost);
					expect(profile!.data.coins).to.equal(isLost ? 8 : 6);
				});
			}
		});

		it("a request for the fresh lock that comes during the attempt is acted for afterwards: the session ends, with its kick", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const before = leftWithFailedSave(servers, world);
				world.faults.add({
					service: "DataStore",
					key: KEY,
					server: s1.server,
					effect: "delay",
					stage: "respond",
					seconds: 3,
					count: 1,
				});
				const second = servers.coming(s1);
				world.wait(0.5);
				const taker = servers.arrive(s2);
				must(taker.profile?.data.coins === 6, "the handoff failed");
				const back = servers.ended(second);
				must(back.profile === before.profile, "the rejoin did not get the profile in hand");
				must(!before.profile.active, "the rejoined session goes on");
				expect(s1.server.kicks.size()).to.equal(1);
				expect(s1.server.kicks[0].player).to.equal(second.player);
				expect(s1.server.kicks[0].message).to.equal("You joined another server.");
			});
		});

		it("a manual load right after a release that failed makes its attempt and gets the profile", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				const profile = s1.server.run(() => s1.driver.load(KEY)).unwrap();
				s1.set(profile, 6);
				outage(world, s1, 5);
				let again: unknown;
				let found: number | undefined;
				s1.server.spawn(() => {
					const released = profile.release();
					must(!released.success, "the release worked");
					again = s1.driver.load(KEY).unwrap();
					found = s1.coins(KEY);
				});
				world.wait(18);
				expect(again).to.equal(profile);
				expect(profile.active).to.equal(true);
				expect(found).to.equal(6);
			});
		});
	});

	describe("one deadline for the whole join (issue 2, Load)", () => {
		it("an adoption whose attempt is never answered: the player plays on at the deadline, and is saved once the store is back", () => {
			withServers({}, (servers, world) => {
				const { s1 } = servers;
				leftWithFailedSave(servers, world);
				const hang = world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					key: KEY,
					server: s1.server,
					effect: "hang",
				});
				const since = world.now();
				const { profile } = s1.join(USER);
				const waited = world.now() - since;
				must(waited > 14 && waited < 15.2, `the join took ${waited} s`);
				expect(profile.active).to.equal(true);
				s1.set(profile, 9);
				hang.remove();
				world.wait(40);
				expect(s1.coins(KEY)).to.equal(9);
				expect(profile.active).to.equal(true);
			});
		});
	});

	describe("rule 4.5: an adopted profile is that of whoever asked for it", () => {
		it("a manual load that goes on with a departed player's profile: a request is told and ends nothing", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const profile = leftWithFailedSave(servers, world).profile;
				const again = s1.server.run(() => s1.driver.load(KEY)).unwrap();
				expect(again).to.equal(profile);
				expect(again.player).to.equal(undefined);
				let asked = 0;
				s1.server.run(() => again.onReleaseRequested.connect(() => (asked += 1)));
				s2.server.join(USER);
				world.wait(8);
				expect(asked > 0).to.equal(true);
				expect(again.active).to.equal(true);
			});
		});
	});

	describe("messages hold up no rejoin", () => {
		it("a hanging MessagingService: a rejoin by adoption takes no longer, with requests waiting", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const before = leftWithFailedSave(servers, world);
				world.faults.add({ service: "Messaging", op: "PublishAsync", server: s1.server, effect: "hang" });
				outage(world, s1, 2);
				servers.request(s2, s1, before.token);
				world.wait(0.3);
				const again = servers.arrive(s1);
				must(again.profile === before.profile && again.profile.active, "not the same profile");
				expect(again.seconds < 0.3).to.equal(true);
			});
		});
	});

	describe("rule 4.2: an old request cannot reach the new session", () => {
		it("it names the old token while the adoption has not landed: answered, nothing ends, and the profile is saved", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const before = leftWithFailedSave(servers, world);
				const down = outage(world, s1);
				const again = servers.arrive(s1);
				must(again.profile === before.profile, "not the same profile");
				expect(servers.lock()!.Token).to.equal(before.token);
				const since = world.now();
				for (let copy = 0; copy < 3; copy++) servers.request(s2, s1, before.token);
				world.wait(2);
				expect(servers.heard(s2, since)).to.equal(3);
				expect(again.profile.active).to.equal(true);
				down.remove();
				world.wait(60);
				expect(s1.coins(KEY)).to.equal(6);
				servers.request(s2, s1, before.token);
				world.wait(2);
				expect(again.profile.active && servers.holds(s1)).to.equal(true);
				expect(s1.server.kicks.size()).to.equal(0);
				servers.end(s1, again.player, 6);
			});
		});
	});

	describe("rule 4.6: a release that the store refuses for good", () => {
		it("ends without the data, loudly, and within the next server's wait", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const before = servers.settle(s1, 5, 1);
				// Only what carries data is refused.
				world.faults.add({
					service: "DataStore",
					key: KEY,
					server: s1.server,
					durableOnly: true,
					effect: "failBefore",
					count: 2,
					message:
						"104: Cannot store Dictionary in data store. Data stores can only accept valid UTF-8 characters.",
				});
				s1.server.leave(before.player);
				const taker: Coming = servers.coming(s2);
				const arrival = servers.ended(taker);
				must(arrival.profile?.data.coins === 5, `the lock was kept: ${arrival.cause}`);
				expectText(s1.server.warnings.join(), KEY, "are lost");
			});
		});
	});
};
