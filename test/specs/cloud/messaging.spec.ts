import { ReceivedMessage } from "../../../src/platform/platform";
import { Fault } from "../../cloud/faults";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";

/** The data that a server hears on a topic, in the order of hearing. */
function listen(server: Server, topic = "news"): Array<defined> {
	const heard = new Array<defined>();
	server.run(() => server.platform.messaging.SubscribeAsync(topic, (message) => heard.push(message.Data as defined)));
	return heard;
}

function publish(server: Server, data: unknown, topic = "news"): void {
	server.run(() => server.platform.messaging.PublishAsync(topic, data));
}

/** The error of a call, or undefined. */
function problemOf(server: Server, call: () => unknown): string | undefined {
	return server.run(() => {
		const [success, problem] = pcall(call);
		return success ? undefined : tostring(problem);
	});
}

function contains(text: string | undefined, part: string): boolean {
	return text !== undefined && text.find(part, 1, true)[0] !== undefined;
}

// MessagingService as the emulated cloud shows it.
export = () => {
	describe("messages", () => {
		it("reach every subscriber of their topic and nobody else", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				const [here, there, elsewhere] = [listen(one), listen(two), listen(two, "other")];
				publish(one, "hello");
				world.wait(1);
				expect(here.size()).to.equal(1);
				expect(there[0]).to.equal("hello");
				expect(elsewhere.size()).to.equal(0);
			});
		});

		it("take 1 to 2 s in the live profile and less than 0.3 s in the fast one", () => {
			for (const profile of ["live", "fast"] as const) {
				simulate({ profile }, (world) => {
					const server = world.startServer();
					let at = 0;
					server.run(() => server.platform.messaging.SubscribeAsync("news", () => (at = world.now())));
					publish(server, 1);
					const sent = world.now();
					world.wait(5);
					const seconds = at - sent;
					expect(profile === "live" ? seconds > 0.7 && seconds < 2.1 : seconds > 0 && seconds < 0.3).to.equal(
						true,
					);
				});
			}
		});

		it("come as copies that share nothing with what was published", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				const [first, second] = [listen(one), listen(two)];
				const data = { list: [1] };
				publish(one, data);
				world.wait(1);
				expect(first[0]).never.to.equal(data);
				expect(first[0]).never.to.equal(second[0]);
				expect((first[0] as typeof data).list[0]).to.equal(1);
			});
		});

		it("carry the time of sending, by the clock and with the precision that the switches say", () => {
			const sentWith = (switches: { messageSentClock?: "publisher"; messageSentWhole?: boolean }) => {
				let sent = 0;
				simulate({ switches, startTime: 1000.25 }, (world) => {
					const server = world.startServer({ skew: 500 });
					server.run(() => {
						server.platform.messaging.SubscribeAsync(
							"news",
							(message: ReceivedMessage) => (sent = message.Sent),
						);
					});
					publish(server, 1);
					world.wait(1);
				});
				return sent;
			};
			expect(sentWith({})).to.be.near(1000, 2);
			expect(sentWith({}) % 1 > 0).to.equal(true);
			expect(sentWith({ messageSentClock: "publisher" })).to.be.near(1500, 2);
			expect(sentWith({ messageSentWhole: true }) % 1).to.equal(0);
		});

		it("come back to a server that subscribed to its own topic, or do not, by switch", () => {
			for (const selfDelivery of [true, false]) {
				simulate({ switches: { selfDelivery } }, (world) => {
					const [one, two] = [world.startServer(), world.startServer()];
					const [own, other] = [listen(one), listen(two)];
					publish(one, 1);
					world.wait(1);
					expect(own.size()).to.equal(selfDelivery ? 1 : 0);
					expect(other.size()).to.equal(1);
				});
			}
		});

		it("are lost, doubled and late where a fault says so", () => {
			const heardWith = (effect: Fault["effect"], seconds?: number) => {
				let heard: Array<defined> = [];
				simulate({}, (world) => {
					const [one, two] = [world.startServer(), world.startServer()];
					heard = listen(two);
					world.faults.add({ service: "Messaging", op: "Deliver", server: two, effect, seconds, count: 1 });
					publish(one, 1);
					publish(one, 2);
					world.wait(300);
				});
				return heard;
			};
			expect(heardWith("drop").join(" ")).to.equal("2");
			expect(heardWith("duplicate").join(" ")).to.equal("1 2 1");
			expect(heardWith("delay", 240).join(" ")).to.equal("2 1");
		});

		it("can be lost and reordered by chance, the same way for the same seed", () => {
			const heardWith = (seed: number) => {
				let heard: Array<defined> = [];
				simulate({ seed }, (world) => {
					const server = world.startServer();
					heard = listen(server);
					world.faults.add({ service: "Messaging", op: "Deliver", effect: "drop", chance: 0.3 });
					world.faults.add({ service: "Messaging", op: "Deliver", effect: "delay", seconds: 3, chance: 0.3 });
					for (let i = 1; i <= 20; i++) publish(server, i);
					world.wait(10);
				});
				return heard.join(" ");
			};
			expect(heardWith(5)).to.equal(heardWith(5));
			expect(heardWith(5)).never.to.equal(heardWith(6));
		});

		it("reach the subscribers although the publisher heard an error", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const heard = listen(server);
				world.faults.add({ service: "Messaging", op: "PublishAsync", effect: "loseAnswer", count: 1 });
				expect(problemOf(server, () => server.platform.messaging.PublishAsync("news", 1))).to.be.ok();
				world.wait(1);
				expect(heard.size()).to.equal(1);
			});
		});

		it("do not reach a server cut off from the service, and cannot be sent by it", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				const [first, second] = [listen(one), listen(two)];
				two.partition("Messaging");
				publish(one, 1);
				expect(problemOf(two, () => two.platform.messaging.PublishAsync("news", 2))).to.be.ok();
				world.wait(1);
				two.heal("Messaging");
				publish(two, 3);
				world.wait(1);
				expect(first.join(" ")).to.equal("1 3");
				expect(second.join(" ")).to.equal("3");
			});
		});
	});

	describe("subscriptions", () => {
		it("go on after a callback that throws or yields", () => {
			simulate({}, (world) => {
				world.expectThreadErrors.push("broken callback");
				const server = world.startServer();
				let calls = 0;
				server.run(() => {
					server.platform.messaging.SubscribeAsync("news", (message) => {
						calls += 1;
						if (message.Data === 1) error("broken callback");
						server.platform.task.wait(100);
					});
				});
				for (let i = 1; i <= 3; i++) publish(server, i);
				world.wait(1);
				expect(calls).to.equal(3);
				expect(world.threadErrors.size()).to.equal(1);
			});
		});

		it("end at once when disconnected, for messages under way too", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let calls = 0;
				server.run(() => {
					const connection = server.platform.messaging.SubscribeAsync("news", () => (calls += 1));
					server.platform.messaging.PublishAsync("news", 1);
					connection.Disconnect();
					connection.Disconnect();
				});
				world.wait(5);
				expect(calls).to.equal(0);
			});
		});

		it("hear after a pause of their server what came meanwhile, unless they end first", () => {
			for (const ends of [false, true]) {
				simulate({}, (world) => {
					const [one, two] = [world.startServer(), world.startServer()];
					let calls = 0;
					two.run(() => {
						const connection = two.platform.messaging.SubscribeAsync("news", () => (calls += 1));
						if (ends) two.platform.task.delay(1, () => connection.Disconnect());
					});
					two.pause();
					world.wait(2);
					publish(one, 1);
					world.wait(5);
					expect(calls).to.equal(0);
					two.resume();
					world.wait(1);
					expect(calls).to.equal(ends ? 0 : 1);
				});
			}
		});

		it("end with their server", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				const heard = listen(two);
				publish(one, 1);
				two.crash();
				world.wait(5);
				publish(one, 2);
				world.wait(5);
				expect(heard.size()).to.equal(0);
			});
		});

		it("can be registered although the caller heard an error, and late", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({
					service: "Messaging",
					op: "SubscribeAsync",
					effect: "landLate",
					seconds: 5,
					count: 1,
				});
				let calls = 0;
				const subscribe = () => server.platform.messaging.SubscribeAsync("news", () => (calls += 1));
				expect(problemOf(server, subscribe)).to.be.ok();
				publish(server, 1);
				world.wait(6);
				expect(calls).to.equal(0);
				publish(server, 2);
				world.wait(1);
				expect(calls).to.equal(1);
			});
		});

		it("hang, as publications do, where a fault says so", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.faults.add({ service: "Messaging", effect: "hang" });
				let answers = 0;
				server.spawn(() => {
					pcall(() => server.platform.messaging.SubscribeAsync("news", () => {}));
					answers += 1;
				});
				server.spawn(() => {
					pcall(() => server.platform.messaging.PublishAsync("news", 1));
					answers += 1;
				});
				world.wait(3600);
				expect(answers).to.equal(0);
			});
		});
	});

	describe("MessagingService's limits", () => {
		it("refuse a message over 1,024 bytes of JSON, and where the envelope counts, a smaller one", () => {
			const accepts = (length: number, messageEnvelopeCounts: boolean) => {
				let accepted = false;
				simulate({ switches: { messageEnvelopeCounts } }, (world) => {
					const server = world.startServer();
					const publication = () => server.platform.messaging.PublishAsync("news", string.rep("a", length));
					accepted = problemOf(server, publication) === undefined;
				});
				return accepted;
			};
			expect(accepts(1022, false)).to.equal(true);
			expect(accepts(1023, false)).to.equal(false);
			expect(accepts(1022, true)).to.equal(false);
			expect(accepts(900, true)).to.equal(true);
		});

		it("refuse topics without or with more than 80 characters", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const problemWith = (topic: string) =>
					problemOf(server, () => server.platform.messaging.PublishAsync(topic, 1));
				expect(problemWith(string.rep("é", 80))).to.equal(undefined);
				expect(contains(problemWith(string.rep("a", 81)), "Topic")).to.equal(true);
				expect(contains(problemWith(""), "Topic")).to.equal(true);
			});
		});

		it("let a server publish 600 times a minute, and 240 more for each player", () => {
			simulate({ startTime: 0 }, (world) => {
				const server = world.startServer();
				server.join(1);
				const refused = server.run(() => {
					let count = 0;
					for (let i = 0; i < 850; i++) {
						server.platform.task.spawn(() => {
							const [success] = pcall(() => server.platform.messaging.PublishAsync("news", i));
							if (!success) count += 1;
						});
					}
					return count;
				});
				expect(refused).to.equal(10);
				world.wait(60);
				expect(problemOf(server, () => server.platform.messaging.PublishAsync("news", 1))).to.equal(undefined);
			});
		});

		it("lose what a topic receives over its limit, counted by delivery or by message", () => {
			for (const receivedCountsDeliveries of [true, false]) {
				simulate({ switches: { receivedCountsDeliveries } }, (world) => {
					const [one, two] = [world.startServer(), world.startServer()];
					const [first, second] = [listen(one), listen(two)];
					one.run(() => {
						for (let i = 0; i < 300; i++) {
							one.platform.task.spawn(() => one.platform.messaging.PublishAsync("news", i));
						}
					});
					world.wait(5);
					// Two servers: 40 + 80 * 2 = 200.
					expect(first.size() + second.size()).to.equal(receivedCountsDeliveries ? 200 : 400);
				});
			}
		});

		it("allow 20 subscriptions, and 8 more for each player", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const subscribe = () => server.platform.messaging.SubscribeAsync("news", () => {});
				const first = server.run(() => {
					for (let i = 1; i < 20; i++) subscribe();
					return subscribe();
				});
				expect(contains(problemOf(server, subscribe), "limit of subscriptions")).to.equal(true);
				first.Disconnect();
				expect(problemOf(server, subscribe)).to.equal(undefined);
				server.join(1);
				expect(problemOf(server, subscribe)).to.equal(undefined);
			});
		});

		it("lose what the whole experience receives over its limit", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				server.join(1);
				let heard = 0;
				server.run(() => {
					const { messaging, task: tasks } = server.platform;
					for (let topic = 1; topic <= 7; topic++) messaging.SubscribeAsync(`t${topic}`, () => (heard += 1));
					for (let i = 0; i < 700; i++) tasks.spawn(() => messaging.PublishAsync(`t${(i % 7) + 1}`, i));
				});
				world.wait(5);
				// One server: 400 + 200; each topic alone is under its own 120.
				expect(heard).to.equal(600);
			});
		});

		it("allow 240 subscribe requests a minute, whether or not they last", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const subscribe = () => server.platform.messaging.SubscribeAsync("news", () => {}).Disconnect();
				server.run(() => {
					for (let i = 0; i < 240; i++) server.platform.task.spawn(subscribe);
				});
				world.wait(1);
				expect(contains(problemOf(server, subscribe), "SubscribeAsync requests")).to.equal(true);
				world.wait(60);
				expect(problemOf(server, subscribe)).to.equal(undefined);
			});
		});

		it("are not in force where they are switched off", () => {
			simulate({ switches: { limits: false } }, (world) => {
				const server = world.startServer();
				server.run(() => {
					for (let i = 0; i < 30; i++) server.platform.messaging.SubscribeAsync("news", () => {});
				});
			});
		});
	});

	describe("MessagingService in Studio", () => {
		it("works with access to API services, or never, by switch, and not in an unpublished place", () => {
			const problemWith = (apiAccess: boolean, studioMessaging: boolean, published: boolean) => {
				let problem: string | undefined;
				simulate({ switches: { studioMessaging } }, (world) => {
					const server = world.startServer({ isStudio: true, apiAccess, published });
					problem = problemOf(server, () => server.platform.messaging.PublishAsync("news", 1));
				});
				return problem;
			};
			expect(problemWith(true, true, true)).to.equal(undefined);
			expect(contains(problemWith(false, true, true), "disconnected")).to.equal(true);
			expect(contains(problemWith(true, false, true), "disconnected")).to.equal(true);
			expect(contains(problemWith(true, true, false), "publish")).to.equal(true);
		});
	});

	describe("the trace of messages", () => {
		it("shows every publication and delivery with its server and outcome", () => {
			simulate({}, (world) => {
				const [one, two] = [world.startServer(), world.startServer()];
				listen(two);
				publish(one, 1);
				world.wait(1);
				expect(world.trace.count({ op: "PublishAsync", server: one, store: "news", outcome: "ok" })).to.equal(
					1,
				);
				expect(world.trace.count({ op: "Deliver", server: two, store: "news", outcome: "ok" })).to.equal(1);
				expect(world.trace.count({ op: "SubscribeAsync", server: two, outcome: "ok" })).to.equal(1);
			});
		});
	});
};
