import { simulate } from "../../cloud/simulate";

export = () => {
	describe("a server's clocks", () => {
		it("count virtual time; the monotonic one from a start of its own", () => {
			simulate({ startTime: 1000000 }, (world) => {
				const first = world.startServer();
				const second = world.startServer();
				const start = first.platform.clock();
				world.wait(90);
				expect(first.platform.clock() - start).to.be.near(90, 1e-6);
				expect(first.platform.time()).to.equal(1000090);
				expect(first.platform.clock() !== second.platform.clock()).to.equal(true);
			});
		});

		it("prior fault: a wall clock may be wrong and step, forwards and back; the monotonic one and the store's do not", () => {
			simulate({ startTime: 1000000 }, (world) => {
				const server = world.startServer({ skew: 3600 });
				const start = server.platform.clock();
				expect(server.platform.time()).to.equal(1003600);
				server.stepClock(-7200);
				expect(server.platform.time()).to.equal(996400);
				world.wait(1);
				expect(server.platform.time()).to.equal(996401);
				expect(server.platform.clock() - start).to.be.near(1, 1e-6);
				const updated = server.run(() => {
					const [, info] = server.platform.dataStores.GetDataStore("Coins").UpdateAsync("k", () => $tuple(1));
					return info!.UpdatedTime / 1000;
				});
				expect(math.abs(updated - 1000001) < 1).to.equal(true);
			});
		});
	});
};
