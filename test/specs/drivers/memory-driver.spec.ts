import { MemoryDriver, MemoryDriverOptions } from "../../../src/cloud/memoryDriver";
import { Result } from "../../../src/result";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";

function driverOf(server: Server, options?: MemoryDriverOptions): MemoryDriver<number | string> {
	return new MemoryDriver(server.platform, "map", options);
}

function errorOf(result: Result<unknown>): {
	readonly type: string;
	readonly message: string;
	readonly retryable?: boolean;
} {
	if (result.success) error("succeeded", 2);
	return result.error;
}

function mentions(text: string, part: string): boolean {
	return text.find(part, 1, true)[0] !== undefined;
}

// MemoryDriver: one hash map, with answers that cannot be mixed up.
export = () => {
	describe("a read", () => {
		it("answers found, empty or failed", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server, { retries: 0 });
					expect(driver.get("k").status).to.equal("empty");
					driver.set("k", 1).unwrap();
					const found = driver.get("k");
					expect(found.status === "found" && found.value === 1).to.equal(true);
					const fault = world.faults.add({ service: "MemoryStore", effect: "failBefore" });
					const failed = driver.get("k");
					expect(failed.status).to.equal("failed");
					if (failed.status === "failed") {
						expect(failed.error.type).to.equal("roblox");
						expect(failed.error.retryable).to.equal(true);
						expect(mentions(failed.error.message, "InternalError")).to.equal(true);
					}
					fault.remove();
				});
			});
		});

		it("of a call that hangs is failed, never empty", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "MemoryStore", effect: "hang" });
				const answer = server.run(() => driverOf(server, { retries: 0, timeoutSeconds: 3 }).get("k"));
				expect(answer.status).to.equal("failed");
				expect(world.now()).to.be.near(3, 0.2);
			});
		});

		it("is tried again after a failure", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					driverOf(server).set("k", "here");
					world.faults.add({ service: "MemoryStore", effect: "failBefore", count: 2 });
					const before = world.now();
					expect(driverOf(server, { retrySeconds: 0.5 }).get("k").status).to.equal("found");
					expect(world.now() - before).to.be.near(1.6, 0.2);
				});
			});
		});

		it("of a key that cannot be is failed without a call", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					for (const key of ["", string.rep("k", 129)]) {
						const answer = driverOf(server).get(key);
						expect(answer.status === "failed" && answer.error.type === "invalid_data").to.equal(true);
					}
					driverOf(server).get(string.rep("k", 128));
				});
				expect(world.trace.count({ service: "MemoryStore" })).to.equal(1);
			});
		});
	});

	describe("a set", () => {
		it("tells whether it created the key anew", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server);
					expect(driver.set("k", 1, 10).unwrap()).to.equal("created");
					expect(driver.set("k", 1, 10).unwrap()).to.equal("replaced");
					server.platform.task.wait(11);
					expect(driver.set("k", 1, 10).unwrap()).to.equal("created");
				});
			});
		});

		it("that was tried again and replaced a value is unsure whose it was", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					world.faults.add({ service: "MemoryStore", durableOnly: true, effect: "loseAnswer", count: 1 });
					expect(driverOf(server).set("k", 1).unwrap()).to.equal("unsure");
					const fault = world.faults.add({ service: "MemoryStore", effect: "failBefore", count: 1 });
					expect(driverOf(server).set("other", 1).unwrap()).to.equal("created");
					expect(fault.hits).to.equal(1);
				});
			});
		});

		it("lives as long as the driver says, or the call", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server, { ttlSeconds: 10 });
					driver.set("short", 1).unwrap();
					driver.set("long", 1, 20).unwrap();
					server.platform.task.wait(15);
					expect(driver.get("short").status).to.equal("empty");
					expect(driver.get("long").status).to.equal("found");
				});
			});
		});

		it("is refused before the call: a value over 32 KB or without JSON form, an impossible life", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server);
					expect(errorOf(driver.set("k", string.rep("v", 32767))).type).to.equal("invalid_data");
					expect(errorOf(driver.set("k", string.char(255))).type).to.equal("invalid_data");
					expect(errorOf(driver.set("k", 1, -1)).type).to.equal("invalid_data");
					expect(errorOf(driver.set("k", 1, 3888001)).type).to.equal("invalid_data");
					expect(errorOf(driver.set("k", 1, 0 / 0)).type).to.equal("invalid_data");
				});
				expect(world.trace.count({ service: "MemoryStore" })).to.equal(0);
			});
		});

		it("names map and key when it fails, and tells whether another try may help", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "MemoryStore", effect: "failBefore" });
				const outage = errorOf(server.run(() => driverOf(server, { retries: 1 }).set("k", 1)));
				expect(outage.type).to.equal("roblox");
				expect(outage.retryable).to.equal(true);
				expect(mentions(outage.message, '"k"') && mentions(outage.message, "map")).to.equal(true);
				expect(world.trace.count({ op: "SetAsync" })).to.equal(2);
			});
		});

		it("is not repeated where repetition mends nothing", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const message = "MemoryStoreService: AccessDenied. API: HashMap.Set";
				world.faults.add({ service: "MemoryStore", effect: "failBefore", message });
				const denied = errorOf(server.run(() => driverOf(server).set("k", 1)));
				expect(denied.retryable).to.equal(false);
				expect(world.trace.count({ op: "SetAsync" })).to.equal(1);
			});
		});
	});

	describe("an update", () => {
		it("writes what the function makes of the value, and answers it", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server);
					const add = (value: number | string | undefined): number =>
						((value as number | undefined) ?? 0) + 1;
					expect(driver.update("k", add).unwrap()).to.equal(1);
					expect(driver.update("k", add).unwrap()).to.equal(2);
					expect(driver.update("k", () => undefined).unwrap()).to.equal(undefined);
					const found = driver.get("k");
					expect(found.status === "found" && found.value).to.equal(2);
				});
			});
		});

		it("answers its last run where a conflict ran it twice", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "MemoryStore", op: "UpdateAsync", effect: "conflict", times: 1 });
				let runs = 0;
				const result = server.run(() => driverOf(server).update("k", () => (runs += 1)));
				expect(result.unwrap()).to.equal(2);
			});
		});

		it("throws the function's own error, writes nothing and does not try again", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const [success, problem] = server.run(() => {
					const [worked, cause] = pcall(() =>
						driverOf(server).update("k", () => error("broken function", 0)),
					);
					return [worked, tostring(cause)] as const;
				});
				expect(success).to.equal(false);
				expect(problem).to.equal("broken function");
				expect(world.trace.count({ op: "UpdateAsync" })).to.equal(1);
				expect(server.run(() => driverOf(server).get("k")).status).to.equal("empty");
				expect(server.warnings.size()).to.equal(0);
			});
		});

		it("refuses a result that cannot be stored, and leaves the value", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server);
					driver.set("k", 1).unwrap();
					expect(errorOf(driver.update("k", () => string.rep("v", 40000))).type).to.equal("invalid_data");
					const found = driver.get("k");
					expect(found.status === "found" && found.value).to.equal(1);
				});
			});
		});
	});

	describe("a remove", () => {
		it("takes the key away, and one that is not there is no failure", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server);
					driver.set("k", 1).unwrap();
					expect(driver.remove("k").success).to.equal(true);
					expect(driver.get("k").status).to.equal("empty");
					expect(driver.remove("k").success).to.equal(true);
				});
			});
		});
	});

	describe("a map that cannot be opened", () => {
		// prior fault: a service threw at require time in an unpublished place
		it("makes calls fail, not the driver", () => {
			simulate({}, (world) => {
				const server = world.startServer({ isStudio: true, published: false });
				const answer = server.run(() => driverOf(server).get("k"));
				expect(answer.status === "failed" && answer.error.retryable).to.equal(false);
				expect(world.now()).to.equal(0);
			});
		});
	});
};
