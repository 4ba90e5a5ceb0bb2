import { simulate } from "../../cloud/simulate";
import { onServer } from "./helpers";

export = () => {
	describe("the read cache of a data store", () => {
		it("shows another server's write only after 4 seconds; an uncached read shows it at once", () => {
			onServer({}, (store, server, world) => {
				world.store("Coins").set("k", 1);
				expect(store.GetAsync("k")[0]).to.equal(1);
				world.store("Coins").set("k", 2);
				server.platform.task.wait(3.8);
				expect(store.GetAsync("k")[0]).to.equal(1);
				server.platform.task.wait(0.3);
				expect(store.GetAsync("k")[0]).to.equal(2);
				world.store("Coins").set("k", 3);
				expect(store.GetAsync("k", server.platform.uncachedRead)[0]).to.equal(3);
				expect(store.GetAsync("k")[0]).to.equal(3);
			});
		});

		it("UpdateAsync sees the newest value, whatever is cached", () => {
			onServer({}, (store, _server, world) => {
				world.store("Coins").set("k", 1);
				store.GetAsync("k");
				world.store("Coins").set("k", 2);
				expect(store.UpdateAsync("k", (old) => $tuple((old as number) * 10))[0]).to.equal(20);
			});
		});

		it("a server's own writes and removals renew it, or not, by the switch", () => {
			for (const renews of [true, false]) {
				onServer({ switches: { ownWritesUpdateCache: renews } }, (store, _server, world) => {
					world.store("Coins").set("k", 1);
					store.GetAsync("k");
					store.UpdateAsync("k", () => $tuple(2));
					expect(store.GetAsync("k")[0]).to.equal(renews ? 2 : 1);
					store.RemoveAsync("k");
					expect(store.GetAsync("k")[0]).to.equal(renews ? undefined : 1);
				});
			}
		});

		it("a write that failed, though it landed, leaves the old value cached", () => {
			onServer({}, (store, server, world) => {
				world.store("Coins").set("k", 1);
				store.GetAsync("k");
				world.faults.add({ service: "DataStore", op: "UpdateAsync", effect: "loseAnswer" });
				pcall(() => store.UpdateAsync("k", () => $tuple(2)));
				expect(store.GetAsync("k")[0]).to.equal(1);
				expect(store.GetAsync("k", server.platform.uncachedRead)[0]).to.equal(2);
			});
		});

		it("a key found missing is cached too, or not, by the switch", () => {
			for (const cached of [true, false]) {
				onServer({ switches: { cacheMissing: cached } }, (store, _server, world) => {
					expect(store.GetAsync("k")[0]).to.equal(undefined);
					world.store("Coins").set("k", 1);
					expect(store.GetAsync("k")[0]).to.equal(cached ? undefined : 1);
				});
			}
		});

		it("is one for each scope and server", () => {
			simulate({}, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				const read = (server: typeof first): unknown =>
					server.run(() => server.platform.dataStores.GetDataStore("Coins").GetAsync("k")[0]);
				world.store("Coins").set("k", 1);
				read(first);
				world.store("Coins").set("k", 2);
				expect(read(first)).to.equal(1);
				expect(read(second)).to.equal(2);
			});
		});

		it("a cached read takes no time and no budget, and yields or not, by the switch", () => {
			for (const yields of [true, false]) {
				simulate({ switches: { cachedReadYields: yields } }, (world) => {
					const server = world.startServer();
					const store = server.dataStores.GetDataStore("Coins");
					server.run(() => store.GetAsync("k"));
					const left = server.dataStores.GetRequestBudgetForRequestType("StandardRead");
					const at = world.now();
					let answered = false;
					server.spawn(() => {
						store.GetAsync("k");
						answered = true;
					});
					expect(answered).to.equal(!yields);
					world.wait(0);
					expect(answered).to.equal(true);
					expect(world.now()).to.equal(at);
					expect(server.dataStores.GetRequestBudgetForRequestType("StandardRead")).to.equal(left);
					expect(world.trace.count({ outcome: "cached" })).to.equal(1);
				});
			}
		});
	});
};
