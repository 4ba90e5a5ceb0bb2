import { Waiter } from "../../../src/util/waiter";
import { simulate } from "../../cloud/simulate";

// The one-shot event that calls under way wait on.
export = () => {
	describe("a waiter", () => {
		it("wakes every waiting thread with the value, in the order of waiting", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const waiter = new Waiter<string>(server.platform);
				const heard = new Array<string>();
				for (const name of ["a", "b", "c"]) server.spawn(() => heard.push(`${name} ${waiter.wait()}`));
				world.wait(1);
				expect(heard.size()).to.equal(0);
				expect(waiter.resolved).to.equal(false);
				server.run(() => waiter.resolve("now"));
				expect(heard.join(", ")).to.equal("a now, b now, c now");
				expect(waiter.resolved).to.equal(true);
			});
		});

		it("answers at once when it is resolved, and keeps the first value", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const waiter = new Waiter<number>(server.platform);
				waiter.resolve(1);
				waiter.resolve(2);
				const before = world.now();
				expect(server.run(() => waiter.wait(10))).to.equal(1);
				expect(server.run(() => waiter.wait())).to.equal(1);
				expect(world.now()).to.equal(before);
			});
		});

		it("answers undefined when the time is up, and a later value disturbs nobody", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const waiter = new Waiter<number>(server.platform);
				const before = world.now();
				expect(server.run(() => waiter.wait(5))).to.equal(undefined);
				expect(world.now() - before).to.be.near(5, 0.1);
				expect(server.run(() => waiter.wait(0))).to.equal(undefined);
				server.run(() => {
					waiter.resolve(1);
					// Woken again by the waiter, this would return early.
					expect(server.platform.task.wait(20)).to.be.near(20, 0.1);
				});
			});
		});

		it("wakes a thread once where the value comes first and the time would be up later", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const waiter = new Waiter<number>(server.platform);
				let woken: number | undefined;
				let slept = 0;
				server.spawn(() => {
					woken = waiter.wait(5);
					slept = server.platform.task.wait(30);
				});
				world.wait(1);
				server.run(() => waiter.resolve(7));
				world.wait(60);
				expect(woken).to.equal(7);
				expect(slept).to.be.near(30, 0.1);
			});
		});

		it("leaves a thread that was cancelled meanwhile alone", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const waiter = new Waiter<number>(server.platform);
				let woken = 0;
				server.run(() => {
					const cancelled = server.platform.task.spawn(() => {
						waiter.wait(5);
						woken += 1;
					});
					server.platform.task.spawn(() => {
						waiter.wait();
						woken += 10;
					});
					server.platform.task.cancel(cancelled);
					waiter.resolve(1);
				});
				world.wait(10);
				expect(woken).to.equal(10);
			});
		});
	});
};
