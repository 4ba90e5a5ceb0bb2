import { play, PlayerGame } from "../driver/playerGame";
import { KEY, lockOf, SETTLE_SECONDS, warned } from "./fleet";

/** What a server of an older build does, or one with handoff off. */
const OLDER = { driver: { handoff: false } };

// Seed "Lock handoff", Mixed-version deploys.
export = () => {
	describe("a lock without Presence", () => {
		it("is never taken through silence, also after a crash: only by age", () => {
			play((older, world) => {
				older.join(7);
				const newer = new PlayerGame(world, { driver: { lockWaitSeconds: 30 } });
				world.wait(SETTLE_SECONDS);
				older.server.crash();
				expect(newer.wait(newer.server.join(7)).success).to.equal(false);
				expect(world.trace.count({ service: "MemoryStore", op: "GetAsync" })).to.equal(0);
				expect(lockOf(older)?.Presence).to.equal(undefined);
				world.wait(245 - world.now());
				newer.join(7);
				expect(warned(newer, "which has not written it for over 240 s")).to.equal(1);
			}, OLDER);
		});

		it("is not protected by presence: a stalling older server loses it by age", () => {
			play((older, world) => {
				const { profile } = older.join(7);
				const newer = new PlayerGame(world);
				older.server.partition("DataStore");
				world.wait(250);
				newer.join(7);
				expect(world.trace.count({ service: "MemoryStore", op: "GetAsync" })).to.equal(0);
				older.server.heal("DataStore");
				older.set(profile, 9);
				older.server.run(() => profile.save());
				expect(profile.active).to.equal(false);
				expect(newer.coins(KEY)).to.equal(0);
			}, OLDER);
		});
	});

	it("a request to an older server is not heard: the join fails closed after 15 s, the session there goes on", () => {
		play((older, world) => {
			const { profile } = older.join(7);
			const newer = new PlayerGame(world);
			world.wait(SETTLE_SECONDS);
			const since = world.now();
			expect(newer.wait(newer.server.join(7)).success).to.equal(false);
			expect(world.now() - since >= 15 && world.now() - since < 16.5).to.equal(true);
			expect(world.trace.count({ op: "PublishAsync", server: newer.server.name, since })).to.equal(4);
			expect(profile.active).to.equal(true);
			expect(older.server.kicks.size()).to.equal(0);
		}, OLDER);
	});

	it("an older server takes no young lock of a newer one, and hands over by release", () => {
		play((older, world) => {
			const newer = new PlayerGame(world);
			const { player, profile } = newer.join(7);
			newer.set(profile, 5);
			const since = world.now();
			expect(older.wait(older.server.join(7)).success).to.equal(false);
			expect(world.now() - since >= 15).to.equal(true);
			expect(profile.active).to.equal(true);
			newer.server.leave(player);
			world.wait(1);
			expect(older.join(7).profile.data.coins).to.equal(5);
			expect(lockOf(older)?.Presence).to.equal(undefined);
		}, OLDER);
	});

	it("old and new run side by side: a player hops between them eight times and loses nothing", () => {
		play((older, world) => {
			const newer = new PlayerGame(world);
			for (let hop = 1; hop <= 8; hop += 1) {
				const host = hop % 2 === 0 ? older : newer;
				const { player, profile } = host.join(7);
				expect(profile.data.coins).to.equal(hop - 1);
				host.set(profile, hop);
				expect(lockOf(host)?.Presence).to.equal(hop % 2 === 0 ? undefined : true);
				host.server.leave(player);
			}
			older.waitUntilFree(KEY);
			for (const each of [older, newer]) expect(each.server.kicks.size()).to.equal(0);
		}, OLDER);
	});

	it("an older server that takes a lock over leaves no Presence of the one before on it", () => {
		play((older, world) => {
			const newer = new PlayerGame(world);
			newer.join(7);
			newer.server.crash();
			world.wait(245);
			older.join(7);
			expect(lockOf(older)?.JobId).to.equal(older.server.jobId);
			expect(lockOf(older)?.Presence).to.equal(undefined);
		}, OLDER);
	});
};
