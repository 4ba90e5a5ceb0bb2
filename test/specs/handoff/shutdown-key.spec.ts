import { ShutdownOrder } from "../../cloud/server";
import { World } from "../../cloud/world";
import { play, PlayerGame } from "../driver/playerGame";
import { awaitBeat, KEY, MAP, SETTLE_SECONDS } from "./fleet";

const ORDERS: ReadonlyArray<ShutdownOrder> = ["removingFirst", "closeFirst", "closeOnly", "interleaved"];

function removals(world: World, host: PlayerGame) {
	return world.trace.select({ service: "MemoryStore", op: "RemoveAsync", server: host.server.name });
}

function isThere(world: World, host: PlayerGame): boolean {
	return world.services.memory.memory.inspect(MAP, host.server.jobId) !== undefined;
}

// Protocol 3.4.
export = () => {
	describe("a shutdown that has saved everything", () => {
		it("removes the presence key once, as the last call of all, in every order of events", () => {
			for (const order of ORDERS) {
				play((lobby, world) => {
					const second = lobby.server.run(() => {
						const made = lobby.newDriver({ name: "Second" });
						made.attach();
						return made;
					});
					for (let user = 1; user <= 3; user += 1) {
						const { profile } = lobby.join(user);
						lobby.set(profile, user);
					}
					lobby.server.run(() => second.load("manual")).unwrap();
					world.wait(5);
					lobby.server.shutdown({ order });
					const removed = removals(world, lobby);
					expect(removed.size()).to.equal(1);
					expect(removed[0].key).to.equal(lobby.server.jobId);
					for (const call of world.trace.select({ server: lobby.server.name })) {
						if (call === removed[0]) continue;
						expect(call.at <= removed[0].at).to.equal(true);
						expect(call.outcome === "pending" || call.answeredAt! <= removed[0].at).to.equal(true);
					}
					world.wait(1);
					expect(isThere(world, lobby)).to.equal(false);
				});
			}
		});

		it("waits for the answer of a beat that is under way, so that it cannot put the key back", () => {
			play((lobby, world) => {
				awaitBeat(world, lobby.server);
				const slow = world.faults.add({
					service: "MemoryStore",
					op: "SetAsync",
					effect: "delay",
					seconds: 0.9,
					count: 1,
				});
				world.waitUntil(() => slow.hits === 1, 5);
				lobby.server.shutdown();
				world.wait(3);
				expect(removals(world, lobby).size()).to.equal(1);
				expect(isThere(world, lobby)).to.equal(false);
			});
		});

		it("lets the next server load at once", () => {
			play((lobby, world) => {
				const other = new PlayerGame(world);
				lobby.join(7);
				world.wait(SETTLE_SECONDS);
				lobby.server.shutdown();
				const since = world.now();
				other.join(7);
				expect(world.now() - since < 0.2).to.equal(true);
			});
		});
	});

	describe("the key is left to expire", () => {
		it("where a save of any driver is not answered", () => {
			for (const effect of ["hang", "failBefore", "loseAnswer"] as const) {
				play((lobby, world) => {
					const second = lobby.server.run(() => {
						const made = lobby.newDriver({ name: "Second" });
						made.attach();
						return made;
					});
					lobby.join(7);
					lobby.server.run(() => second.load("manual")).unwrap();
					world.faults.add({ service: "DataStore", store: "Second", effect });
					lobby.server.shutdown();
					expect(removals(world, lobby).size()).to.equal(0);
					expect(isThere(world, lobby)).to.equal(true);
					world.wait(10.5);
					expect(isThere(world, lobby)).to.equal(false);
				});
			}
		});

		it("where a lock is not known to be given back", () => {
			play((lobby, world) => {
				// The acquire lands, and neither its answer nor that of any give-back ever comes.
				world.faults.add({ service: "DataStore", key: KEY, effect: "loseAnswer", count: 1 });
				world.faults.add({ service: "DataStore", key: KEY, effect: "failBefore", nth: 2 });
				const player = lobby.server.join(7);
				world.wait(0.3);
				lobby.server.leave(player);
				world.wait(5);
				expect(lobby.record(KEY)?.Lock).to.be.ok();
				lobby.server.shutdown();
				expect(removals(world, lobby).size()).to.equal(0);
				expect(isThere(world, lobby)).to.equal(true);
			});
		});

		it("where the last beat was not answered, since it could put the key back", () => {
			play((lobby, world) => {
				awaitBeat(world, lobby.server);
				const fault = world.faults.add({ service: "MemoryStore", op: "SetAsync", effect: "loseAnswer" });
				world.waitUntil(() => fault.hits === 2, 5);
				lobby.server.shutdown();
				expect(removals(world, lobby).size()).to.equal(0);
			});
		});

		it("where a load is unanswered when the server closes", () => {
			play((lobby, world) => {
				world.faults.add({ service: "DataStore", key: KEY, effect: "hang" });
				lobby.server.join(7);
				world.wait(2);
				lobby.server.shutdown();
				expect(removals(world, lobby).size()).to.equal(0);
			});
		});

		it("by a crash", () => {
			play((lobby, world) => {
				awaitBeat(world, lobby.server);
				lobby.server.crash();
				world.wait(9.8);
				expect(isThere(world, lobby)).to.equal(true);
				world.wait(0.3);
				expect(isThere(world, lobby)).to.equal(false);
				expect(removals(world, lobby).size()).to.equal(0);
			});
		});

		it("by a shutdown after handoff was destroyed, and where MemoryStore hangs the shutdown still ends in time", () => {
			play((lobby, world) => {
				lobby.join(7);
				world.faults.add({ service: "MemoryStore", effect: "hang" });
				world.wait(1);
				const since = world.now();
				lobby.server.shutdown();
				expect(world.now() - since < 6).to.equal(true);
				expect(lobby.record(KEY)?.Lock).to.equal(undefined);
			});
		});
	});

	it("a driver that is closed alone leaves the key, and the beats go on", () => {
		play((lobby, world) => {
			const second = lobby.server.run(() => {
				const made = lobby.newDriver({ name: "Second" });
				made.attach();
				return made;
			});
			lobby.join(7);
			lobby.server.run(() => second.close()).unwrap();
			lobby.server.run(() => lobby.driver.close()).unwrap();
			const since = world.now();
			world.wait(30);
			expect(removals(world, lobby).size()).to.equal(0);
			expect(world.trace.count({ op: "SetAsync", since })).to.equal(10);
			lobby.server.shutdown();
			expect(removals(world, lobby).size()).to.equal(1);
		});
	});
};
