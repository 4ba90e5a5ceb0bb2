import { JobOptions, Scheduler } from "../../../src/cloud/scheduler";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";

function mentions(text: string, part: string): boolean {
	return text.find(part, 1, true)[0] !== undefined;
}

/** Schedules a job that notes the times of its runs. */
function note(world: World, scheduler: Scheduler, options: Partial<JobOptions>, body?: () => void): Array<number> {
	const runs = new Array<number>();
	scheduler.schedule({ name: "job", periodSeconds: 10, ...options }, () => {
		runs.push(world.now());
		body?.();
	});
	return runs;
}

/** A server whose monotonic clock runs on while a job works, as it does in a real frame. */
function withBusyClock(server: Server): { readonly scheduler: Scheduler; readonly work: (seconds: number) => void } {
	let worked = 0;
	const { platform } = server;
	const scheduler = new Scheduler({ ...platform, clock: () => platform.clock() + worked });
	return { scheduler, work: (seconds) => (worked += seconds) };
}

// Scheduler: periodic jobs of a server.
export = () => {
	describe("a periodic job", () => {
		it("runs once a period, without drift", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				const runs = note(world, scheduler, { periodSeconds: 7 });
				world.wait(701);
				expect(runs.size()).to.equal(100);
				runs.forEach((at, index) => expect(at).to.be.near((index + 1) * 7, 0.02));
			});
		});

		it("begins after its start offset, so that jobs of one period spread", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				const [now, early, late] = [0, 15, 45].map((startSeconds) =>
					note(world, scheduler, { periodSeconds: 60, startSeconds }),
				);
				world.wait(130);
				expect(now[0]).to.be.near(0, 0.02);
				expect(now[1]).to.be.near(60, 0.02);
				expect(early[0]).to.be.near(15, 0.02);
				expect(early[1]).to.be.near(75, 0.02);
				expect(late[1]).to.be.near(105, 0.02);
			});
		});

		it("comes late by its jitter at most, differently each time, and keeps its rhythm", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				const runs = note(world, scheduler, { jitterSeconds: 3 });
				world.wait(1005);
				expect(runs.size()).to.equal(100);
				const delays = runs.map((at, index) => at - (index + 1) * 10);
				for (const delay of delays) expect(delay >= -0.001 && delay <= 3.02).to.equal(true);
				expect(math.max(...delays) - math.min(...delays) > 1).to.equal(true);
			});
		});

		it("does not run again once cancelled, also by itself, and harms no other", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				let runs = 0;
				const job = scheduler.schedule({ name: "self", periodSeconds: 10 }, () => {
					runs += 1;
					if (runs === 3) job.cancel();
				});
				const others = note(world, scheduler, {});
				world.wait(101);
				expect(runs).to.equal(3);
				expect(job.cancelled).to.equal(true);
				job.cancel();
				expect(others.size()).to.equal(10);
			});
		});

		it("cancelled by one that runs before it in the same moment does not run", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				let runs = 0;
				scheduler.schedule({ name: "first", periodSeconds: 10 }, () => second.cancel());
				const second = scheduler.schedule({ name: "second", periodSeconds: 10 }, () => (runs += 1));
				world.wait(11);
				expect(runs).to.equal(0);
			});
		});

		it("that throws is reported by name and runs again; the others run on", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const scheduler = new Scheduler(server.platform);
				const runs = note(world, scheduler, { name: "broken one" }, () => error("broken job"));
				const others = note(world, scheduler, {});
				world.wait(31);
				expect(runs.size()).to.equal(3);
				expect(others.size()).to.equal(3);
				expect(server.warnings.size()).to.equal(3);
				expect(mentions(server.warnings[0], "broken one")).to.equal(true);
				expect(mentions(server.warnings[0], "broken job")).to.equal(true);
			});
		});

		it("that yields past its period never overlaps itself, is reported, and goes on in rhythm", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const scheduler = new Scheduler(server.platform);
				let running = 0;
				let most = 0;
				let first = true;
				const runs = note(world, scheduler, { name: "slow one" }, () => {
					running += 1;
					most = math.max(most, running);
					if (first) {
						first = false;
						server.platform.task.wait(25);
					}
					running -= 1;
				});
				const others = note(world, scheduler, {});
				world.wait(61);
				expect(most).to.equal(1);
				expect(runs.map((at) => math.round(at)).join(" ")).to.equal("10 40 50 60");
				expect(others.size()).to.equal(6);
				expect(server.warnings.size()).to.equal(2);
				expect(mentions(server.warnings[0], "slow one")).to.equal(true);
			});
		});

		it("that never returns stops nobody else", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				note(world, scheduler, {}, () => coroutine.yield());
				const others = note(world, scheduler, {});
				world.wait(101);
				expect(others.size()).to.equal(10);
			});
		});

		it("makes up for a pause of its server with one run", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const scheduler = new Scheduler(server.platform);
				const runs = note(world, scheduler, {});
				world.wait(12);
				server.pause();
				world.wait(43);
				server.resume();
				world.wait(20);
				expect(runs.map((at) => math.round(at)).join(" ")).to.equal("10 55 60 70");
			});
		});

		it("can schedule others from within", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				let inner: Array<number> | undefined;
				note(world, scheduler, {}, () => {
					inner ??= note(world, scheduler, { periodSeconds: 3 });
				});
				world.wait(20);
				expect(inner?.size()).to.equal(3);
			});
		});

		it("needs a period of more than 0 seconds", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				for (const periodSeconds of [0, -1, 0 / 0]) {
					expect(() => scheduler.schedule({ name: "odd", periodSeconds }, () => {})).to.throw();
				}
				world.wait(1);
			});
		});
	});

	describe("priorities", () => {
		it("order jobs that are due together; equals keep their order", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				const order = new Array<string>();
				const add = (name: string, priority?: JobOptions["priority"]): void => {
					scheduler.schedule({ name, periodSeconds: 10, priority }, () => order.push(name));
				};
				add("background", "Background");
				add("normal 1");
				add("critical", "Critical");
				add("normal 2", "Normal");
				world.wait(11);
				expect(order.join(", ")).to.equal("critical, normal 1, normal 2, background");
			});
		});

		it("leave background jobs to a later frame where this one is full, but never critical ones", () => {
			simulate({}, (world) => {
				const { scheduler, work } = withBusyClock(world.startServer());
				const frames = new Map<string, number>();
				const add = (name: string, priority: JobOptions["priority"], seconds: number): void => {
					scheduler.schedule({ name, periodSeconds: 100, startSeconds: 10, priority }, () => {
						frames.set(name, world.now());
						work(seconds);
					});
				};
				add("background", "Background", 0);
				add("long", "Critical", 0.01);
				add("critical", "Critical", 0);
				world.wait(11);
				const long = frames.get("long") as number;
				expect(frames.get("critical")).to.equal(long);
				const background = frames.get("background") as number;
				expect(background > long && background < long + 0.1).to.equal(true);
			});
		});

		it("hold no job back for longer than its period", () => {
			simulate({}, (world) => {
				const { scheduler, work } = withBusyClock(world.startServer());
				let background = 0;
				// Every frame is full before the background job has its turn.
				scheduler.schedule({ name: "hog", periodSeconds: 0.01, priority: "Critical" }, () => work(0.01));
				scheduler.schedule(
					{ name: "background", periodSeconds: 1, priority: "Background" },
					() => (background += 1),
				);
				world.wait(20);
				expect(background >= 8).to.equal(true);
			});
		});
	});

	describe("the end of a scheduler", () => {
		it("comes with stop: nothing runs any more, and nothing is left on the clock", () => {
			simulate({}, (world) => {
				const scheduler = new Scheduler(world.startServer().platform);
				const runs = note(world, scheduler, {});
				world.wait(11);
				scheduler.stop();
				scheduler.stop();
				world.wait(100);
				expect(runs.size()).to.equal(1);
			});
		});

		it("comes with its server", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const runs = note(world, new Scheduler(server.platform), {});
				world.wait(11);
				server.crash();
				world.wait(100);
				expect(runs.size()).to.equal(1);
			});
		});
	});
};
