import { Scheduler } from "../../../src/cloud/scheduler";
import { Handoff } from "../../../src/handoff/handoff";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { awaitBeat, beatsOf, MAP } from "./fleet";

/** A server that beats, with nothing else on it. */
function beating(world: World): { readonly server: Server; readonly handoff: Handoff } {
	const server = world.startServer();
	const handoff = server.run(() => {
		const made = new Handoff(server.platform, { jobId: server.jobId });
		made.start(new Scheduler(server.platform));
		return made;
	});
	return { server, handoff };
}

const alive = (by: { readonly server: Server; readonly handoff: Handoff }, of: Server) =>
	by.server.run(() => by.handoff.isAlive(of.jobId));

// Seed "Lock handoff", Presence and crashed servers, and API reference.
export = () => {
	describe("beats", () => {
		it("come once at the start and every 3 s, never late by jitter, as 1 with a life of 10 s", () => {
			simulate({ seed: 1 }, (world) => {
				const { server } = beating(world);
				world.wait(61);
				const calls = beatsOf(world, server);
				expect(calls.size()).to.equal(21);
				calls.forEach((call, index) => {
					expect(math.abs(call.at - calls[0].at - 3 * index) < 0.035).to.equal(true);
					expect(call.key).to.equal(server.jobId);
					expect(call.store).to.equal(MAP);
				});
				awaitBeat(world, server);
				const entry = world.services.memory.memory.inspect(MAP, server.jobId)!;
				expect(entry.value).to.equal(1);
				expect(entry.secondsLeft > 9.8 && entry.secondsLeft <= 10).to.equal(true);
			});
		});

		it("are the same few when handoff is started twice", () => {
			simulate({ seed: 1 }, (world) => {
				const { server, handoff } = beating(world);
				server.run(() => handoff.start(new Scheduler(server.platform)));
				world.wait(31);
				expect(world.trace.count({ service: "MemoryStore" })).to.equal(11);
			});
		});

		it("warn at the first failure after a success, once for each outage, and never before a success", () => {
			simulate({ seed: 1 }, (world) => {
				const never = world.startServer();
				never.partition("MemoryStore");
				never.run(() => new Handoff(never.platform, { jobId: "never" }).start(new Scheduler(never.platform)));
				const { server } = beating(world);
				world.wait(10);
				for (const outage of [1, 2]) {
					server.partition("MemoryStore");
					world.wait(30);
					expect(server.warnings.size()).to.equal(outage);
					server.heal("MemoryStore");
					world.wait(10);
				}
				expect(server.warnings[0].find("presence cannot be written", 1, true)[0]).to.be.ok();
				expect(never.warnings.size()).to.equal(0);
			});
		});

		it("go on after a store that throws or hangs", () => {
			for (const effect of ["hang", "failBefore", "throttle"] as const) {
				simulate({ seed: 1 }, (world) => {
					const { server } = beating(world);
					world.wait(10);
					const fault = world.faults.add({ service: "MemoryStore", effect });
					world.wait(20);
					fault.remove();
					world.wait(6);
					expect(world.services.memory.memory.inspect(MAP, server.jobId)).to.be.ok();
				});
			}
		});
	});

	describe("isAlive", () => {
		it("is true for 10 s after the last beat, then false, undefined where the read failed", () => {
			simulate({ seed: 1 }, (world) => {
				const one = beating(world);
				const two = beating(world);
				world.wait(20);
				const beatAt = awaitBeat(world, one.server);
				one.server.crash();
				world.wait(beatAt + 9.8 - world.now());
				expect(alive(two, one.server)).to.equal(true);
				world.wait(0.5);
				expect(alive(two, one.server)).to.equal(false);
				two.server.partition("MemoryStore");
				expect(alive(two, one.server)).to.equal(undefined);
			});
		});

		it("is always true for the server itself, without asking anybody", () => {
			simulate({ seed: 1 }, (world) => {
				const { server, handoff } = beating(world);
				world.wait(5);
				server.partition("MemoryStore");
				const before = world.trace.count({ op: "GetAsync" });
				expect(server.run(() => handoff.isAlive(server.jobId))).to.equal(true);
				expect(world.trace.count({ op: "GetAsync" })).to.equal(before);
			});
		});

		it("answers within 3 s when MemoryStore hangs", () => {
			simulate({ seed: 1 }, (world) => {
				const one = beating(world);
				const two = beating(world);
				world.wait(20);
				world.faults.add({ service: "MemoryStore", effect: "hang" });
				const since = world.now();
				expect(alive(two, one.server)).to.equal(undefined);
				expect(world.now() - since < 3).to.equal(true);
			});
		});
	});

	// Protocol 3.1.
	describe("the flag", () => {
		it("is up while the last answered beat is under 6 s old, and back after 13 s of good beats", () => {
			simulate({ seed: 1 }, (world) => {
				const { server, handoff } = beating(world);
				expect(handoff.flag()).to.equal(false);
				world.wait(1);
				expect(handoff.flag()).to.equal(true);
				const beatAt = awaitBeat(world, server);
				server.partition("MemoryStore");
				world.waitUntil(() => !handoff.flag(), 10);
				expect(math.abs(world.now() - beatAt - 6) < 0.1).to.equal(true);
				world.wait(10);
				server.heal("MemoryStore");
				const goodAt = awaitBeat(world, server);
				world.waitUntil(() => handoff.flag(), 20);
				expect(world.now() - goodAt >= 13 && world.now() - goodAt < 13.2).to.equal(true);
			});
		});

		it("stays down while every other beat fails", () => {
			simulate({ seed: 1 }, (world) => {
				const { server, handoff } = beating(world);
				awaitBeat(world, server);
				server.partition("MemoryStore");
				world.wait(8);
				for (let round = 0; round < 6; round += 1) {
					server.heal("MemoryStore");
					awaitBeat(world, server);
					server.partition("MemoryStore");
					expect(handoff.flag()).to.equal(false);
					world.wait(3.5);
				}
			});
		});

		it("is down from a freeze until 13 s after it", () => {
			simulate({ seed: 1 }, (world) => {
				const { server, handoff } = beating(world);
				awaitBeat(world, server);
				server.pause();
				world.wait(60);
				server.resume();
				expect(handoff.flag()).to.equal(false);
				const goodAt = awaitBeat(world, server);
				world.wait(goodAt + 12.9 - world.now());
				expect(handoff.flag()).to.equal(false);
				world.wait(0.3);
				expect(handoff.flag()).to.equal(true);
			});
		});

		it("is down by the age of the last beat alone, where the timer that withdraws it is late", () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer();
				const { delay: delayed } = server.platform.task;
				// Timers of a busy server fire late.
				const late: typeof delayed = (seconds, target, ...args) => delayed(seconds + 60, target, ...args);
				const platform = { ...server.platform, task: { ...server.platform.task, delay: late } };
				server.run(() => {
					const handoff = new Handoff(platform, { jobId: server.jobId });
					handoff.beat();
					expect(handoff.flag()).to.equal(true);
					server.platform.task.wait(6.1);
					expect(handoff.flag()).to.equal(false);
				});
			});
		});

		it("is down for good after destroy, and no beat follows", () => {
			simulate({ seed: 1 }, (world) => {
				const { server, handoff } = beating(world);
				world.wait(5);
				server.run(() => handoff.destroy());
				server.run(() => handoff.destroy());
				const beats = beatsOf(world, server).size();
				world.wait(30);
				expect(handoff.flag()).to.equal(false);
				expect(beatsOf(world, server).size()).to.equal(beats);
				expect(world.trace.count({ op: "RemoveAsync" })).to.equal(0);
			});
		});
	});

	// Protocol 3.2: a lost map is no proof.
	describe("an empty read", () => {
		const read = (by: { readonly server: Server; readonly handoff: Handoff }, jobId: string) =>
			by.server.run(() => by.handoff.read(jobId));

		it("counts only 13 s after the reader's own first beat", () => {
			simulate({ seed: 1 }, (world) => {
				const by = beating(world);
				const beatAt = awaitBeat(world, by.server);
				world.wait(beatAt + 12.8 - world.now());
				expect(read(by, "nobody")).to.equal("untrusted");
				world.wait(0.5);
				expect(read(by, "nobody")).to.equal("stopped");
			});
		});

		it("is unknown where the look for the reader's own key fails", () => {
			simulate({ seed: 1 }, (world) => {
				const by = beating(world);
				world.wait(20);
				const { jobId } = by.server;
				world.faults.add({ service: "MemoryStore", op: "GetAsync", key: jobId, effect: "failBefore" });
				expect(read(by, "nobody")).to.equal("unknown");
			});
		});

		it("does not count for 13 s after one beat of the reader failed", () => {
			simulate({ seed: 1 }, (world) => {
				const by = beating(world);
				world.wait(20);
				const epoch = by.handoff.epoch();
				// Both tries of one beat.
				const fault = world.faults.add({
					service: "MemoryStore",
					op: "SetAsync",
					effect: "failBefore",
					count: 2,
				});
				world.waitUntil(() => fault.hits === 2, 10);
				world.wait(0.2);
				expect(by.handoff.epoch() > epoch).to.equal(true);
				world.wait(12.5);
				expect(read(by, "nobody")).to.equal("untrusted");
				world.wait(1);
				expect(read(by, "nobody")).to.equal("stopped");
			});
		});

		it("does not count for 30 s after the map was lost, whether a read or a beat meets that first", () => {
			for (const readsFirst of [true, false]) {
				for (const memorySetTellsCreation of readsFirst ? [true, false] : [true]) {
					simulate({ seed: 1, switches: { memorySetTellsCreation } }, (world) => {
						const by = beating(world);
						world.wait(20);
						const beatAt = awaitBeat(world, by.server);
						world.wait(1);
						world.services.memory.memory.flush();
						if (!readsFirst) awaitBeat(world, by.server);
						const lostAt = world.now();
						expect(read(by, "nobody")).to.equal("untrusted");
						expect(lostAt - beatAt < 4).to.equal(true);
						world.wait(29);
						expect(read(by, "nobody")).to.equal("untrusted");
						world.wait(4.5);
						expect(read(by, "nobody")).to.equal("stopped");
					});
				}
			}
		});

		it("does not count where a beat under way puts the lost key back just before it is looked for", () => {
			simulate({ seed: 1 }, (world) => {
				const by = beating(world);
				world.wait(20);
				awaitBeat(world, by.server);
				world.services.memory.memory.flush();
				// The next beat lands at once, and is answered 0.8 s later.
				const slow = world.faults.add({
					service: "MemoryStore",
					op: "SetAsync",
					effect: "delay",
					stage: "respond",
					seconds: 0.8,
				});
				world.waitUntil(() => world.services.memory.memory.inspect(MAP, by.server.jobId) !== undefined, 5);
				expect(read(by, "nobody")).to.equal("untrusted");
				slow.remove();
			});
		});

		it("needs a longer silence where SetAsync has never told that it made a key", () => {
			for (const memorySetTellsCreation of [true, false]) {
				simulate({ seed: 1, switches: { memorySetTellsCreation } }, (world) => {
					const by = beating(world);
					world.wait(20);
					expect(by.handoff.silenceSeconds()).to.equal(memorySetTellsCreation ? 3.5 : 11.5);
				});
			}
		});
	});
};
