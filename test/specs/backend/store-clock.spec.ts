import { dataStoreBackend } from "../../../src/backend/dataStore";
import { StoreClock } from "../../../src/backend/storeClock";
import { LatencyProfileName } from "../../cloud/latency";
import { simulate } from "../../cloud/simulate";
import { increment } from "./backends";

export = () => {
	it("has no figure before the first answered write", () => {
		const clock = new StoreClock(() => 5);
		expect(clock.now()).to.equal(undefined);
		clock.observe(undefined);
		expect(clock.now()).to.equal(undefined);
	});

	it("goes on from the last answered write on the server's own clock", () => {
		let at = 100;
		const clock = new StoreClock(() => at);
		clock.observe(5000);
		at = 130;
		expect(clock.now()).to.equal(5030);
		clock.observe(5029);
		expect(clock.now()).to.equal(5029);
	});

	it("is never ahead of the store, nor far behind, whatever the wall clock says (I16)", () => {
		for (const profile of ["fast", "live"] as Array<LatencyProfileName>) {
			simulate({ seed: 3, profile }, (world) => {
				const server = world.startServer({ skew: 3600 });
				const backend = dataStoreBackend({ platform: server.platform, store: "Players" });
				const clock = new StoreClock(server.platform.clock);
				for (let round = 0; round < 20; round++) {
					server.run(() => clock.observe(backend.update(`k${round}`, increment).unwrap().updatedTime));
					world.wait(round * 3);
					server.stepClock(-500);
					const behind = world.cloudTime() - clock.now()!;
					if (behind < 0) error(`ahead of the store by ${-behind} s`);
					if (behind > 1) error(`behind the store by ${behind} s`);
				}
			});
		}
	});
};
