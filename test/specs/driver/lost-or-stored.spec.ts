import { LockWrites } from "../../../src/driver/lockWrites";
import { trade } from "../../../src/trade/trade";
import { transaction } from "../../../src/transaction/transaction";
import { Profile } from "../../../src/driver/profile";
import { Answer, Transform } from "../../../src/backend/backend";
import { BackendFactory } from "../../../src/backend/factory";
import { memoryBackend } from "../../../src/backend/memory";
import { ok, Result } from "../../../src/result";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { driverOn, loadOn } from "./drivers";
import { Coins, failureOf, play, PlayerGame } from "./playerGame";

const KEY = "Player_7";

/** Two players of one server, the first with 5 unsaved coins, and another server; both have proved that they beat. */
function twoServers(lobby: PlayerGame, onLost: (heard: string) => void) {
	const [{ profile }, eight] = [lobby.join(7), lobby.join(8)];
	const elsewhere = new PlayerGame(lobby.world);
	lobby.world.wait(40);
	lobby.set(profile, 5);
	profile.onLockLost.connect((cause) => onLost(cause.message));
	return { profile, other: eight.profile, elsewhere };
}

/**
 * What a profile hears when its write for a trade or transaction landed without an answer, its server stood still, and
 * another server took the lock meanwhile, which has `coins` then.
 */
function heardAfter(coins: number, begin: (profile: Profile<Coins>, other: Profile<Coins>) => void): string {
	let heard = "";
	play((lobby: PlayerGame, world: World) => {
		const { profile, other, elsewhere } = twoServers(lobby, (text) => (heard = text));
		const cut = world.faults.add({
			service: "DataStore",
			op: "UpdateAsync",
			key: KEY,
			effect: "loseAnswer",
			count: 1,
		});
		lobby.server.spawn(() => begin(profile, other));
		world.waitUntil(() => cut.hits === 1, 5);
		world.wait(0.2);
		lobby.server.pause();
		world.wait(5);
		const found = elsewhere.join(7).profile.data.coins;
		if (found !== coins) error(`the other server found ${found} coins, not ${coins}`, 0);
		lobby.server.resume();
		world.wait(30);
	});
	return heard;
}

function says(text: string, part: string): boolean {
	return text.find(part, 1, true)[0] !== undefined;
}

// Nothing is called lost that is stored, or may be: protocol 1.2 (an unanswered write is unknown) and 5.7 (answers are true).
export = () => {
	it("the single write of a transaction that landed unanswered: the changes are called stored", () => {
		const heard = heardAfter(50, (profile) =>
			transaction([profile], (ctx) => ctx.set(profile, { ...ctx.get(profile), coins: 50 })),
		);
		expect(says(heard, "lost its session lock")).to.equal(true);
		expect(says(heard, "nothing is lost")).to.equal(true);
	});

	it("a trade that has written one side, whose closing server stands still before the other: that side is called stored", () => {
		let heard = "";
		play((lobby: PlayerGame, world: World) => {
			const { profile, other, elsewhere } = twoServers(lobby, (text) => (heard = text));
			// The prepare goes through, the write that settles does not, and its next try is under way for long.
			const call = { service: "DataStore", op: "UpdateAsync", key: "Player_8" } as const;
			const cut = world.faults.add({ ...call, nth: 2, count: 1, effect: "failBefore" });
			world.faults.add({ ...call, nth: 3, effect: "delay", seconds: 3 });
			lobby.server.spawn(() => trade(profile, other, (a, b) => [{ coins: a.coins - 1 }, { coins: b.coins + 1 }]));
			world.waitUntil(() => cut.hits > 0 && lobby.coins(KEY) === 4, 5);
			const closedAt = world.now();
			coroutine.wrap(() => lobby.server.shutdown())();
			world.wait(0.02);
			lobby.server.pause();
			expect(elsewhere.join(7).profile.data.coins).to.equal(4);
			// Longer than a closing server waits for a trade, and not as long as it lives.
			world.wait(closedAt + 24 - world.now());
			lobby.server.resume();
			world.wait(30);
		});
		expect(says(heard, "lost its session lock")).to.equal(true);
		expect(says(heard, "nothing is lost")).to.equal(true);
	});

	for (const kind of ["save", "release"] as const) {
		it(`a ${kind} that the store made, and ran again once others had the record: it may be stored`, () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer();
				// The engine misses its own commit: the transform's last run finds what others wrote since.
				let again = false;
				const backend: BackendFactory = (context) => {
					const inner = memoryBackend()(context);
					return {
						name: inner.name,
						hasStoreTime: inner.hasStoreTime,
						update<R>(key: string, transform: Transform<R>): Result<Answer<R>> {
							const answer = inner.update(key, transform);
							if (!again || !answer.success) return answer;
							const lock = { JobId: "other", Token: "t2", Turn: 9, Seq: 0, Time: 0 };
							const taken = { Data: { coins: 5 }, Lock: lock, Meta: { Turn: 9, Migrations: [] } };
							const { report } = transform(taken, undefined);
							return ok({ report, wrote: false, mayHaveWritten: true });
						},
						read(key, fresh) {
							return inner.read(key, fresh);
						},
					};
				};
				const driver = driverOn<Coins>(server, { defaults: { coins: 0 }, backend });
				const profile = loadOn(server, driver, "k").unwrap();
				let heard = "";
				profile.onLockLost.connect((cause) => (heard = cause.message));
				server.run(() => profile.update(() => ({ coins: 5 }))).unwrap();
				again = true;
				const answer = failureOf(server.run(() => profile[kind]()));
				expect(answer.type).to.equal(kind === "save" ? "lock_lost" : "unknown_outcome");
				expect(says(heard, "stored if")).to.equal(true);
			});
		});
	}

	it("the prepare of a trade that landed unanswered, with changes from before it: they are called unknown", () => {
		const heard = heardAfter(5, (profile, other) => trade(profile, other, (a, b) => [b, a]));
		expect(says(heard, "lost its session lock")).to.equal(true);
		expect(says(heard, "stored if it landed")).to.equal(true);
	});

	describe("a save that was not answered, and an answered renewal of the lock alone after it", () => {
		const OLD = { coins: 1 };
		const NEW = { coins: 2 };
		const wish = { presence: undefined, decided: [], isBlocked: false };

		function renewed(): LockWrites<Coins> {
			const platform = { clock: () => 0, http: { GenerateGUID: () => "t2" } as never };
			const writes = new LockWrites<Coins>(platform, "s1", { token: "t1", turn: 1, seq: 0 }, OLD);
			writes.next({ ...wish, kind: "save", data: NEW });
			writes.noteUnanswered();
			writes.noteAnswered(writes.next({ ...wish, kind: "touch", data: NEW, isBlocked: true }).presence);
			return writes;
		}

		it("its changes are called unknown, not lost", () => {
			expect(renewed().lastChanges(NEW)).to.equal("unsure");
		});

		it("data that went back to those from before it are to be saved again", () => {
			expect(renewed().isUnsaved(OLD)).to.equal(true);
		});
	});
};
