import { Coins, expectText, failureOf, lockedRecord, play, PlayerGame, STORE } from "./playerGame";
import { World } from "../../cloud/world";

interface Heard {
	readonly name: string;
	readonly value: number;
	readonly tags: Readonly<Record<string, string>>;
}

/** Plays with every figure written down. */
function measured(body: (lobby: PlayerGame, world: World, heard: (name: string) => Array<Heard>) => void): void {
	const all = new Array<Heard>();
	play((lobby, world) => body(lobby, world, (name) => all.filter((each) => each.name === name)), {
		driver: {
			onMetric: (name, value, tags) => {
				all.push({ name, value, tags });
			},
			check: (value) => (value as Coins).coins >= 0,
		},
	});
}

const KEY = "Player_7";

export = () => {
	describe("onMetric hears join waits, saves, failures, retries, lock changes", () => {
		it("join waits, with how they ended, tagged with the store", () => {
			measured((lobby, world, heard) => {
				lobby.join(7);
				world.store(STORE).set("Player_8", lockedRecord(1));
				failureOf(lobby.wait(lobby.server.join(8)));
				const [quick, long] = heard("join.seconds");
				expect(quick.tags.outcome).to.equal("joined");
				expect(quick.tags.store).to.equal(STORE);
				expect(quick.value > 0 && quick.value < 0.2).to.equal(true);
				expect(long.tags.outcome).to.equal("profile_locked");
				expect(math.abs(long.value - 15) < 0.5).to.equal(true);
				expect(heard("load.retried").size() >= 7).to.equal(true);
				expect(heard("load.retried")[0].tags.type).to.equal("profile_locked");
			});
		});

		it("saves with their seconds, failed tries, and failing once in a row", () => {
			measured((lobby, world, heard) => {
				const { player, profile } = lobby.join(7);
				lobby.set(profile, 5);
				lobby.server.run(() => profile.save()).unwrap();
				expect(heard("save.seconds").size()).to.equal(1);
				expect(heard("save.seconds")[0].tags.kind).to.equal("save");
				const outage = world.faults.add({ service: "DataStore", effect: "failBefore" });
				lobby.set(profile, 6);
				failureOf(lobby.server.run(() => profile.save()));
				expect(heard("save.failed").size()).to.equal(5);
				expect(heard("save.failing").size()).to.equal(1);
				outage.remove();
				lobby.server.leave(player);
				lobby.waitUntilFree(KEY);
				expect(heard("save.failing").size()).to.equal(1);
				const saves = heard("save.seconds");
				expect(saves[saves.size() - 1].tags.kind).to.equal("release");
			});
		});

		it("locks acquired, released, lost and taken", () => {
			measured((lobby, world, heard) => {
				const { player } = lobby.join(7);
				expect(heard("lock.acquired").size()).to.equal(1);
				lobby.server.leave(player);
				lobby.waitUntilFree(KEY);
				world.wait(0.1);
				expect(heard("lock.released").size()).to.equal(1);
				const { profile } = lobby.join(8);
				world.store(STORE).set("Player_8", lockedRecord(1));
				lobby.set(profile, 3);
				failureOf(lobby.server.run(() => profile.save()));
				expect(heard("lock.lost").size()).to.equal(1);
				world.wait(250);
				lobby.join(8);
				expect(heard("lock.taken").size()).to.equal(1);
				expect(heard("lock.taken")[0].tags.verdict).to.equal("stale");
			});
		});
	});

	describe("a handler that throws or yields changes nothing", () => {
		for (const [what, onMetric] of [
			["throws", () => error("spec: the handler is broken")],
			["yields", () => coroutine.yield()],
		] as ReadonlyArray<[string, () => void]>) {
			it(`one that ${what}: told once, everything goes on`, () => {
				play(
					(lobby, world) => {
						const { player, profile } = lobby.join(7);
						lobby.set(profile, 5);
						lobby.server.run(() => profile.save()).unwrap();
						lobby.server.leave(player);
						lobby.waitUntilFree(KEY);
						world.wait(1);
						lobby.join(7);
						expect(lobby.coins(KEY)).to.equal(5);
						expect(lobby.server.warnings.size()).to.equal(1);
						expectText(lobby.server.warnings[0], "onMetric", STORE);
					},
					{ driver: { onMetric } },
				);
			});
		}
	});
};
