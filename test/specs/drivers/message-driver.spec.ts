import { MessageDriver, MessageDriverOptions } from "../../../src/cloud/messageDriver";
import { Result } from "../../../src/result";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";

function driverOf(server: Server, options?: MessageDriverOptions): MessageDriver {
	return new MessageDriver(server.platform, options);
}

function errorOf(result: Result<unknown>): { readonly type: string; readonly message: string } {
	if (result.success) error("succeeded", 2);
	return result.error;
}

function mentions(text: string, part: string): boolean {
	return text.find(part, 1, true)[0] !== undefined;
}

function publications(world: World): number {
	return world.trace.count({ op: "PublishAsync" });
}

// MessageDriver: messages between servers, made as dependable as hints can be.
export = () => {
	describe("publish and subscribe", () => {
		it("carry a message and the time of its sending to another server", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				let heard: unknown;
				let at = 0;
				const subscription = two.run(() =>
					driverOf(two)
						.subscribe("news", (data, sent) => {
							heard = data;
							at = sent;
						})
						.unwrap(),
				);
				expect(subscription.topic).to.equal("news");
				expect(subscription.active).to.equal(true);
				expect(one.run(() => driverOf(one).publish("news", { T: "Q" })).success).to.equal(true);
				world.wait(1);
				expect((heard as { T: string }).T).to.equal("Q");
				expect(at).to.be.near(world.cloudTime(), 2);
			});
		});

		it("reach nobody after a disconnect, though the message is under way", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const driver = driverOf(server);
				let calls = 0;
				server.run(() => {
					const subscription = driver.subscribe("news", () => (calls += 1)).unwrap();
					driver.subscribe("news", () => (calls += 1)).unwrap();
					driver.publish("news", 1);
					subscription.disconnect();
					driver.disconnect();
					driver.disconnect();
					expect(subscription.active).to.equal(false);
				});
				world.wait(5);
				expect(calls).to.equal(0);
				expect(world.services.broker.subscriptionsOf(server)).to.equal(0);
			});
		});

		it("survive a callback that throws: it is warned about, and hears the next message", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let calls = 0;
				server.run(() => {
					const driver = driverOf(server);
					driver.subscribe("news", () => {
						calls += 1;
						error("broken callback");
					});
					driver.publish("news", 1);
					driver.publish("news", 2);
				});
				world.wait(1);
				expect(calls).to.equal(2);
				expect(server.warnings.size()).to.equal(2);
				expect(mentions(server.warnings[0], "broken callback")).to.equal(true);
				expect(mentions(server.warnings[0], "news")).to.equal(true);
			});
		});
	});

	describe("retries of messages", () => {
		it("make good a publish that failed twice, with growing pauses", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "Messaging", op: "PublishAsync", effect: "failBefore", count: 2 });
				const before = world.now();
				const result = server.run(() => driverOf(server, { retrySeconds: 1 }).publish("news", 1));
				expect(result.success).to.equal(true);
				expect(publications(world)).to.equal(3);
				// 1 s, then 2 s.
				expect(world.now() - before).to.be.near(3.2, 0.3);
			});
		});

		it("end with a typed error once they are used up", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "Messaging", effect: "failBefore", message: "MessagingService: gone" });
				const result = server.run(() => driverOf(server, { retries: 1, retrySeconds: 0.5 }).publish("news", 1));
				expect(publications(world)).to.equal(2);
				const problem = errorOf(result);
				expect(problem.type).to.equal("roblox");
				expect(mentions(problem.message, "news")).to.equal(true);
				expect(mentions(problem.message, "gone")).to.equal(true);
				const subscribing = server.run(() => driverOf(server, { retries: 1 }).subscribe("news", () => {}));
				expect(errorOf(subscribing).type).to.equal("roblox");
				expect(world.trace.count({ op: "SubscribeAsync" })).to.equal(2);
			});
		});

		it("do not wait for ever for a call that hangs", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "Messaging", effect: "hang", count: 1 });
				const before = world.now();
				const result = server.run(() => driverOf(server, { timeoutSeconds: 4 }).publish("news", 1));
				expect(result.success).to.equal(true);
				expect(publications(world)).to.equal(2);
				expect(world.now() - before).to.be.near(5, 0.3);
			});
		});

		it("leave one subscription where an earlier attempt answers late", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "Messaging", op: "SubscribeAsync", effect: "delay", seconds: 8, count: 1 });
				let calls = 0;
				server.run(() =>
					driverOf(server, { timeoutSeconds: 2 })
						.subscribe("news", () => (calls += 1))
						.unwrap(),
				);
				world.wait(20);
				expect(world.services.broker.subscriptionsOf(server)).to.equal(1);
				server.run(() => driverOf(server).publish("news", 1));
				world.wait(1);
				expect(calls).to.equal(1);
			});
		});

		it("leave no subscription where all attempts were given up and one answers late", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "Messaging", op: "SubscribeAsync", effect: "delay", seconds: 8 });
				let calls = 0;
				const result = server.run(() =>
					driverOf(server, { timeoutSeconds: 2, retries: 0 }).subscribe("news", () => (calls += 1)),
				);
				expect(result.success).to.equal(false);
				world.wait(20);
				expect(world.services.broker.subscriptionsOf(server)).to.equal(0);
			});
		});
	});

	describe("messages that cannot be sent", () => {
		it("are refused before sending: over 900 bytes of JSON, without JSON form, or to an impossible topic", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.run(() => {
					const driver = driverOf(server);
					expect(driver.publish("news", string.rep("a", 898)).success).to.equal(true);
					const sent = publications(world);
					const large = errorOf(driver.publish("news", string.rep("a", 899)));
					expect(large.type).to.equal("invalid_data");
					expect(mentions(large.message, "901 bytes")).to.equal(true);
					// As bytes of UTF-8, escapes included.
					expect(driver.publish("news", string.rep("é", 450)).success).to.equal(false);
					expect(driver.publish("news", string.rep("\n", 450)).success).to.equal(false);
					const loop: { self?: unknown } = {};
					loop.self = loop;
					expect(errorOf(driver.publish("news", loop)).type).to.equal("invalid_data");
					expect(errorOf(driver.publish("news", undefined)).type).to.equal("invalid_data");
					expect(errorOf(driver.publish(string.rep("t", 81), 1)).type).to.equal("invalid_data");
					expect(errorOf(driver.publish("", 1)).type).to.equal("invalid_data");
					expect(errorOf(driver.subscribe("", () => {})).type).to.equal("invalid_data");
					expect(publications(world)).to.equal(sent);
				});
			});
		});
	});

	describe("the publish rate", () => {
		it("stays under the server's limit: what is too much waits its turn, in order, over all drivers", () => {
			simulate({ profile: "fast" }, (world) => {
				const server = world.startServer();
				let done = 0;
				let failed = 0;
				const drivers = [driverOf(server, { queueSeconds: 300 }), driverOf(server, { queueSeconds: 300 })];
				for (let i = 0; i < 1200; i++) {
					server.spawn(() => {
						if (drivers[i % 2].publish("news", i).success) done += 1;
						else failed += 1;
					});
				}
				world.wait(1);
				// 600 a minute without players, of which a fifth is left to the rest of the game.
				expect(done).to.equal(480);
				world.wait(130);
				expect(done).to.equal(1200);
				expect(failed).to.equal(0);
				expect(world.trace.count({ op: "PublishAsync", outcome: "failed" })).to.equal(0);
				const times = world.trace.select({ op: "PublishAsync" }).map((call) => call.at);
				for (let i = 480; i < times.size(); i++) expect(times[i] - times[i - 480] >= 59.9).to.equal(true);
			});
		});

		it("grows with the players", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.join(1);
				let done = 0;
				for (let i = 0; i < 700; i++) {
					server.spawn(() => {
						if (driverOf(server).publish("news", i).success) done += 1;
					});
				}
				world.wait(1);
				expect(done).to.equal(672);
			});
		});

		it("keeps the order of the queue when a player joins meanwhile", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const driver = driverOf(server, { queueSeconds: 300 });
				const order = new Array<number>();
				const publish = (i: number): void => {
					server.spawn(() => {
						driver.publish("news", i).unwrap();
						order.push(i);
					});
				};
				for (let i = 0; i < 490; i++) publish(i);
				world.wait(1);
				server.join(1);
				publish(490);
				world.wait(70);
				expect(order.size()).to.equal(491);
				const late = world.trace.select({ op: "PublishAsync", since: 1 });
				expect(late.size()).to.equal(11);
				for (const call of late) expect(call.at).to.be.near(60, 0.1);
			});
		});

		it("refuses a message whose turn is too far off, and says so", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const driver = driverOf(server, { queueSeconds: 30 });
				for (let i = 0; i < 480; i++) server.spawn(() => driver.publish("news", i));
				world.wait(1);
				const problem = errorOf(server.run(() => driver.publish("news", 1)));
				expect(problem.type).to.equal("roblox");
				expect(mentions(problem.message, "queued")).to.equal(true);
				world.wait(35);
				expect(server.run(() => driver.publish("news", 1)).success).to.equal(true);
				expect(world.now()).to.be.near(60, 2);
			});
		});

		it("is each server's own", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				for (let i = 0; i < 480; i++) one.spawn(() => driverOf(one).publish("news", i));
				world.wait(1);
				const before = world.now();
				expect(two.run(() => driverOf(two).publish("news", 1)).success).to.equal(true);
				expect(world.now() - before < 1).to.equal(true);
			});
		});
	});
};
