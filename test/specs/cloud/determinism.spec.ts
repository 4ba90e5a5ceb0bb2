import { LatencyProfileName } from "../../cloud/latency";
import { simulate } from "../../cloud/simulate";

/** A busy minute under faults, as its trace. */
function busyMinute(seed: number, profile: LatencyProfileName): string {
	const world = simulate({ seed, profile, switches: { startupBurst: 0 } }, (running) => {
		for (const effect of ["failBefore", "loseAnswer", "landLate", "conflict", "loseCommit", "duplicate"] as const) {
			running.faults.add({ service: "DataStore", effect, chance: 0.1 });
		}
		for (let index = 0; index < 3; index++) {
			const server = running.startServer({ skew: index });
			const { task, random, players, dataStores } = server.platform;
			players.PlayerAdded.Connect((player) => {
				const store = dataStores.GetDataStore("Coins");
				while (player.Parent !== undefined) {
					pcall(() =>
						store.UpdateAsync(`P${player.UserId % 2}`, (old) => $tuple(((old as number) ?? 0) + 1)),
					);
					pcall(() => store.GetAsync(`P${player.UserId % 2}`));
					task.wait(random() * 5);
				}
			});
			for (let userId = 1; userId <= 3; userId++) server.join(userId);
		}
		running.wait(20);
		running.servers[0].crash();
		running.servers[1].pause();
		running.wait(20);
		running.servers[1].resume();
		running.servers[2].shutdown({ order: "interleaved" });
		running.wait(20);
	});
	return world.trace.toText();
}

export = () => {
	describe("the emulated cloud", () => {
		for (const profile of ["fast", "live"] as const) {
			it(`gives the same trace for the same seed, under faults, and another for another seed (${profile})`, () => {
				const trace = busyMinute(5, profile);
				expect(trace.size() > 5000).to.equal(true);
				expect(busyMinute(5, profile)).to.equal(trace);
				expect(busyMinute(6, profile) === trace).to.equal(false);
			});
		}
	});

	describe("the latency profiles", () => {
		it("fast: every data store call well under 0.3 s; live: 0.1 to 0.5 s", () => {
			for (const [profile, low, high] of [
				["fast", 0, 0.3],
				["live", 0.1, 0.5],
			] as ReadonlyArray<[LatencyProfileName, number, number]>) {
				const world = simulate({ profile }, (running) => {
					const server = running.startServer();
					const store = server.platform.dataStores.GetDataStore("Coins");
					server.run(() => {
						for (let index = 0; index < 50; index++) store.UpdateAsync(`k${index}`, () => $tuple(1));
					});
				});
				for (const call of world.trace.calls) {
					const took = call.answeredAt! - call.at;
					expect(took >= low && took <= high).to.equal(true);
				}
			}
		});
	});

	describe("the trace", () => {
		it("tells for each call its server, time, key, outcome and whether it wrote", () => {
			const world = simulate({}, (running) => {
				const server = running.startServer({ name: "Alpha" });
				const store = server.platform.dataStores.GetDataStore("Coins");
				running.wait(5);
				server.run(() => {
					store.UpdateAsync("k", () => $tuple(1));
					store.GetAsync("k");
					pcall(() => store.GetAsync(""));
				});
			});
			const [update, cached, refused] = world.trace.calls;
			expect(update.server).to.equal("Alpha");
			expect(update.at).to.equal(5);
			expect(update.key).to.equal("k");
			expect(update.store).to.equal("Coins");
			expect(update.outcome).to.equal("ok");
			expect(update.wrote).to.equal(true);
			expect(cached.outcome).to.equal("cached");
			expect(refused.outcome).to.equal("failed");
			expect(world.trace.count({ server: "Alpha", op: "GetAsync" })).to.equal(2);
			expect(world.trace.count({ since: 5.01 })).to.equal(2);
			expect(world.trace.events[0].text).to.equal("start");
		});
	});
};
