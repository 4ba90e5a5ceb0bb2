import { LockWrites } from "../../../src/driver/lockWrites";
import { trade } from "../../../src/trade/trade";
import { transaction } from "../../../src/transaction/transaction";
import { Profile } from "../../../src/driver/profile";
import { World } from "../../cloud/world";
import { Coins, play, PlayerGame } from "./playerGame";

const KEY = "Player_7";

/**
 * What a profile hears when its write for a trade or transaction landed without an answer, its server stood still, and
 * another server took the lock meanwhile, which has `coins` then.
 */
function heardAfter(coins: number, begin: (profile: Profile<Coins>, other: Profile<Coins>) => void): string {
	let heard = "";
	play((lobby: PlayerGame, world: World) => {
		const [{ profile }, eight] = [lobby.join(7), lobby.join(8)];
		const elsewhere = new PlayerGame(world);
		// Both servers have proved that they beat.
		world.wait(40);
		lobby.set(profile, 5);
		profile.onLockLost.connect((cause) => (heard = cause.message));
		const cut = world.faults.add({
			service: "DataStore",
			op: "UpdateAsync",
			key: KEY,
			effect: "loseAnswer",
			count: 1,
		});
		lobby.server.spawn(() => begin(profile, eight.profile));
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
			writes.noteAnswered(writes.next({ ...wish, kind: "touch", data: NEW, isBlocked: true }));
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
