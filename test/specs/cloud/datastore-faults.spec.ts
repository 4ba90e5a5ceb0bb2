import { Fault } from "../../cloud/faults";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { expectPart, failureOf, onServer } from "./helpers";

/** Adds one to the key `k`; the transform's runs are counted in `runs`. */
function increment(server: Server, runs: { count: number } = { count: 0 }): unknown {
	return server.platform.dataStores.GetDataStore("Coins").UpdateAsync("k", (old) => {
		runs.count += 1;
		return $tuple(((old as number | undefined) ?? 0) + 1);
	})[0];
}

/** A world in which `k` is 10 and every update of it meets the fault. */
function faulty(fault: Omit<Fault, "service">, body: (server: Server, world: World) => void): World {
	return simulate({}, (world) => {
		const server = world.startServer();
		world.store("Coins").set("k", 10);
		world.faults.add({ service: "DataStore", ...fault });
		body(server, world);
	});
}

export = () => {
	describe("a fault of a data store", () => {
		it("failBefore: the caller hears an error, nothing is written (both text forms)", () => {
			for (const form of ["old", "new"] as const) {
				simulate({ switches: { errorTexts: form } }, (world) => {
					const server = world.startServer();
					world.faults.add({ service: "DataStore", effect: "failBefore" });
					const failure = failureOf(() => server.run(() => increment(server)));
					expectPart(failure, form === "old" ? "502: " : "InternalServerError");
					world.wait(60);
					expect(world.store("Coins").get("k")).to.equal(undefined);
				});
			}
		});

		it("a fault's own message is what the caller hears", () => {
			faulty({ effect: "failBefore", message: "DatastoreThrottled" }, (server) => {
				expectPart(
					failureOf(() => server.run(() => increment(server))),
					"DatastoreThrottled",
				);
			});
		});

		it("prior fault: loseAnswer: the caller hears an error, although it is written", () => {
			faulty({ effect: "loseAnswer" }, (server, world) => {
				failureOf(() => server.run(() => increment(server)));
				expect(world.store("Coins").get("k")).to.equal(11);
				expect(world.trace.calls[0].wrote).to.equal(true);
				expect(world.trace.calls[0].outcome).to.equal("failed");
			});
		});

		it("landLate: written some time after the caller heard an error, on what is stored then", () => {
			const runs = { count: 0 };
			faulty({ effect: "landLate", seconds: 20, count: 1 }, (server, world) => {
				failureOf(() => server.run(() => increment(server, runs)));
				world.store("Coins").set("k", 50);
				expect(world.store("Coins").get("k")).to.equal(50);
				world.wait(21);
				expect(world.store("Coins").get("k")).to.equal(51);
				expect(runs.count >= 2).to.equal(true);
			});
		});

		it("landLate after the server's death: written if nothing was written since, as nobody can run the transform", () => {
			for (const changed of [false, true]) {
				faulty({ effect: "landLate", seconds: 20, count: 1 }, (server, world) => {
					failureOf(() => server.run(() => increment(server)));
					server.crash();
					if (changed) world.store("Coins").set("k", 50);
					world.wait(21);
					expect(world.store("Coins").get("k")).to.equal(changed ? 50 : 11);
				});
			}
		});

		it("landLate of a removal lands over whatever is there", () => {
			faulty({ op: "RemoveAsync", effect: "landLate", seconds: 20 }, (server, world) => {
				failureOf(() => server.run(() => server.platform.dataStores.GetDataStore("Coins").RemoveAsync("k")));
				world.store("Coins").set("k", 50);
				server.crash();
				world.wait(21);
				expect(world.store("Coins").get("k")).to.equal(undefined);
			});
		});

		it("conflict and rerun: the transform runs again so many times, and one result is written", () => {
			for (const effect of ["conflict", "rerun"] as const) {
				const runs = { count: 0 };
				faulty({ effect, times: 3 }, (server, world) => {
					expect(server.run(() => increment(server, runs))).to.equal(11);
					expect(runs.count).to.equal(4);
					expect(world.trace.durableWrites()).to.equal(1);
				});
			}
		});

		it("loseCommit: written, then the transform runs once more on its own result", () => {
			faulty({ effect: "loseCommit" }, (server, world) => {
				expect(server.run(() => increment(server))).to.equal(12);
				expect(world.trace.durableWrites()).to.equal(2);
			});
			faulty({ effect: "loseCommit" }, (server, world) => {
				const [value] = server.run(() => {
					const [written] = server.platform.dataStores
						.GetDataStore("Coins")
						.UpdateAsync("k", (old) => $tuple(old === 10 ? 11 : undefined));
					return [written];
				});
				expect(value).to.equal(undefined);
				expect(world.store("Coins").get("k")).to.equal(11);
			});
		});

		it("duplicate: the transform runs and writes once more after the caller has its answer", () => {
			faulty({ effect: "duplicate", seconds: 5 }, (server, world) => {
				expect(server.run(() => increment(server))).to.equal(11);
				expect(world.store("Coins").get("k")).to.equal(11);
				world.wait(6);
				expect(world.store("Coins").get("k")).to.equal(12);
			});
		});

		it("landLate and duplicate, afterWrites: once right after each of those later writes of the store", () => {
			for (const effect of ["landLate", "duplicate"] as const) {
				faulty({ effect, count: 1, afterWrites: [1, 3] }, (server, world) => {
					const write = () => server.run(() => increment(server));
					if (effect === "duplicate") expect(write()).to.equal(11);
					else failureOf(write);
					const sent = effect === "duplicate" ? 11 : 10;
					world.wait(100);
					expect(world.store("Coins").get("k")).to.equal(sent);
					expect(write()).to.equal(sent + 1);
					// The landing is a write too: the second one of the three.
					expect(world.store("Coins").get("k")).to.equal(sent + 2);
					expect(world.faults.awaited()).to.equal(1);
					expect(write()).to.equal(sent + 3);
					expect(world.store("Coins").get("k")).to.equal(sent + 4);
					expect(world.faults.awaited()).to.equal(0);
				});
			}
		});

		it("stale: a cached read shows what was stored seconds ago, an uncached one does not", () => {
			onServer({}, (store, server, world) => {
				world.faults.add({ service: "DataStore", op: "GetAsync", effect: "stale", seconds: 3 });
				world.store("Coins").set("k", 1);
				server.platform.task.wait(10);
				world.store("Coins").set("k", 2);
				server.platform.task.wait(1);
				expect(store.GetAsync("k", server.platform.uncachedRead)[0]).to.equal(2);
				const other = server.platform.dataStores.GetDataStore("Other");
				world.store("Other").set("k", 1);
				server.platform.task.wait(10);
				world.store("Other").set("k", 2);
				expect(other.GetAsync("k")[0]).to.equal(1);
				server.platform.task.wait(5);
				expect(other.GetAsync("k")[0]).to.equal(2);
			});
		});

		it("hang: never answered, applied only if told so", () => {
			for (const lands of [false, true]) {
				faulty({ effect: "hang", lands }, (server, world) => {
					let answered = false;
					server.spawn(() => {
						pcall(() => increment(server));
						answered = true;
					});
					world.wait(3600);
					expect(answered).to.equal(false);
					expect(world.store("Coins").get("k")).to.equal(lands ? 11 : 10);
				});
			}
		});

		it("crashBefore and crashAfter: the server dies right before, right after the write", () => {
			for (const effect of ["crashBefore", "crashAfter"] as const) {
				faulty({ effect, durableOnly: true }, (server, world) => {
					expectPart(
						failureOf(() => server.run(() => increment(server))),
						"died",
					);
					expect(world.store("Coins").get("k")).to.equal(effect === "crashBefore" ? 10 : 11);
					expect(server.alive).to.equal(false);
				});
			}
		});

		it("throttle: the caller hears that the request was throttled", () => {
			faulty({ effect: "throttle" }, (server, world) => {
				expectPart(
					failureOf(() => server.run(() => increment(server))),
					"Throttled",
				);
				expect(world.store("Coins").get("k")).to.equal(10);
			});
		});

		it("delay: on the way there, between transform and commit, or on the way back", () => {
			const appliedAndAnswered = (fault: Omit<Fault, "service">): string => {
				const world = faulty({ ...fault, effect: "delay", seconds: 20 }, (server) =>
					server.run(() => increment(server)),
				);
				const call = world.trace.calls[0];
				return `${call.appliedAt! > 20} ${call.answeredAt! > 20}`;
			};
			expect(appliedAndAnswered({ effect: "delay" })).to.equal("true true");
			expect(appliedAndAnswered({ effect: "delay", stage: "apply" })).to.equal("true true");
			expect(appliedAndAnswered({ effect: "delay", stage: "respond" })).to.equal("false true");
			expect(appliedAndAnswered({ effect: "delay", durableOnly: true })).to.equal("true true");
		});

		it("scenario 2: a save that is delayed after its transform runs it again when another server wrote in between", () => {
			const runs = { count: 0 };
			faulty({ effect: "delay", durableOnly: true, seconds: 20, count: 1 }, (server, world) => {
				server.spawn(() => increment(server, runs));
				world.wait(1);
				expect(runs.count).to.equal(1);
				const other = world.startServer();
				other.run(() => other.platform.dataStores.GetDataStore("Coins").UpdateAsync("k", () => $tuple(50)));
				world.wait(21);
				expect(runs.count).to.equal(2);
				expect(world.store("Coins").get("k")).to.equal(51);
			});
		});

		it("a save that is delayed after its transform does not run it again without need, and lands after a crash", () => {
			for (const crashes of [false, true]) {
				const runs = { count: 0 };
				faulty({ effect: "delay", durableOnly: true, seconds: 20 }, (server, world) => {
					server.spawn(() => increment(server, runs));
					world.wait(1);
					if (crashes) server.crash();
					expect(world.store("Coins").get("k")).to.equal(10);
					world.wait(20);
					expect(world.store("Coins").get("k")).to.equal(11);
					expect(runs.count).to.equal(1);
				});
			}
		});

		it("scenario 1: a paused server's update waits for it with its transform, and then sees what was written meanwhile", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const other = world.startServer();
				world.store("Coins").set("k", 10);
				server.spawn(() => increment(server));
				server.pause();
				world.wait(60);
				expect(world.store("Coins").get("k")).to.equal(10);
				other.run(() => other.platform.dataStores.GetDataStore("Coins").UpdateAsync("k", () => $tuple(50)));
				server.resume();
				world.wait(1);
				expect(world.store("Coins").get("k")).to.equal(51);
			});
		});
	});

	describe("where a fault hits", () => {
		it("the Nth durable write: cancelled and other calls do not count", () => {
			onServer({}, (store, _server, world) => {
				const handle = world.faults.add({
					service: "DataStore",
					store: "Coins",
					durableOnly: true,
					nth: 3,
					count: 1,
					effect: "failBefore",
				});
				const tries = new Array<string>();
				for (let index = 1; index <= 5; index++) {
					store.GetAsync(`k${index}`);
					store.UpdateAsync(`k${index}`, () => $tuple(undefined));
					tries.push(tostring(pcall(() => store.UpdateAsync(`k${index}`, () => $tuple(1)))[0]));
				}
				expect(tries.join(" ")).to.equal("true true false true true");
				expect(handle.hits).to.equal(1);
				expect(handle.seen).to.equal(5);
			});
		});

		it("by operation, store, key and server, so many times, with a probability, until removed", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				const works = (server: Server, key: string, name = "Coins"): boolean =>
					server.run(
						() =>
							pcall(() =>
								server.platform.dataStores.GetDataStore(name).UpdateAsync(key, () => $tuple(1)),
							)[0],
					);
				const handle = world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					store: "Coins",
					key: "k",
					server: first,
					count: 2,
					effect: "failBefore",
				});
				expect(works(second, "k")).to.equal(true);
				expect(works(first, "other")).to.equal(true);
				expect(works(first, "k", "Other")).to.equal(true);
				expect(works(first, "k")).to.equal(false);
				expect(works(first, "k")).to.equal(false);
				expect(works(first, "k")).to.equal(true);
				expect(handle.hits).to.equal(2);
				const always = world.faults.add({ service: "DataStore", effect: "failBefore" });
				expect(works(second, "k")).to.equal(false);
				always.remove();
				expect(works(second, "k")).to.equal(true);
				const sometimes = world.faults.add({ service: "DataStore", effect: "failBefore", chance: 0.5 });
				for (let index = 0; index < 40; index++) works(second, "k");
				expect(sometimes.hits > 8 && sometimes.hits < 32).to.equal(true);
				world.faults.clear();
				expect(works(second, "k")).to.equal(true);
			});
		});

		it("prior fault: an outage of so many seconds, then all is well", () => {
			onServer({}, (store, server, world) => {
				world.faults.add({ service: "DataStore", effect: "failBefore", from: 10, until: 50 });
				const works = (): boolean => pcall(() => store.UpdateAsync("k", () => $tuple(1)))[0];
				expect(works()).to.equal(true);
				server.platform.task.wait(10);
				while (world.now() < 49) {
					expect(works()).to.equal(false);
					server.platform.task.wait(5);
				}
				server.platform.task.wait(5);
				expect(works()).to.equal(true);
			});
		});

		it("a crash hits one server only, unless told otherwise", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				world.faults.add({ service: "DataStore", durableOnly: true, nth: 2, effect: "crashAfter" });
				first.run(() => increment(first));
				failureOf(() => first.run(() => increment(first)));
				second.run(() => increment(second));
				expect(second.alive).to.equal(true);
				expect(world.store("Coins").get("k")).to.equal(3);
			});
		});
	});
};
