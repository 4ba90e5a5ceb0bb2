import { play, PlayerGame } from "../driver/playerGame";
import { settledPair } from "./fleet";

// Seed "Lock handoff", Cost per server.
export = () => {
	it("a server subscribes once and writes to MemoryStore every 3 s, whatever the number of drivers and players", () => {
		for (const drivers of [1, 4]) {
			play((lobby, world) => {
				for (let number = 2; number <= drivers; number += 1) {
					lobby.server.run(() => lobby.newDriver({ name: `Driver${number}` }).attach());
				}
				for (let user = 1; user <= 6; user += 1) lobby.join(user);
				world.wait(61 - world.now());
				expect(world.trace.count({ service: "Messaging" })).to.equal(1);
				expect(world.trace.count({ service: "Messaging", op: "SubscribeAsync" })).to.equal(1);
				expect(world.trace.count({ service: "MemoryStore" })).to.equal(21);
				expect(world.trace.count({ service: "MemoryStore", op: "SetAsync" })).to.equal(21);
			});
		}
	});

	it("messages and presence reads are made only while a load waits for another server's lock", () => {
		play((_, world) => {
			const name = { driver: { name: "Pair" } };
			const [first, second] = settledPair(world, name, name);
			const { player } = first.join(7);
			second.join(8);
			first.server.leave(player);
			world.wait(5);
			second.join(7);
			world.wait(60);
			// Joins of free keys, saves and releases ask nobody.
			expect(world.trace.count({ op: "GetAsync", service: "MemoryStore" })).to.equal(0);
			expect(world.trace.count({ op: "PublishAsync" })).to.equal(0);
			first.join(7);
			const ends = world.now();
			world.wait(1);
			expect(world.trace.count({ op: "PublishAsync" })).to.equal(2);
			const reads = world.trace.count({ op: "GetAsync", service: "MemoryStore" });
			expect(reads >= 1 && reads <= 3).to.equal(true);
			world.wait(60);
			expect(world.trace.count({ op: "GetAsync", service: "MemoryStore", since: ends })).to.equal(0);
		});
	});

	it("a load that waits its 15 s out asks every 4 s and reads twice a try at most", () => {
		play((lobby, world) => {
			const other = new PlayerGame(world);
			lobby.join(7);
			world.wait(20);
			lobby.server.partition("Messaging");
			const since = world.now();
			expect(other.wait(other.server.join(7)).success).to.equal(false);
			expect(world.trace.count({ op: "PublishAsync", since })).to.equal(4);
			const tries = world.trace.count({ op: "UpdateAsync", server: other.server.name, since });
			expect(tries >= 8 && tries <= 12).to.equal(true);
			expect(world.trace.count({ service: "MemoryStore", op: "GetAsync", since }) <= 2 * tries).to.equal(true);
		});
	});

	it("a manual load of a locked key asks nobody", () => {
		play((lobby, world) => {
			const other = new PlayerGame(world);
			lobby.join(7);
			world.wait(20);
			const since = world.now();
			expect(other.server.run(() => other.driver.load("Player_7")).success).to.equal(false);
			world.wait(1);
			expect(world.trace.count({ op: "PublishAsync", since })).to.equal(0);
			expect(world.trace.count({ service: "MemoryStore", op: "GetAsync", since })).to.equal(0);
		});
	});
};
