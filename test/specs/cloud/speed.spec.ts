import { simulate } from "../../cloud/simulate";

interface Saved {
	readonly Data: { coins: number; pets: Array<{ name: string; level: number }> };
	readonly Seq: number;
}

export = () => {
	describe("speed: an hour of one server", () => {
		it("with 100 players joining, playing, autosaving every 60 s and leaving, well within the time limit", () => {
			const world = simulate({ profile: "live" }, (running) => {
				const server = running.startServer();
				const { task, players, dataStores } = server.platform;
				players.PlayerAdded.Connect((player) => {
					const store = dataStores.GetDataStore("Players");
					const key = `Player_${player.UserId}`;
					const pets = new Array<{ name: string; level: number }>();
					for (let index = 0; index < 10; index++) pets.push({ name: `Pet ${index}`, level: index });
					let seq = 0;
					const save = (): void => {
						seq += 1;
						store.UpdateAsync(key, (old) => {
							const coins = ((old as Saved | undefined)?.Data.coins ?? 0) + 1;
							return $tuple({ Data: { coins, pets }, Seq: seq }, [player.UserId]);
						});
					};
					store.GetAsync(key);
					while (player.Parent !== undefined) {
						save();
						task.wait(60);
					}
				});
				for (let userId = 1; userId <= 100; userId++) {
					server.join(userId);
					running.wait(0.5);
				}
				running.wait(3540 - running.now());
				for (const player of server.players()) server.leave(player);
				running.wait(60);
			});
			expect(world.now()).to.equal(3600);
			expect(world.trace.durableWrites() > 5800).to.equal(true);
			expect(world.trace.count({ outcome: "failed" })).to.equal(0);
		});
	});
};
