import { DataDriver } from "../../../src/driver/dataDriver";
import { trade } from "../../../src/trade/trade";
import { simulate } from "../../cloud/simulate";

// What the random search has found (test/simulation), by hand.
export = () => {
	for (const key of ["a", "b"]) {
		it(`I12: an update of ${key} while a trade waits for a save of the other comes after the trade, and is kept`, () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer();
				const driver = server.run(
					() => new DataDriver({ name: "Vault", defaults: { coins: 10 }, platform: server.platform }),
				);
				const [a, b] = server.run(() => ["a", "b"].map((each) => driver.load(each).unwrap()));
				const [one, other] = key === "a" ? [a, b] : [b, a];
				const slow = {
					service: "DataStore",
					op: "UpdateAsync",
					key: other.key,
					effect: "delay",
					seconds: 3,
				} as const;
				world.faults.add({ ...slow, count: 1 });
				server.run(() => other.update(({ coins }) => ({ coins: coins + 100 }))).unwrap();
				server.spawn(() => other.save().unwrap());
				let isTraded = false;
				server.spawn(() => {
					trade(a, b, (dataA, dataB) => [{ coins: dataA.coins - 1 }, { coins: dataB.coins + 1 }]).unwrap();
					isTraded = true;
				});
				world.wait(1);
				server.spawn(() => one.update(({ coins }) => ({ coins: coins + 1000 })).unwrap());
				world.waitUntil(() => isTraded);
				server.run(() => driver.close()).unwrap();
				const coins = (each: string) =>
					(world.store("Vault").get(each) as { Data: { coins: number } }).Data.coins;
				expect(coins("a") + coins("b")).to.equal(20 + 100 + 1000);
				expect(coins(one.key)).to.equal(one === a ? 1009 : 1011);
			});
		});
	}
};
