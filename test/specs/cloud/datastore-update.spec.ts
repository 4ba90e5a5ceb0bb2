import { KeyInfo } from "../../../src/platform/platform";
import { simulate } from "../../cloud/simulate";
import { expectPart, failureOf, onServer } from "./helpers";

export = () => {
	describe("UpdateAsync", () => {
		it("gives the transform nothing for a new key, and returns the new value with its key info", () => {
			onServer({ startTime: 1000000 }, (store, _server, world) => {
				const [value, info] = store.UpdateAsync("k", (old, oldInfo) => {
					expect(old).to.equal(undefined);
					expect(oldInfo).to.equal(undefined);
					return $tuple({ coins: 3 }, [7, 8], { map: "desert" });
				});
				expect((value as { coins: number }).coins).to.equal(3);
				expect(info!.GetUserIds().join(" ")).to.equal("7 8");
				expect((info!.GetMetadata() as { map: string }).map).to.equal("desert");
				expect(math.abs(info!.UpdatedTime - (1000000 + world.now()) * 1000) < 100).to.equal(true);
				expect(info!.CreatedTime).to.equal(info!.UpdatedTime);
				expect((world.store("Coins").get("k") as { coins: number }).coins).to.equal(3);
				expect(world.store("Coins").info("k")!.userIds[0]).to.equal(7);
			});
		});

		it("gives it the stored value and key info of whichever server wrote last; versions and times move on", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				const write = (server: typeof first, coins: number): KeyInfo =>
					server.run(() => {
						const [, info] = server.platform.dataStores
							.GetDataStore("Coins")
							.UpdateAsync("k", (old) => $tuple(((old as number | undefined) ?? 0) + coins, [1]));
						return info!;
					});
				const one = write(first, 1);
				world.wait(10);
				const two = write(second, 2);
				expect(world.store("Coins").get("k")).to.equal(3);
				expect(two.CreatedTime).to.equal(one.CreatedTime);
				expect(two.UpdatedTime > one.UpdatedTime + 9000).to.equal(true);
				expect(one.Version === two.Version).to.equal(false);
			});
		});

		it("prior fault: clears user ids and metadata that the transform leaves out", () => {
			onServer({}, (store, _server, world) => {
				store.UpdateAsync("k", () => $tuple(1, [7], { map: "desert" }));
				store.UpdateAsync("k", () => $tuple(2));
				expect(world.store("Coins").info("k")!.userIds.size()).to.equal(0);
				const [first] = next(world.store("Coins").info("k")!.metadata as Map<string, string>);
				expect(first).to.equal(undefined);
			});
		});

		it("prior fault: cancels when the transform returns nil: nothing is written, nothing raised, the answer is nil", () => {
			onServer({}, (store, _server, world) => {
				world.store("Coins").set("k", 5);
				const before = world.store("Coins").info("k")!.version;
				const [value, info] = store.UpdateAsync("k", () => $tuple(undefined));
				expect(value).to.equal(undefined);
				expect(info).to.equal(undefined);
				expect(world.store("Coins").info("k")!.version).to.equal(before);
				expect(world.trace.durableWrites()).to.equal(0);
				expect(world.trace.count({ outcome: "cancelled" })).to.equal(1);
			});
		});

		it("with the switch, a cancelled call answers what is stored", () => {
			onServer({ switches: { cancelReturnsStored: true } }, (store, _server, world) => {
				world.store("Coins").set("k", 5);
				expect(store.UpdateAsync("k", () => $tuple(undefined))[0]).to.equal(5);
			});
		});

		it("runs the transform again when another server wrote in between, and neither write is lost", () => {
			simulate({}, (world) => {
				let runs = 0;
				const servers = [world.startServer(), world.startServer(), world.startServer()];
				for (const server of servers) {
					server.spawn(() => {
						server.platform.dataStores.GetDataStore("Coins").UpdateAsync("k", (old) => {
							runs += 1;
							return $tuple(((old as number | undefined) ?? 0) + 1);
						});
					});
				}
				world.wait(1);
				expect(world.store("Coins").get("k")).to.equal(3);
				expect(runs > 3).to.equal(true);
			});
		});

		it("refuses a transform that yields, and writes nothing", () => {
			onServer({}, (store, server, world) => {
				const failure = failureOf(() =>
					store.UpdateAsync("k", () => {
						server.platform.task.wait(1);
						return $tuple(1);
					}),
				);
				expectPart(failure, "Callbacks cannot yield");
				server.platform.task.wait(3);
				expect(world.store("Coins").get("k")).to.equal(undefined);
			});
		});

		it("a transform that breaks: its error goes to the output and the write is cancelled, without an error", () => {
			onServer({}, (store, _server, world) => {
				world.expectThreadErrors.push("transform broke");
				world.store("Coins").set("k", 5);
				const [value] = store.UpdateAsync("k", () => error("transform broke"));
				expect(value).to.equal(undefined);
				expect(world.threadErrors.size()).to.equal(1);
				expect(world.store("Coins").get("k")).to.equal(5);
			});
		});

		it("with the switch, a transform that breaks fails the call with its error", () => {
			onServer({ switches: { transformErrorPropagates: true } }, (store, _server, world) => {
				expectPart(
					failureOf(() => store.UpdateAsync("k", () => error("transform broke"))),
					"transform broke",
				);
				expect(world.store("Coins").get("k")).to.equal(undefined);
			});
		});
	});

	describe("SetAsync, IncrementAsync and RemoveAsync", () => {
		it("SetAsync stores the value as it was when called, and returns the version", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const store = server.dataStores.GetDataStore("Coins");
				const value = { coins: 1 };
				let version = "";
				server.spawn(() => (version = store.SetAsync("k", value, [7])));
				value.coins = 2;
				world.wait(1);
				expect((world.store("Coins").get("k") as { coins: number }).coins).to.equal(1);
				expect(world.store("Coins").info("k")!.version).to.equal(version);
				expect(world.store("Coins").info("k")!.userIds[0]).to.equal(7);
			});
		});

		it("SetAsync of nil is an error and no removal", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				world.store("Coins").set("k", 5);
				const store = server.dataStores.GetDataStore("Coins");
				expectPart(
					failureOf(() => server.run(() => store.SetAsync("k", undefined))),
					"Argument 2",
				);
				expect(world.store("Coins").get("k")).to.equal(5);
			});
		});

		it("IncrementAsync adds to what is stored, from 0", () => {
			simulate({}, (world) => {
				const server = world.startServer();
				const store = server.dataStores.GetDataStore("Coins");
				server.run(() => {
					expect(store.IncrementAsync("k")[0]).to.equal(1);
					expect(store.IncrementAsync("k", 5)[0]).to.equal(6);
				});
				world.store("Coins").set("k", "text");
				failureOf(() => server.run(() => store.IncrementAsync("k")));
				failureOf(() => server.run(() => store.IncrementAsync("k", 0.5)));
			});
		});

		it("RemoveAsync returns what was there, and nothing the second time", () => {
			onServer({}, (store, server, world) => {
				world.store("Coins").set("k", 5, { userIds: [7] });
				const [value, info] = store.RemoveAsync("k");
				expect(value).to.equal(5);
				expect(info!.GetUserIds()[0]).to.equal(7);
				expect(store.RemoveAsync("k")[0]).to.equal(undefined);
				expect(store.GetAsync("k", server.platform.uncachedRead)[0]).to.equal(undefined);
				expect(world.store("Coins").keys().size()).to.equal(0);
				expect(world.trace.removes()).to.equal(1);
				expect(world.trace.durableWrites()).to.equal(0);
			});
		});

		it("a key written again after its removal keeps its first creation time, or not, by the switch", () => {
			for (const survives of [true, false]) {
				onServer({ switches: { createdTimeSurvivesRemoval: survives } }, (store, server) => {
					const [, before] = store.UpdateAsync("k", () => $tuple(1));
					server.platform.task.wait(10);
					store.RemoveAsync("k");
					const [, after] = store.UpdateAsync("k", (old, info) => {
						expect(old).to.equal(undefined);
						expect(info).to.equal(undefined);
						return $tuple(2);
					});
					expect(after!.CreatedTime === before!.CreatedTime).to.equal(survives);
				});
			}
		});
	});

	describe("a data store's identity", () => {
		it("is its name and scope: the same object for the same two, other keys for others", () => {
			onServer({}, (store, server, world) => {
				const { dataStores } = server.platform;
				expect(dataStores.GetDataStore("Coins")).to.equal(store);
				const scoped = dataStores.GetDataStore("Coins", "Studio");
				scoped.UpdateAsync("k", () => $tuple(1));
				expect(store.GetAsync("k")[0]).to.equal(undefined);
				expect(world.store("Coins", "Studio").get("k")).to.equal(1);
				expect(world.store("Coins").get("k")).to.equal(undefined);
			});
		});
	});
};
