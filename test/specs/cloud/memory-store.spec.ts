import { HashMap } from "../../../src/platform/platform";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { Switches } from "../../cloud/switches";
import { World } from "../../cloud/world";

function mapOf(server: Server, name = "map"): HashMap {
	return server.platform.memoryStores.GetHashMap(name);
}

function read(server: Server, key: string, name?: string): unknown {
	return server.run(() => mapOf(server, name).GetAsync(key));
}

function write(server: Server, key: string, value: unknown, seconds = 60): boolean {
	return server.run(() => mapOf(server).SetAsync(key, value, seconds));
}

/** The error of a call, or undefined. */
function problemOf(server: Server, call: (map: HashMap) => unknown): string | undefined {
	return server.run(() => {
		const [success, problem] = pcall(() => call(mapOf(server)));
		return success ? undefined : tostring(problem);
	});
}

function says(text: string | undefined, part: string): boolean {
	return text !== undefined && text.find(part, 1, true)[0] !== undefined;
}

function withServer(switches: Partial<Switches>, body: (world: World, server: Server) => void): World {
	return simulate({ switches }, (world) => body(world, world.startServer()));
}

// MemoryStoreService's hash maps as the emulated cloud shows them.
export = () => {
	describe("a hash map", () => {
		it("is one for all servers, and its values are copies", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				const value = { list: [1] };
				write(one, "k", value);
				const seen = read(two, "k") as typeof value;
				expect(seen.list[0]).to.equal(1);
				expect(seen).never.to.equal(value);
				expect(read(two, "other")).to.equal(undefined);
				expect(read(two, "k", "another map")).to.equal(undefined);
			});
		});

		it("tells by SetAsync whether it overwrote a value", () => {
			withServer({}, (world, server) => {
				expect(write(server, "k", 1, 10)).to.equal(false);
				expect(write(server, "k", 2, 10)).to.equal(true);
				world.wait(11);
				expect(write(server, "k", 3, 10)).to.equal(false);
			});
		});

		it("answers true to every SetAsync where that is not reliable, by switch", () => {
			withServer({ memorySetTellsCreation: false }, (_, server) => {
				expect(write(server, "k", 1)).to.equal(true);
			});
		});

		it("forgets a key when its time is up, counted from its last write and not from reads", () => {
			withServer({}, (world, server) => {
				write(server, "k", 1, 10);
				world.wait(7);
				expect(read(server, "k")).to.equal(1);
				write(server, "k", 2, 10);
				world.wait(9);
				expect(read(server, "k")).to.equal(2);
				world.wait(1);
				expect(read(server, "k")).to.equal(undefined);
			});
		});

		it("cuts fractions off an expiration, or does not, by switch", () => {
			for (const memoryWholeSeconds of [true, false]) {
				withServer({ memoryWholeSeconds }, (world, server) => {
					write(server, "k", 1, 1.9);
					world.wait(1.3);
					expect(read(server, "k")).to.equal(memoryWholeSeconds ? undefined : 1);
				});
			}
		});

		it("takes an expiration of 0 as gone", () => {
			withServer({}, (_, server) => {
				write(server, "k", 1, 0);
				expect(read(server, "k")).to.equal(undefined);
			});
		});

		it("removes keys, those that are not there too", () => {
			withServer({}, (_, server) => {
				write(server, "k", 1);
				server.run(() => {
					mapOf(server).RemoveAsync("k");
					mapOf(server).RemoveAsync("k");
				});
				expect(read(server, "k")).to.equal(undefined);
			});
		});
	});

	describe("UpdateAsync of a hash map", () => {
		it("writes what the transform makes of the value, and returns it", () => {
			withServer({}, (_, server) => {
				const add = (value: unknown) => ((value as number | undefined) ?? 0) + 1;
				expect(server.run(() => mapOf(server).UpdateAsync("k", add, 60))).to.equal(1);
				expect(server.run(() => mapOf(server).UpdateAsync("k", add, 60))).to.equal(2);
				expect(read(server, "k")).to.equal(2);
			});
		});

		it("leaves all as it is and returns nil when the transform returns nil", () => {
			const world = withServer({}, (_, server) => {
				write(server, "k", 1);
				expect(server.run(() => mapOf(server).UpdateAsync("k", () => undefined, 60))).to.equal(undefined);
				expect(read(server, "k")).to.equal(1);
			});
			expect(world.trace.count({ op: "UpdateAsync", outcome: "cancelled", wrote: false })).to.equal(1);
		});

		it("runs the transform again after a conflict, and gives up at its limit", () => {
			const runsWith = (times: number) => {
				let runs = 0;
				let problem: string | undefined;
				withServer({ memoryUpdateAttempts: 3 }, (world, server) => {
					world.faults.add({ service: "MemoryStore", op: "UpdateAsync", effect: "conflict", times });
					problem = problemOf(server, (map) => map.UpdateAsync("k", () => (runs += 1), 60));
					expect(read(server, "k")).to.equal(problem === undefined ? runs : undefined);
				});
				return [runs, problem] as const;
			};
			const [few] = runsWith(2);
			expect(few).to.equal(3);
			const [many, problem] = runsWith(3);
			expect(many).to.equal(3);
			expect(says(problem, "UpdateConflict")).to.equal(true);
		});

		it("raises an error of the transform, or cancels, by switch", () => {
			for (const memoryTransformErrorRaises of [true, false]) {
				withServer({ memoryTransformErrorRaises }, (_, server) => {
					write(server, "k", 1);
					const problem = problemOf(server, (map) => map.UpdateAsync("k", () => error("broken"), 60));
					expect(says(problem, "TransformCallbackFailed")).to.equal(memoryTransformErrorRaises);
					expect(read(server, "k")).to.equal(1);
				});
			}
		});

		it("refuses a transform that yields", () => {
			withServer({}, (_, server) => {
				const problem = problemOf(server, (map) =>
					map.UpdateAsync("k", () => server.platform.task.wait(1), 60),
				);
				expect(says(problem, "TransformCallbackFailed")).to.equal(true);
				expect(read(server, "k")).to.equal(undefined);
			});
		});

		it("fails right after a write that lives for a second only, by switch", () => {
			for (const memoryShortLivedUpdateFails of [true, false]) {
				withServer({ memoryShortLivedUpdateFails }, (world, server) => {
					write(server, "k", 1, 1);
					const update = (map: HashMap) => map.UpdateAsync("k", () => 2, 60);
					expect(says(problemOf(server, update), "InternalError")).to.equal(memoryShortLivedUpdateFails);
					world.wait(2);
					expect(problemOf(server, update)).to.equal(undefined);
				});
			}
		});
	});

	describe("MemoryStore's limits", () => {
		it("refuse expirations below 0 and over 45 days, long keys, large values and what has no JSON form", () => {
			withServer({}, (_, server) => {
				expect(
					says(
						problemOf(server, (map) => map.SetAsync("k", 1, -1)),
						"InvalidExpirationTime",
					),
				).to.equal(true);
				expect(
					says(
						problemOf(server, (map) => map.SetAsync("k", 1, 3888001)),
						"InvalidExpirationTime",
					),
				).to.equal(true);
				expect(problemOf(server, (map) => map.SetAsync("k", 1, 3888000))).to.equal(undefined);
				expect(problemOf(server, (map) => map.GetAsync(string.rep("k", 128)))).to.equal(undefined);
				expect(
					says(
						problemOf(server, (map) => map.GetAsync(string.rep("k", 129))),
						"InvalidRequest",
					),
				).to.equal(true);
				const large = string.rep("v", 32767);
				expect(
					says(
						problemOf(server, (map) => map.SetAsync("k", large, 60)),
						"ItemValueSizeTooLarge",
					),
				).to.equal(true);
				expect(problemOf(server, (map) => map.SetAsync("k", string.rep("v", 32766), 60))).to.equal(undefined);
				expect(
					says(
						problemOf(server, (map) => map.SetAsync("k", undefined, 60)),
						"InvalidRequest",
					),
				).to.equal(true);
			});
		});

		// prior fault: the update call to MemoryStore was counted as one unit; it is two
		it("charge a unit a call and two an update, of 1,000 and 120 for each player a minute", () => {
			const callsUntilThrottled = (call: (map: HashMap) => unknown) => {
				let accepted = 0;
				withServer({}, (world, server) => {
					server.join(1);
					server.run(() => {
						const { task: tasks } = server.platform;
						for (let i = 0; i < 1200; i++) {
							tasks.spawn(() => {
								if (pcall(() => call(mapOf(server)))[0]) accepted += 1;
							});
						}
						tasks.wait(1);
					});
					expect(says(problemOf(server, call), "RequestThrottled")).to.equal(true);
					world.wait(60);
					expect(problemOf(server, call)).to.equal(undefined);
				});
				return accepted;
			};
			expect(callsUntilThrottled((map) => map.GetAsync("k"))).to.equal(1120);
			expect(callsUntilThrottled((map) => map.UpdateAsync("k", () => 1, 60))).to.equal(560);
		});

		it("refuse what would hold more than 64 KB and 1.2 KB for each player, until there is room", () => {
			withServer({}, (world, server) => {
				const value = string.rep("v", 30000);
				write(server, "a", value, 20);
				write(server, "b", value, 3600);
				expect(
					says(
						problemOf(server, (map) => map.SetAsync("c", value, 60)),
						"TotalMemoryOverLimit",
					),
				).to.equal(true);
				expect(problemOf(server, (map) => map.SetAsync("b", value, 3600))).to.equal(undefined);
				world.wait(20);
				expect(problemOf(server, (map) => map.SetAsync("c", value, 60))).to.equal(undefined);
			});
		});
	});

	describe("what can go wrong with MemoryStore", () => {
		it("an entry vanishes early", () => {
			withServer({}, (world, server) => {
				write(server, "k", 1);
				write(server, "l", 2);
				world.services.memory.memory.remove("map", "k");
				expect(read(server, "k")).to.equal(undefined);
				expect(read(server, "l")).to.equal(2);
			});
		});

		it("everything is lost", () => {
			withServer({}, (world, server) => {
				write(server, "k", 1);
				world.services.memory.memory.flush();
				expect(read(server, "k")).to.equal(undefined);
				expect(write(server, "k", 1)).to.equal(false);
			});
		});

		it("one server is cut off, the others are not", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				one.partition("MemoryStore");
				expect(
					says(
						problemOf(one, (map) => map.SetAsync("k", 1, 60)),
						"InternalError",
					),
				).to.equal(true);
				expect(problemOf(two, (map) => map.SetAsync("k", 2, 60))).to.equal(undefined);
				one.heal("MemoryStore");
				expect(read(one, "k")).to.equal(2);
			});
		});

		it("the service is down for all, for a while", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				write(one, "k", 1);
				const outage = world.faults.add({ service: "MemoryStore", effect: "failBefore" });
				for (const server of [one, two]) {
					expect(
						says(
							problemOf(server, (map) => map.GetAsync("k")),
							"InternalError",
						),
					).to.equal(true);
				}
				outage.remove();
				expect(read(two, "k")).to.equal(1);
			});
		});

		it("a write is made although its caller heard an error, and the Nth write can be singled out", () => {
			withServer({}, (world, server) => {
				world.faults.add({ service: "MemoryStore", durableOnly: true, nth: 2, count: 1, effect: "loseAnswer" });
				write(server, "k", 1);
				expect(read(server, "k")).to.equal(1);
				expect(
					says(
						problemOf(server, (map) => map.SetAsync("k", 2, 60)),
						"InternalError",
					),
				).to.equal(true);
				expect(read(server, "k")).to.equal(2);
				expect(write(server, "k", 3)).to.equal(true);
			});
		});

		it("a read is behind, by fault or by switch", () => {
			withServer({}, (world, server) => {
				write(server, "k", 1);
				world.wait(10);
				write(server, "k", 2);
				world.faults.add({ service: "MemoryStore", op: "GetAsync", effect: "stale", seconds: 5, count: 1 });
				expect(read(server, "k")).to.equal(1);
				expect(read(server, "k")).to.equal(2);
			});
			withServer({ memoryStaleSeconds: 1 }, (world, server) => {
				write(server, "k", 1);
				expect(read(server, "k")).to.equal(undefined);
				world.wait(1);
				expect(read(server, "k")).to.equal(1);
			});
		});

		it("a call hangs", () => {
			withServer({}, (world, server) => {
				world.faults.add({ service: "MemoryStore", effect: "hang" });
				let answered = false;
				server.spawn(() => {
					pcall(() => mapOf(server).GetAsync("k"));
					answered = true;
				});
				world.wait(3600);
				expect(answered).to.equal(false);
			});
		});

		it("an update under way when its server crashes writes nothing later over others", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				world.faults.add({
					service: "MemoryStore",
					op: "UpdateAsync",
					server: one,
					effect: "landLate",
					seconds: 5,
				});
				problemOf(one, (map) => map.UpdateAsync("k", () => "old", 60));
				one.crash();
				write(two, "k", "new");
				world.wait(10);
				expect(read(two, "k")).to.equal("new");
			});
		});
	});

	describe("MemoryStore in Studio", () => {
		it("has data of its own", () => {
			simulate({}, (world) => {
				const live = world.startServer();
				const studio = world.startServer({ isStudio: true });
				write(live, "k", "live");
				expect(read(studio, "k")).to.equal(undefined);
				write(studio, "k", "studio");
				expect(read(live, "k")).to.equal("live");
			});
		});

		it("is refused in an unpublished place", () => {
			simulate({}, (world) => {
				const studio = world.startServer({ isStudio: true, published: false });
				expect(
					says(
						problemOf(studio, (map) => map.GetAsync("k")),
						"UnpublishedPlace",
					),
				).to.equal(true);
			});
		});
	});
};
