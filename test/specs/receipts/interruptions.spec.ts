import { OpenProfile } from "../../../src/driver/openProfile";
import { Result } from "../../../src/result";
import { Fault } from "../../cloud/faults";
import { ShutdownOrder } from "../../cloud/server";
import { World } from "../../cloud/world";
import { Coins } from "../driver/playerGame";
import { Asked, KEY, openShop, PACK, receiptOf, SETTLE_SECONDS, Shop, START } from "./shop";

/** What the record must hold however it went: the purchase, once. */
function expectOnce(shop: Shop, what: string): void {
	const coins = shop.stored();
	if (coins !== START + PACK) error(`${what}: ${coins} coins are stored, not ${START + PACK}`, 2);
}

/** An answered grant must be stored at that very moment. */
function expectTrue(asked: Asked, shop: Shop, ids: ReadonlyArray<string> | undefined): void {
	const isStamped = ids?.includes("receipt:P1") === true;
	if (asked.answer === "granted" && !isStamped) error(`granted, and not in the record at ${shop.world.now()} s`, 2);
}

/** Roblox asks on; the player hops to a fresh server, where Roblox asks too; then everything is looked at again. */
function goOn(world: World, shop: Shop, player: Player): void {
	if (shop.game.server.alive) shop.game.server.leave(player);
	const fresh = new Shop(world);
	fresh.join();
	fresh.askUntilGranted();
	expectOnce(fresh, "on the next server");
	// Whatever is still on its way lands by then.
	world.wait(120);
	const last = new Shop(world);
	last.join();
	last.askUntilGranted();
	last.game.server.shutdown();
	fresh.game.server.shutdown();
	expectOnce(last, "in the end");
}

/** The grant's write, hit; what Roblox hears first is in `first` where it must be that. */
const HITS: ReadonlyArray<readonly [string, ReadonlyArray<Omit<Fault, "service">>, Asked["answer"]?]> = [
	["fails once", [{ effect: "failBefore", count: 1 }], "granted"],
	["fails at every try", [{ effect: "failBefore", count: 5 }], "not yet"],
	["lands, its answer is lost", [{ effect: "loseAnswer", durableOnly: true, count: 1 }], "granted"],
	["lands, every answer is lost", [{ effect: "loseAnswer", count: 5 }]],
	["is throttled", [{ effect: "throttle", count: 2 }], "granted"],
	["never answers", [{ effect: "hang", count: 1 }], "granted"],
	["lands and never answers", [{ effect: "hang", lands: true, durableOnly: true, count: 1 }], "granted"],
	["is run again by the engine", [{ effect: "loseCommit", durableOnly: true, count: 1 }], "granted"],
	["conflicts", [{ effect: "conflict", times: 3, durableOnly: true, count: 1 }], "granted"],
	["lands twice", [{ effect: "duplicate", durableOnly: true, count: 1, seconds: 3 }], "granted"],
	["lands twice, the second time after the hop", [{ effect: "duplicate", durableOnly: true, count: 1, seconds: 40 }]],
	...[0.5, 3, 12, 40, 100].map(
		(seconds) =>
			[`lands ${seconds} s late`, [{ effect: "landLate", durableOnly: true, count: 1, seconds }]] as const,
	),
	...[3, 40].map(
		(seconds) =>
			[
				`lands ${seconds} s late, and so does every further try`,
				[{ effect: "landLate", durableOnly: true, count: 5, seconds }],
			] as const,
	),
];

