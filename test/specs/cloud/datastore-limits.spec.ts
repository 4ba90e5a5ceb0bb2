import { Store } from "../../../src/platform/platform";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { expectPart, failureOf, onServer } from "./helpers";

/** Starts `count` writes to as many keys at once; what failed, and how many were answered, is counted as time goes by. */
function flood(server: Server, count: number, prefix = "k"): { answered: number; failures: Array<string> } {
	const store: Store = server.platform.dataStores.GetDataStore("Coins");
	const seen = { answered: 0, failures: new Array<string>() };
	for (let index = 0; index < count; index++) {
		server.spawn(() => {
			const [success, cause] = pcall(() => store.UpdateAsync(`${prefix}${index}`, () => $tuple(index)));
			if (success) seen.answered += 1;
			else seen.failures.push(tostring(cause));
		});
	}
	return seen;
}

export = () => {
	describe("a server's budget", () => {
		it("is 60 requests a minute and 40 for each player, with a burst at the start", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const left = (): number => server.dataStores.GetRequestBudgetForRequestType({ Name: "StandardWrite" });
				expect(left()).to.equal(160);
				const seen = flood(server, 160);
				world.wait(0.5);
				expect(seen.answered).to.equal(160);
				expect(server.warnings.size()).to.equal(0);
				world.wait(29.5);
				// A join raises the rate from then on, not for the time before.
				server.join(1);
				expect(left()).to.equal(30);
				world.wait(6);
				expect(left()).to.equal(40);
				world.wait(600);
				expect(left()).to.equal(100);
			});
		});

		it("queues 30 requests beyond it with Roblox's warning, and drops the rest as throttled (both text forms)", () => {
			for (const form of ["old", "new"] as const) {
				simulate({ switches: { startupBurst: 0, errorTexts: form } }, (world) => {
					const server = world.startServer();
					const seen = flood(server, 100);
					world.wait(0.5);
					expect(seen.answered).to.equal(60);
					expect(seen.failures.size()).to.equal(10);
					expectPart(
						seen.failures[0],
						form === "old"
							? "304: UpdateAsync request dropped. Request was throttled but queue was full."
							: "StandardWriteGameServerThrottled",
					);
					expect(server.warnings.size()).to.equal(30);
					expect(server.warnings[0]).to.equal(
						"DataStore request was added to queue. If request queue fills, further requests will be dropped. Try sending fewer requests.Key = k60",
					);
					world.wait(10);
					expect(seen.answered).to.equal(70);
					world.wait(25);
					expect(seen.answered).to.equal(90);
				});
			}
		});

		it("comes back steadily, or once a second, by the switch", () => {
			for (const ticks of [false, true]) {
				simulate({ switches: { startupBurst: 0, budgetTicks: ticks, otherPlayers: 10 } }, (world) => {
					const server = world.startServer();
					for (let userId = 1; userId <= 3; userId++) server.join(userId);
					const left = (): number => server.dataStores.GetRequestBudgetForRequestType("StandardRead");
					world.wait(60);
					flood(server, 180);
					world.wait(0.5);
					expect(left()).to.equal(ticks ? 0 : 1);
					world.wait(0.6);
					expect(left()).to.equal(3);
				});
			}
		});

		it("is told by the older names, too: an update needs a read and a write", () => {
			simulate({ switches: { startupBurst: 0 } }, (world) => {
				const server = world.startServer();
				const left = (name: string): number => server.dataStores.GetRequestBudgetForRequestType({ Name: name });
				server.run(() => server.dataStores.GetDataStore("Limits").GetAsync("a"));
				expect(left("GetAsync")).to.equal(59);
				expect(left("SetIncrementAsync")).to.equal(60);
				expect(left("UpdateAsync")).to.equal(59);
			});
		});

		it("under the former rules is 60 and 10 for each player, with no limit of the experience", () => {
			simulate({ switches: { startupBurst: 0, budgetRules: "former" } }, (world) => {
				const servers = new Array<Server>();
				for (let index = 0; index < 6; index++) servers.push(world.startServer());
				servers[0].join(1);
				world.wait(60);
				expect(servers[0].dataStores.GetRequestBudgetForRequestType("StandardWrite")).to.equal(70);
				const seen = servers.map((server) => flood(server, 60, server.name));
				world.wait(0.5);
				expect(seen.reduce((sum, { answered }) => sum + answered, 0)).to.equal(360);
			});
		});

		it("counts an update as a read and a write, a cancelled one as a read only, a remove as a remove", () => {
			onServer({}, (store, server) => {
				const { dataStores } = server;
				const left = (): string =>
					["StandardRead", "StandardWrite", "StandardRemove"]
						.map((kind) => dataStores.GetRequestBudgetForRequestType(kind))
						.join(" ");
				store.UpdateAsync("k", () => $tuple(1));
				expect(left()).to.equal("159 159 160");
				store.UpdateAsync("k", () => $tuple(undefined));
				expect(left()).to.equal("158 159 160");
				store.RemoveAsync("k");
				expect(left()).to.equal("158 159 159");
			});
		});

		it("lists have a small budget of their own and no queue", () => {
			onServer({ switches: { startupBurst: 0 } }, (store) => {
				for (let call = 0; call < 5; call++) store.ListVersionsAsync("k");
				expectPart(
					failureOf(() => store.ListVersionsAsync("k")),
					"StandardListGameServerThrottled",
				);
			});
		});

		it("a queued request dies with its server", () => {
			simulate({ switches: { startupBurst: 0 } }, (world) => {
				const server = world.startServer();
				flood(server, 70);
				world.wait(0.5);
				server.crash();
				world.wait(60);
				expect(world.store("Coins").keys().size()).to.equal(60);
			});
		});

		it("is off, as all limits, by the switch", () => {
			simulate({ switches: { limits: false } }, (world) => {
				const server = world.startServer();
				const seen = flood(server, 1000);
				world.wait(1);
				expect(seen.answered).to.equal(1000);
			});
		});
	});

	describe("the experience's budget", () => {
		it("is shared by all servers: 300 writes a minute and 20 for each player; over it calls fail without a warning", () => {
			for (const form of ["old", "new"] as const) {
				simulate({ switches: { startupBurst: 1000, errorTexts: form } }, (world) => {
					const first = world.startServer();
					const second = world.startServer();
					const one = flood(first, 200, "a");
					const two = flood(second, 200, "b");
					world.wait(0.5);
					expect(one.answered + two.answered).to.equal(300);
					const failures = [...one.failures, ...two.failures];
					expect(failures.size()).to.equal(100);
					expectPart(failures[0], form === "old" ? "HTTP 429" : "ExperienceThrottled");
					expect(first.warnings.size() + second.warnings.size()).to.equal(0);
				});
			}
		});
	});

	describe("the experience's writes", () => {
		it("came at the rate of the players who were online, when they leave with their server", () => {
			simulate({ switches: { startupBurst: 1000 } }, (world) => {
				const full = world.startServer();
				for (let userId = 1; userId <= 5; userId++) full.join(userId);
				world.wait(60);
				flood(world.startServer(), 400);
				world.wait(30);
				full.crash();
				const left = world.dataStores.budget.left("StandardWrite");
				expect(left > 190 && left <= 200).to.equal(true);
			});
		});

		it("bind before its reads where players are online: 300 and 20 for each", () => {
			simulate({ switches: { otherPlayers: 5, startupBurst: 1000 } }, (world) => {
				const seen = flood(world.startServer(), 450);
				world.wait(0.5);
				expect(seen.answered).to.equal(400);
				expect(seen.failures.size()).to.equal(50);
				expectPart(seen.failures[0], "StandardWriteExperienceThrottled");
				expect(world.store("Coins").keys().size()).to.equal(400);
			});
		});
	});

	describe("the throughput of a key", () => {
		const megabyte = string.rep("x", 1024 * 1024 - 2);

		it("is 4 MB of writes in 60 seconds, over all servers: more fails as KeyThrottled (both text forms)", () => {
			for (const form of ["old", "new"] as const) {
				onServer({ switches: { errorTexts: form } }, (store, server, world) => {
					for (let write = 0; write < 4; write++) store.UpdateAsync("k", () => $tuple(megabyte));
					const failure = failureOf(() => store.UpdateAsync("k", () => $tuple(1)));
					expectPart(failure, form === "old" ? "exceeds the allowed maximum for the key" : "KeyThrottled");
					store.UpdateAsync("other", () => $tuple(megabyte));
					server.platform.task.wait(61);
					store.UpdateAsync("k", () => $tuple(1));
					expect(world.store("Coins").get("k")).to.equal(1);
				});
			}
		});

		it("with the switch, a write over it waits its turn instead", () => {
			onServer({ switches: { keyThroughput: "wait" } }, (store, _server, world) => {
				for (let write = 0; write < 4; write++) store.UpdateAsync("k", () => $tuple(megabyte));
				store.UpdateAsync("k", () => $tuple(1));
				expect(world.now() > 59 && world.now() < 62).to.equal(true);
				expect(world.store("Coins").get("k")).to.equal(1);
			});
		});

		it("is 25 MB of reads in 60 seconds, over all servers", () => {
			simulate({}, (world) => {
				world.store("Coins").set("k", string.rep("x", 4 * 1024 * 1024 - 2));
				const servers: Array<Server> = [world.startServer(), world.startServer()];
				const read = (server: Server): void =>
					server.run(() => {
						server.platform.dataStores.GetDataStore("Coins").GetAsync("k", server.platform.uncachedRead);
					});
				for (let round = 0; round < 6; round++) read(servers[round % 2]);
				expectPart(
					failureOf(() => read(servers[0])),
					"KeyThrottled",
				);
			});
		});

		it("the cooldown of 6 s between writes of one key, of old, is a switch", () => {
			const twoWrites = (cooldown: number): number => {
				const world: World = onServer({ switches: { writeCooldown: cooldown } }, (store) => {
					store.UpdateAsync("k", () => $tuple(1));
					store.UpdateAsync("k", () => $tuple(2));
				});
				return world.now();
			};
			expect(twoWrites(0) < 1).to.equal(true);
			expect(twoWrites(6) > 6).to.equal(true);
		});
	});
};
