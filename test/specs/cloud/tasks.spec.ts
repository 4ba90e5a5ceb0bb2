import { simulate } from "../../cloud/simulate";
import { expectPart, failureOf } from "./helpers";

export = () => {
	describe("a server's task library", () => {
		it("spawn resumes at once, defer at the end of the resumption cycle", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const seen = new Array<string>();
				server.spawn(() => {
					server.platform.task.defer((text: string) => seen.push(text), "deferred");
					server.platform.task.spawn((text: string) => seen.push(text), "spawned");
					seen.push("own");
				});
				world.wait(0);
				expect(seen.join(" ")).to.equal("spawned own deferred");
			});
		});

		it("spawn and defer resume a thread that waits, with arguments", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const seen = new Array<string>();
				server.spawn(() => {
					const waiting = server.platform.task.spawn(() => {
						seen.push(tostring(coroutine.yield()[0]));
						seen.push(tostring(coroutine.yield()[0]));
					});
					server.platform.task.spawn(waiting, "now");
					server.platform.task.defer(waiting, "then");
				});
				world.wait(0);
				expect(seen.join(" ")).to.equal("now then");
			});
		});

		it("wait ends on the first frame at or after it is due, and returns the seconds that passed", () => {
			simulate({}, (world) => {
				world.wait(0.0123);
				const server = world.startServer();
				server.run(() => {
					const start = server.platform.clock();
					const passed = server.platform.task.wait(0.1);
					expect(passed).to.be.near(server.platform.clock() - start, 1e-9);
					expect(passed >= 0.1 && passed < 0.1 + 1 / 60).to.equal(true);
					expect(passed * 60).to.be.near(math.round(passed * 60), 1e-6);
					const one = server.platform.task.wait();
					expect(one).to.be.near(1 / 60, 1e-6);
				});
			});
		});

		it("without frames, wait and delay end exactly when due", () => {
			simulate({ switches: { frames: false } }, (world) => {
				const server = world.startServer();
				let delayed = 0;
				server.run(() => {
					server.platform.task.delay(0.0123, () => (delayed = world.now()));
					expect(server.platform.task.wait(0.1)).to.be.near(0.1, 1e-12);
				});
				expect(delayed).to.be.near(0.0123, 1e-12);
			});
		});

		it("delay(0) runs on the next frame, never on this one", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let ranAt = -1;
				server.run(() => {
					server.platform.task.wait(1);
					const now = world.now();
					server.platform.task.delay(0, () => (ranAt = world.now()));
					server.platform.task.wait(1);
					expect(ranAt > now).to.equal(true);
				});
			});
		});

		it("cancel ends a waiting thread for good; cancelling an ended one does nothing", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let went = 0;
				server.run(() => {
					const thread = server.platform.task.spawn(() => {
						server.platform.task.wait(1);
						went += 1;
					});
					server.platform.task.cancel(thread);
					server.platform.task.cancel(thread);
					const ended = server.platform.task.spawn(() => {});
					server.platform.task.cancel(ended);
					const later = server.platform.task.delay(1, () => (went += 1));
					server.platform.task.cancel(later);
					server.platform.task.wait(3);
				});
				expect(went).to.equal(0);
			});
		});

		it("cancelling a thread that waits for a service leaves its request to land", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let answered = false;
				server.run(() => {
					const store = server.platform.dataStores.GetDataStore("Coins");
					const thread = server.platform.task.spawn(() => {
						store.UpdateAsync("k", () => $tuple(1));
						answered = true;
					});
					server.platform.task.cancel(thread);
					server.platform.task.wait(1);
				});
				expect(answered).to.equal(false);
				expect(world.store("Coins").get("k")).to.equal(1);
			});
		});

		it("an error in a thread is collected with its traceback and ends no other", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.expectThreadErrors.push("broke");
				let went = false;
				server.run(() => {
					server.platform.task.spawn(() => error("broke"));
					server.platform.task.wait();
					went = true;
				});
				expect(went).to.equal(true);
				expect(world.threadErrors.size()).to.equal(1);
				expect(world.threadErrors[0].server).to.equal("S1");
				expectPart(world.threadErrors[0].traceback, "tasks.spec");
			});
		});
	});

	describe("a paused server", () => {
		it("holds its waits until it goes on, and its wait tells how long it was", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let passed = 0;
				server.spawn(() => (passed = server.platform.task.wait(1)));
				server.pause();
				world.wait(10);
				expect(passed).to.equal(0);
				server.resume();
				expect(passed).to.equal(10);
			});
		});

		it("does what was held in order", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const seen = new Array<number>();
				for (const index of [3, 1, 2]) server.platform.task.delay(index, () => seen.push(index));
				server.pause();
				world.wait(10);
				server.resume();
				expect(seen.join(" ")).to.equal("1 2 3");
			});
		});
	});

	describe("a crashed server", () => {
		it("never resumes a thread, whatever it waits for", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let went = 0;
				const { task, dataStores } = server.platform;
				server.spawn(() => {
					task.wait(1);
					went += 1;
				});
				server.spawn(() => {
					dataStores.GetDataStore("Coins").GetAsync("k");
					went += 1;
				});
				task.delay(1, () => (went += 1));
				server.crash();
				world.wait(10);
				expect(went).to.equal(0);
				expect(server.alive).to.equal(false);
			});
		});

		it("stops the thread that brought it down, at its next step", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let went = false;
				server.spawn(() => {
					server.platform.task.spawn(() => server.crash());
					went = true;
				});
				expect(went).to.equal(false);
			});
		});

		it("fails a run of it that was under way, and one that comes later", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.after(1, () => server.crash());
				expectPart(
					failureOf(() => server.run(() => server.platform.task.wait(5))),
					"died",
				);
				expectPart(
					failureOf(() => server.run(() => 1)),
					"is dead",
				);
			});
		});
	});

	describe("running a body on a server", () => {
		it("returns what it returns and throws what it throws, the same object", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				expect(server.run(() => server.platform.task.wait(1) >= 1)).to.equal(true);
				const thrown = { reason: "mine" };
				expect(failureOf(() => server.run(() => error(thrown)))).to.equal(thrown);
			});
		});
	});
};