// `receipts`, every interruption: PurchaseGranted only for what is stored, and in the end granted once.
export = () => {
	describe("the grant's one write", () => {
		for (const [how, faults, first] of HITS) {
			for (const hops of [false, true]) {
				it(`${how}${hops ? ", and the player hops at once" : ""}: granted once`, () => {
					openShop((shop, world, { player }) => {
						for (const fault of faults) shop.fault({ op: "UpdateAsync", ...fault });
						const asked = shop.ask();
						if (!hops) {
							world.waitUntil(() => asked.answer !== undefined, 400);
							expectTrue(asked, shop, shop.game.record(KEY)?.Meta.TransactionIds);
							if (first !== undefined) expect(asked.answer).to.equal(first);
							shop.askUntilGranted();
							expectOnce(shop, "on the first server");
						} else world.wait(0.1);
						goOn(world, shop, player);
						expect(asked.answer).never.to.equal(undefined);
					});
				});
			}
		}
	});

	describe("its server crashes", () => {
		for (const effect of ["crashBefore", "crashAfter"] as const) {
			it(`right ${effect === "crashBefore" ? "before" : "after"} the write lands: granted once, on the next server`, () => {
				openShop((shop, world, { player }) => {
					shop.fault({ durableOnly: true, effect });
					const asked = shop.ask();
					world.waitUntil(() => !shop.game.server.alive);
					expect(asked.answer).to.equal(undefined);
					expect(shop.stored()).to.equal(effect === "crashAfter" ? START + PACK : START);
					goOn(world, shop, player);
				});
			});
		}

		for (let step = 1; step <= 12; step++) {
			it(`before its ${step}. step from the question on: granted once`, () => {
				openShop((shop, world, { player }) => {
					shop.game.server.crashAtStep(step);
					shop.ask();
					world.wait(2);
					if (shop.game.server.alive) shop.game.server.crash();
					goOn(world, shop, player);
				});
			});
		}
	});

	describe("its server closes while the write is on its way", () => {
		for (const order of [
			"removingFirst",
			"closeFirst",
			"closeOnly",
			"interleaved",
		] as ReadonlyArray<ShutdownOrder>) {
			for (const effect of ["loseAnswer", "failBefore", "landLate", "delay"] as const) {
				it(`${order}, ${effect}: granted once`, () => {
					openShop((shop, world, { player }) => {
						shop.fault({ op: "UpdateAsync", effect, count: 2, seconds: 12 });
						const asked = shop.ask();
						world.wait(0.05);
						shop.game.server.shutdown({ order });
						expectTrue(asked, shop, shop.game.record(KEY)?.Meta.TransactionIds);
						goOn(world, shop, player);
					});
				});
			}
		}
	});

	describe("two servers are asked", () => {
		for (const apart of [0, 0.2, 0.5, 1, 3]) {
			it(`while the player hops from one to the other, ${apart} s apart: granted once`, () => {
				openShop((shop, world, { player }) => {
					const other = new Shop(world);
					world.wait(SETTLE_SECONDS);
					const first = shop.ask();
					world.wait(apart);
					const joined = other.game.server.join(7);
					const second = other.ask();
					world.wait(0.1);
					shop.game.server.leave(player);
					world.waitUntil(() => first.answer !== undefined && second.answer !== undefined, 400);
					expect(other.game.wait(joined).success).to.equal(true);
					expect(second.answer).to.equal("granted");
					expectOnce(other, "after both");
					goOn(world, other, joined);
				});
			});
		}

		it("ten times each, while a rejoin goes to and fro: granted once", () => {
			openShop((shop, world, { player }) => {
				const other = new Shop(world);
				world.wait(SETTLE_SECONDS);
				let here = player;
				const asked = new Array<Asked>();
				for (let time = 0; time < 10; time++) {
					const [from, to] = time % 2 === 0 ? [shop, other] : [other, shop];
					asked.push(from.ask(), to.ask());
					const arriving = to.game.server.join(7);
					asked.push(to.ask());
					world.wait(0.3);
					from.game.server.leave(here);
					expect(to.game.wait(arriving).success).to.equal(true);
					here = arriving;
				}
				world.waitUntil(() => asked.every(({ answer }) => answer !== undefined), 400);
				shop.askUntilGranted();
				expectOnce(shop, "after ten hops");
			});
		});

		it("the first one's lock is taken while its write is late: one of them has granted it, and both answers are true", () => {
			for (const effect of ["failBefore", "loseAnswer", "landLate"] as const) {
				openShop((shop, world, { player, profile: opened }) => {
					const profile = opened as OpenProfile<Coins>;
					// What the first server has unsaved goes with its write, or is lost with the lock: never said to be stored.
					shop.game.set(profile, START + 1);
					shop.fault({
						op: "UpdateAsync",
						effect,
						durableOnly: effect !== "failBefore",
						count: 1,
						seconds: 60,
					});
					let saved: Result<undefined> | undefined;
					const asked = shop.ask();
					// Asked at the very moment of the answer, before anything else of the server comes upon the lost lock.
					shop.game.server.spawn(() => {
						profile.hold()!.wait();
						saved = profile.save();
					});
					world.wait(0.2);
					shop.game.server.pause();
					const other = new Shop(world);
					const { player: back } = other.join();
					other.askUntilGranted();
					expect(other.stored()).to.equal(effect === "loseAnswer" ? START + 1 + PACK : START + PACK);
					shop.game.server.resume();
					world.waitUntil(() => asked.answer !== undefined, 400);
					// Granted it is, whoever did it; but its own session is over, and says so.
					expect(asked.answer).to.equal("granted");
					expect(saved!.success).to.equal(false);
					expect(profile.active).to.equal(false);
					world.wait(70);
					other.askUntilGranted(receiptOf());
					expect(other.stored()).to.equal(effect === "loseAnswer" ? START + 1 + PACK : START + PACK);
					shop.game.server.leave(player);
					other.game.server.leave(back);
				});
			}
		});
	});
};
