import { World } from "../../cloud/world";
import { failureOf } from "../driver/playerGame";
import { KEY, must, PROFILES, Servers, withServers } from "./servers";

const WORST_WRITE = { fast: 0.08, live: 0.5 };

function sentBy(servers: Servers, world: World, since: number): Array<number> {
	return world.trace
		.select({ service: "Messaging", op: "PublishAsync", server: servers.s2.server, since })
		.map(({ at }) => at - since);
}

export = () => {
	for (const profile of PROFILES) {
		describe(`seed "Cross-server requests", in the profile ${profile}`, () => {
			it("steps 1 to 5: one request, the session ends with the kick text, one save, one reply, and the join has its data", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const before = servers.settle(s1, 5, 1);
					const since = world.now();
					const taker = servers.arrive(s2);
					must(taker.profile?.data.coins === 6, "the handoff failed");
					expect(s1.server.kicks.size()).to.equal(1);
					expect(s1.server.kicks[0].player).to.equal(before.player);
					expect(s1.server.kicks[0].message).to.equal("You joined another server.");
					expect(servers.writes(since, s1)).to.equal(1);
					expect(before.profile.active).to.equal(false);
					expect(
						world.trace.count({ service: "Messaging", op: "PublishAsync", server: s2.server, since }),
					).to.equal(1);
					expect(
						world.trace.count({ service: "Messaging", op: "PublishAsync", server: s1.server, since }),
					).to.equal(1);
					expect(taker.seconds < (profile === "fast" ? 1.5 : 7)).to.equal(true);
					servers.end(s2, taker.player, 6);
				});
			});

			it("onReleasing handlers run before the last save of a session that is handed over", () => {
				withServers({ profile }, (servers) => {
					const { s1, s2 } = servers;
					const before = servers.settle(s1, 5);
					before.profile.onReleasing((leaving) =>
						leaving.update((data) => ({ ...data, coins: data.coins + 10 })),
					);
					const taker = servers.arrive(s2);
					must(taker.profile?.data.coins === 15, "the handler's change is missing");
				});
			});

			it("scenario 16: a request for a key that is still being loaded is acted for as soon as that has ended", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const slow = { effect: "delay", stage: "respond", seconds: 3, count: 1 } as const;
					world.faults.add({ service: "DataStore", key: KEY, server: s1.server, ...slow });
					// Only the first request arrives, while the load still waits for its answer.
					const later = { op: "PublishAsync", server: s2.server, nth: 2, effect: "drop" } as const;
					world.faults.add({ service: "Messaging", ...later });
					servers.coming(s1);
					world.waitUntil(() => servers.lock() !== undefined, 5);
					const taker = servers.arrive(s2);
					must(taker.profile !== undefined, "the handoff failed");
					expect(s1.server.kicks.size()).to.equal(1);
				});
			});

			it("step 2: the request is repeated every 4 s while the load waits, and not any more afterwards", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					servers.settle(s1, 5);
					servers.deafen(s1);
					const since = world.now();
					const taker = servers.arrive(s2);
					must(taker.cause?.type === "profile_locked", "the join worked");
					world.wait(20);
					const sent = sentBy(servers, world, since);
					expect(sent.size()).to.equal(4);
					for (let place = 1; place < sent.size(); place++) {
						expect(math.abs(sent[place] - sent[0] - 4 * place) < 0.1).to.equal(true);
					}
				});
			});

			it("the pauses between attempts are 0.5 s, 1 s, then 2 s", () => {
				withServers({ profile, firstDriver: { handoff: false } }, (servers, world) => {
					const { s1, s2 } = servers;
					servers.settle(s1, 5);
					const since = world.now();
					const taker = servers.arrive(s2);
					must(taker.cause?.type === "profile_locked", "the join worked");
					expect(taker.seconds >= 15 && taker.seconds < 15 + WORST_WRITE[profile] + 0.1).to.equal(true);
					const calls = world.trace.select({ service: "DataStore", key: KEY, server: s2.server, since });
					const pauses = calls.map((call, place) =>
						place === 0 ? 0 : call.at - calls[place - 1].answeredAt!,
					);
					const planned = [0, 0.5, 1, 2, 2, 2];
					planned.forEach((seconds, place) => {
						// A server's frame is 1/60 s.
						expect(pauses[place] >= seconds - 0.001 && pauses[place] < seconds + 0.06).to.equal(true);
					});
				});
			});

			it("step 4: every server that asked gets a reply", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2, s3 } = servers;
					const before = servers.settle(s1, 5);
					const token = servers.lock()!.Token;
					world.faults.add({
						service: "DataStore",
						key: KEY,
						server: s1.server,
						effect: "delay",
						seconds: 4,
						count: 1,
					});
					const since = world.now();
					servers.request(s2, s1, token);
					servers.request(s3, s1, token);
					servers.request(s3, s1, token);
					world.wait(10);
					expect(before.profile.active).to.equal(false);
					expect(servers.heard(s2, since)).to.equal(1);
					expect(servers.heard(s3, since)).to.equal(1);
				});
			});

			it("the kick comes once, whatever the number of requests", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2, s3 } = servers;
					servers.settle(s1, 5, 1);
					const token = servers.lock()!.Token;
					const since = world.now();
					for (let copy = 0; copy < 4; copy++) servers.request(copy % 2 === 0 ? s2 : s3, s1, token);
					world.wait(10);
					expect(s1.server.kicks.size()).to.equal(1);
					expect(servers.writes(since, s1)).to.equal(1);
					expect(s1.coins(KEY)).to.equal(6);
				});
			});

			it("the holder's leave save failed: it is tried at once for the request, and the reply comes when it lands", () => {
				withServers({ profile }, (servers, world) => {
					const { s1, s2 } = servers;
					const before = servers.settle(s1, 5, 1);
					const down = world.faults.add({
						service: "DataStore",
						key: KEY,
						server: s1.server,
						effect: "failBefore",
					});
					s1.server.leave(before.player);
					world.wait(9);
					down.remove();
					const taker = servers.arrive(s2);
					must(taker.profile?.data.coins === 6, "the handoff failed");
					expect(taker.seconds < (profile === "fast" ? 1.5 : 7)).to.equal(true);
				});
			});
		});
	}

	describe("rule 4.5: who is answered, and what is ended", () => {
		it("a key that is not held here, or under another token, is answered at once", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const since = world.now();
				servers.request(s2, s1, "unknown");
				world.wait(0.5);
				expect(servers.heard(s2, since)).to.equal(1);
				const before = servers.settle(s1, 5);
				servers.request(s2, s1, "unknown");
				world.wait(0.5);
				expect(servers.heard(s2, since)).to.equal(2);
				expect(before.profile.active).to.equal(true);
			});
		});

		it("a request without a token ends no live session", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const before = servers.settle(s1, 5);
				servers.request(s2, s1, undefined);
				world.wait(5);
				expect(before.profile.active).to.equal(true);
				expect(s1.server.kicks.size()).to.equal(0);
			});
		});

		it("a request without a token for a key that is not held is answered", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const since = world.now();
				servers.request(s2, s1, undefined);
				world.wait(0.5);
				expect(servers.heard(s2, since)).to.equal(1);
			});
		});

		it("a manual profile is told of the request and not ended; when its game releases it, who asked gets it at once", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const profile = s1.server.run(() => s1.driver.load(KEY)).unwrap();
				s1.set(profile, 6);
				let asked: string | undefined;
				profile.onReleaseRequested.connect((requester) => (asked = requester));
				const taker = servers.coming(s2);
				world.wait(3);
				expect(asked).to.equal(s2.server.jobId);
				expect(profile.active).to.equal(true);
				const since = world.now();
				s1.server.run(() => profile.release()).unwrap();
				const arrival = servers.ended(taker);
				must(arrival.profile?.data.coins === 6, "the handoff failed");
				expect(world.now() - since < 0.6).to.equal(true);
			});
		});

		it("rule 2.4: a load for no player neither waits nor asks: it answers profile_locked at once, restoreAt too", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				servers.settle(s1, 5);
				const earlier = world.cloudTime();
				world.wait(5);
				const since = world.now();
				const answer = failureOf(s2.server.run(() => s2.driver.load(KEY)));
				expect(answer.type).to.equal("profile_locked");
				expect(answer.holder?.jobId).to.equal(s1.server.jobId);
				expect(failureOf(s2.server.run(() => s2.driver.restoreAt(KEY, earlier))).type).to.equal(
					"profile_locked",
				);
				expect(world.now() - since < 0.4).to.equal(true);
				expect(world.trace.count({ service: "Messaging", since })).to.equal(0);
				expect(world.trace.count({ service: "MemoryStore", op: "GetAsync", since })).to.equal(0);
			});
		});
	});

	describe("wake-ups", () => {
		it("a reply that comes while an attempt is under way makes the next one follow at once", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				servers.settle(s1, 5, 1);
				const hear = servers.deafen(s1);
				const taker = servers.coming(s2);
				world.wait(6);
				hear();
				// The attempt that sees the lock still there hears so only after the release and its reply.
				const slow = world.faults.add({
					service: "DataStore",
					key: KEY,
					server: s2.server,
					effect: "delay",
					stage: "respond",
					seconds: 4,
					count: 1,
				});
				world.waitUntil(() => slow.hits > 0);
				const arrival = servers.ended(taker);
				const calls = world.trace.select({ service: "DataStore", key: KEY, server: s2.server });
				const [before, last] = [calls[calls.size() - 2], calls[calls.size() - 1]];
				must(arrival.profile?.data.coins === 6, "the handoff failed");
				expect(last.at - before.answeredAt! < 0.1).to.equal(true);
			});
		});

		it("a new holder is asked at once, not when the request to the former one would be repeated", () => {
			withServers({}, (servers, world) => {
				const { s1, s2, s3 } = servers;
				servers.settle(s1, 5);
				const hear = servers.deafen(s1);
				const since = world.now();
				const taker = servers.coming(s2);
				world.wait(1);
				// S3 gets it first.
				hear();
				const token = servers.lock()!.Token;
				servers.deafen(s2);
				const other = servers.coming(s3);
				servers.request(s3, s1, token);
				const first = servers.ended(other);
				const second = servers.ended(taker);
				must(first.profile !== undefined || second.profile !== undefined, "nobody has the profile");
				for (const server of [s2, s3]) {
					const sent = world.trace.select({
						service: "Messaging",
						op: "PublishAsync",
						server: server.server,
						since,
					});
					expect(sent.size() > 0).to.equal(true);
				}
				must(second.profile !== undefined, "S2 has not got it");
				expect(second.seconds < 6).to.equal(true);
			});
		});
	});

	describe("rule 1.4: no orphan locks", () => {
		it("an acquire that landed late leaves a lock that nothing owns: it is cleared before the request is answered", () => {
			withServers({}, (servers, world) => {
				const { s1, s2, s3 } = servers;
				const first = servers.settle(s2, 5);
				servers.end(s2, first.player, 5);
				world.faults.add({
					service: "DataStore",
					key: KEY,
					server: s1.server,
					durableOnly: true,
					effect: "landLate",
					seconds: 20,
					count: 1,
				});
				const gone = s1.server.join(7);
				world.wait(0.2);
				s1.server.leave(gone);
				world.wait(5);
				const visit = servers.settle(s2, 8);
				servers.end(s2, visit.player, 8);
				world.waitUntil(() => servers.holds(s1), 30);
				const taker = servers.arrive(s3);
				must(taker.profile?.data.coins === 8, `the orphan was left: ${taker.cause}`);
				expect(taker.seconds < 1.5).to.equal(true);
				servers.end(s3, taker.player, 8);
			});
		});

		it("an acquire that lands twice, the second time after its session ended and another server's: cleared all the same", () => {
			withServers({}, (servers, world) => {
				const { s1, s2, s3 } = servers;
				world.faults.add({
					service: "DataStore",
					key: KEY,
					server: s1.server,
					durableOnly: true,
					effect: "duplicate",
					seconds: 20,
					count: 1,
				});
				const first = servers.settle(s1, 5);
				servers.end(s1, first.player, 5);
				const visit = servers.settle(s2, 8);
				servers.end(s2, visit.player, 8);
				world.waitUntil(() => servers.holds(s1), 30);
				const taker = servers.arrive(s3);
				must(taker.profile?.data.coins === 8, `the orphan was left: ${taker.cause}`);
				expect(taker.seconds < 1.5).to.equal(true);
				servers.end(s3, taker.player, 8);
			});
		});

		it("two servers ask for the same orphan at once: both are answered", () => {
			withServers({}, (servers, world) => {
				const { s1, s2, s3 } = servers;
				const since = world.now();
				servers.request(s2, s1, "orphan");
				servers.request(s3, s1, "orphan");
				world.wait(1);
				expect(servers.heard(s2, since)).to.equal(1);
				expect(servers.heard(s3, since)).to.equal(1);
			});
		});

		it("the server itself takes its orphan in place when it loads that key", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				world.faults.add({
					service: "DataStore",
					key: KEY,
					server: s1.server,
					durableOnly: true,
					effect: "duplicate",
					seconds: 20,
					count: 1,
				});
				const first = servers.settle(s1, 5);
				servers.end(s1, first.player, 5);
				const visit = servers.settle(s2, 8);
				servers.end(s2, visit.player, 8);
				world.waitUntil(() => servers.holds(s1), 30);
				const back = servers.arrive(s1);
				must(back.profile?.data.coins === 8, `the join failed: ${back.cause}`);
				servers.end(s1, back.player, 8);
			});
		});

		it("a request that comes late for an orphan does not touch the session that began since", () => {
			withServers({}, (servers, world) => {
				const { s1, s2 } = servers;
				const before = servers.settle(s1, 5);
				for (const token of ["orphan", "another"]) servers.request(s2, s1, token);
				world.wait(3);
				expect(before.profile.active && servers.holds(s1)).to.equal(true);
				servers.end(s1, before.player, 5);
			});
		});
	});
};
