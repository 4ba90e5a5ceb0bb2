import { Server, ShutdownOrder } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { expectPart, failureOf } from "./helpers";

/** A server with three players that notes when players are removed and when its close callback runs. */
function watched(world: World): { server: Server; seen: Array<string> } {
	const server = world.startServer();
	const seen = new Array<string>();
	server.platform.players.PlayerRemoving.Connect((player) => seen.push(`removing ${player.UserId}`));
	server.platform.bindToClose(() => {
		seen.push("close");
		server.platform.task.wait(2);
		seen.push("closed");
	});
	for (let userId = 1; userId <= 3; userId++) server.join(userId);
	return { server, seen };
}

export = () => {
	describe("a server's identity", () => {
		it("is a GUID of its own, or empty in Studio", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				const studio = world.startServer({ isStudio: true });
				const named = world.startServer({ jobId: "job", name: "Named" });
				expect(first.platform.jobId.size()).to.equal(36);
				expect(first.platform.jobId === second.platform.jobId).to.equal(false);
				expect(studio.platform.jobId).to.equal("");
				expect(studio.platform.isStudio).to.equal(true);
				expect(named.platform.jobId).to.equal("job");
				expect(named.name).to.equal("Named");
			});
		});
	});

	describe("a shutdown", () => {
		const expected: ReadonlyArray<[order: ShutdownOrder, text: string]> = [
			["removingFirst", "removing 1, removing 2, removing 3, close, closed"],
			["closeFirst", "close, removing 1, removing 2, removing 3, closed"],
			["closeOnly", "close, closed"],
			["interleaved", "removing 1, removing 2, close, removing 3, closed"],
		];
		for (const [order, text] of expected) {
			it(`in the order ${order} fires: ${text}`, () => {
				simulate({}, (world) => {
					const { server, seen } = watched(world);
					server.shutdown({ order });
					expect(seen.join(", ")).to.equal(text);
					expect(server.alive).to.equal(false);
				});
			});
		}

		it("runs the close callbacks side by side and waits for the slowest", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				for (const seconds of [3, 8, 5]) server.platform.bindToClose(() => server.platform.task.wait(seconds));
				server.shutdown();
				expect(world.now() >= 8 && world.now() < 8.1).to.equal(true);
			});
		});

		it("prior fault: waits 30 seconds at most, then the server dies in the middle", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let went = false;
				server.platform.bindToClose(() => {
					server.platform.task.wait(31);
					went = true;
				});
				server.shutdown();
				expect(world.now()).to.be.near(30, 0.01);
				world.wait(10);
				expect(went).to.equal(false);
			});
		});

		it("goes on when a callback breaks, and collects its error", () => {
			simulate({}, (world) => {
				world.expectThreadErrors.push("closing broke");
				const server = world.startServer();
				let saved = false;
				server.platform.bindToClose(() => error("closing broke"));
				server.platform.bindToClose(() => {
					server.platform.task.wait(1);
					saved = true;
				});
				server.shutdown();
				expect(saved).to.equal(true);
				expect(world.threadErrors.size()).to.equal(1);
			});
		});

		it("without callbacks ends the server at once, cutting off PlayerRemoving handlers that wait", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				let saved = false;
				server.platform.players.PlayerRemoving.Connect(() => {
					server.platform.task.wait(1);
					saved = true;
				});
				server.join(1);
				server.shutdown();
				world.wait(5);
				expect(saved).to.equal(false);
			});
		});

		it("lets data store calls through until the callbacks are done; then they fail as shutting down (both text forms)", () => {
			for (const form of ["old", "new"] as const) {
				simulate({ switches: { teardownSeconds: 1, errorTexts: form } }, (world) => {
					const server = world.startServer();
					const store = server.platform.dataStores.GetDataStore("Coins");
					let inside: unknown;
					let late: unknown;
					server.platform.bindToClose(() => {
						store.UpdateAsync("k", () => $tuple(1));
						inside = store.GetAsync("k")[0];
					});
					server.spawn(() => {
						server.platform.task.wait(1);
						late = failureOf(() => store.UpdateAsync("k", () => $tuple(2)));
					});
					world.after(0.8, () => server.spawn(() => {}));
					world.wait(0.5);
					server.shutdown();
					expect(inside).to.equal(1);
					expectPart(late, form === "old" ? "401: " : "DataModelNoAccess");
					expect(world.store("Coins").get("k")).to.equal(1);
				});
			}
		});

		it("may word that failure as the web service's (both text forms)", () => {
			for (const form of ["old", "new"] as const) {
				simulate(
					{ switches: { teardownSeconds: 1, errorTexts: form, shutdownError: "webService" } },
					(world) => {
						const server = world.startServer();
						const store = server.platform.dataStores.GetDataStore("Coins");
						let late: unknown;
						server.spawn(() => {
							server.platform.task.wait(0.5);
							late = failureOf(() => store.GetAsync("k"));
						});
						server.shutdown();
						expectPart(late, form === "old" ? "402: " : "LuaWebSrvsNoAccess");
					},
				);
			}
		});

		it("that is called twice, or on a dead server, does no harm", () => {
			simulate({}, (world) => {
				const { server, seen } = watched(world);
				server.shutdown();
				server.shutdown();
				expect(seen.size()).to.equal(5);
			});
		});

		it("that the server does not survive still ends", () => {
			simulate({}, (world) => {
				const { server } = watched(world);
				world.after(1, () => server.crash());
				server.shutdown();
				expect(world.now()).to.equal(1);
			});
		});
	});

	describe("a crash", () => {
		it("runs no handler and no close callback", () => {
			simulate({}, (world) => {
				const { server, seen } = watched(world);
				server.crash();
				world.wait(60);
				expect(seen.size()).to.equal(0);
			});
		});

		it("leaves a request under way to land, when its transform had run", () => {
			simulate({ switches: { frames: false } }, (world) => {
				const server = world.startServer();
				const store = server.platform.dataStores.GetDataStore("Coins");
				let ran = false;
				server.spawn(() =>
					store.UpdateAsync("k", () => {
						ran = true;
						return $tuple(1);
					}),
				);
				while (!ran) world.wait(0.001);
				server.crash();
				expect(world.store("Coins").get("k")).to.equal(undefined);
				world.wait(1);
				expect(world.store("Coins").get("k")).to.equal(1);
			});
		});

		it("leaves a removal under way to land, whatever comes", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.store("Coins").set("k", 1);
				server.spawn(() => server.platform.dataStores.GetDataStore("Coins").RemoveAsync("k"));
				server.crash();
				world.wait(1);
				expect(world.store("Coins").get("k")).to.equal(undefined);
			});
		});

		it("ends a request whose transform had not run", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const store = server.platform.dataStores.GetDataStore("Coins");
				server.spawn(() => store.UpdateAsync("k", () => $tuple(1)));
				server.crash();
				world.wait(1);
				expect(world.store("Coins").get("k")).to.equal(undefined);
			});
		});
	});

	describe("a crash at any step", () => {
		it("can be swept: at each start or resumption of a thread, with all before it done and nothing after", () => {
			const play = (crashAt: number | undefined): { reached: number; steps: number; stored: number } => {
				let reached = 0;
				let steps = 0;
				const world = simulate({}, (running) => {
					const server = running.startServer();
					if (crashAt !== undefined) server.crashAtStep(crashAt);
					const store = server.platform.dataStores.GetDataStore("Coins");
					server.spawn(() => {
						reached = 1;
						store.UpdateAsync("a", () => $tuple(1));
						reached = 2;
						server.platform.task.wait(1);
						reached = 3;
						store.UpdateAsync("b", () => $tuple(1));
						reached = 4;
						server.platform.task.spawn(() => (reached = 5));
						reached = 6;
					});
					running.wait(10);
					steps = server.steps();
				});
				return { reached, steps, stored: world.store("Coins").keys().size() };
			};
			const whole = play(undefined);
			expect(whole.steps).to.equal(5);
			expect(whole.reached).to.equal(6);
			const seen = new Array<string>();
			for (let step = 1; step <= whole.steps; step++) {
				const { reached, stored } = play(step);
				seen.push(`${reached}/${stored}`);
			}
			expect(seen.join(" ")).to.equal("0/0 1/1 2/1 3/2 4/2");
		});
	});

	describe("a partition of one server", () => {
		it("fails its calls as without a network, and no other server's, until it heals", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				first.partition("DataStore");
				const failure = failureOf(() =>
					first.run(() => first.platform.dataStores.GetDataStore("Coins").GetAsync("k")),
				);
				expectPart(failure, "ConnectFail");
				failureOf(() =>
					first.run(() => first.platform.dataStores.GetDataStore("Coins").UpdateAsync("k", () => $tuple(9))),
				);
				expect(world.store("Coins").get("k")).to.equal(undefined);
				second.run(() => second.platform.dataStores.GetDataStore("Coins").UpdateAsync("k", () => $tuple(1)));
				first.heal();
				expect(first.run(() => first.platform.dataStores.GetDataStore("Coins").GetAsync("k")[0])).to.equal(1);
			});
		});

		it("that begins while a call is under way loses its answer, not its write", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const store = server.platform.dataStores.GetDataStore("Coins");
				const failure = failureOf(() =>
					server.run(() =>
						store.UpdateAsync("k", () => {
							server.partition();
							return $tuple(1);
						}),
					),
				);
				expectPart(failure, "ConnectFail");
				expect(world.store("Coins").get("k")).to.equal(1);
			});
		});
	});
};
