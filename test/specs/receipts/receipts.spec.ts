import { OpenProfile } from "../../../src/driver/openProfile";
import { receipts } from "../../../src/receipts/receipts";
import { trade } from "../../../src/trade/trade";
import { simulate } from "../../cloud/simulate";
import { Coins, expectText, PlayerGame, thrownBy } from "../driver/playerGame";
import { KEY, openShop, PACK, PRODUCT, receiptOf, Shop, START, USER } from "./shop";

function expectWarned(shop: Shop, ...parts: Array<string>): void {
	const { warnings } = shop.game.server;
	expectText(warnings[warnings.size() - 1] ?? "no warning", ...parts);
}

// `receipts`: PurchaseGranted only for what is stored, every purchase granted exactly once.
export = () => {
	describe("a purchase that is granted", () => {
		it("is one write that holds the data and the purchase's id, together with what was unsaved", () => {
			openShop((shop, world, { profile }) => {
				shop.game.set(profile, 30);
				const since = world.now();
				expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(30 + PACK);
				expect(profile.data.coins).to.equal(30 + PACK);
				const ids = shop.game.record(KEY)!.Meta.TransactionIds!;
				expect(ids.join()).to.equal("receipt:P1");
				expect(shop.writes(since)).to.equal(1);
			});
		});

		it("is granted once however often Roblox asks, one after the other, with one write in all", () => {
			openShop((shop, world) => {
				const since = world.now();
				for (let time = 0; time < 10; time++) expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(START + PACK);
				expect(shop.writes(since)).to.equal(1);
			});
		});

		it("is granted once however often Roblox asks at the same time", () => {
			openShop((shop, world) => {
				const since = world.now();
				const asked = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(() => shop.ask());
				world.waitUntil(() => asked.every(({ answer }) => answer !== undefined));
				expect(asked.every(({ answer }) => answer === "granted")).to.equal(true);
				expect(shop.stored()).to.equal(START + PACK);
				expect(shop.writes(since)).to.equal(1);
			});
		});

		it("is told apart from other purchases of the same product, asked at the same time", () => {
			openShop((shop, world) => {
				const asked = ["P1", "P2", "P3", "P1", "P2", "P3"].map((purchase) => shop.ask(receiptOf(purchase)));
				world.waitUntil(() => asked.every(({ answer }) => answer !== undefined));
				expect(asked.every(({ answer }) => answer === "granted")).to.equal(true);
				expect(shop.stored()).to.equal(START + 3 * PACK);
			});
		});

		it("is stamped even where the handler changes nothing, so that it can give nothing later", () => {
			let owns = true;
			openShop(
				(shop, world) => {
					const since = world.now();
					expect(shop.answer()).to.equal("granted");
					expect(shop.writes(since)).to.equal(1);
					owns = false;
					expect(shop.answer()).to.equal("granted");
					expect(shop.stored()).to.equal(START);
				},
				{ [PRODUCT]: (data) => (owns ? data : { ...data, coins: data.coins + PACK }) },
			);
		});

		it("gives the handler the receipt and frozen data", () => {
			let seen: string | undefined;
			openShop(
				(shop) => {
					expect(shop.answer(receiptOf("P9"))).to.equal("granted");
					expect(seen).to.equal("P9 10 frozen");
				},
				{
					[PRODUCT]: (data, receipt) => {
						const state = table.isfrozen(data as never) ? "frozen" : "open";
						seen = `${receipt.PurchaseId} ${receipt.CurrencySpent} ${state}`;
						return data;
					},
				},
			);
		});

		it("fires onChanged, and is the base of the next update", () => {
			openShop((shop, world, { profile }) => {
				const changes = new Array<number>();
				profile.onChanged.connect((data) => changes.push(data.coins));
				const asked = shop.ask();
				const updated = shop.game.server.run(() => profile.update((data) => ({ coins: data.coins + 1 })));
				expect(updated.success).to.equal(true);
				world.waitUntil(() => asked.answer !== undefined);
				expect(changes.join()).to.equal(`${START + PACK}, ${START + PACK + 1}`);
			});
		});
	});

	describe("the buyer's profile", () => {
		it("is waited for while it loads", () => {
			simulate({ seed: 1 }, (world) => {
				const shop = new Shop(world);
				world.faults.add({ service: "DataStore", key: KEY, effect: "delay", seconds: 8, count: 1 });
				shop.game.server.join(USER);
				const asked = shop.ask();
				world.wait(5);
				expect(asked.answer).to.equal(undefined);
				world.waitUntil(() => asked.answer !== undefined);
				expect(asked.answer).to.equal("granted");
				expect(shop.stored()).to.equal(PACK);
			});
		});

		it("is waited for 30 s at most", () => {
			simulate({ seed: 1 }, (world) => {
				const shop = new Shop(world, { driver: { lockWaitSeconds: 300 } });
				world.faults.add({ service: "DataStore", key: KEY, effect: "failBefore" });
				const since = world.now();
				shop.game.server.join(USER);
				const asked = shop.ask();
				world.waitUntil(() => asked.answer !== undefined);
				expect(asked.answer).to.equal("not yet");
				expect(math.abs(asked.at! - since - 30) < 0.2).to.equal(true);
				expectWarned(shop, "was not loaded within 30 s", "P1");
			});
		});

		it("cannot be loaded: not granted, nothing written", () => {
			simulate({ seed: 1 }, (world) => {
				const shop = new Shop(world);
				world.store("PlayerData").set(KEY, "no record");
				shop.game.server.join(USER);
				expect(shop.answer()).to.equal("not yet");
				expect(world.store("PlayerData").get(KEY)).to.equal("no record");
			});
		});

		it("is not here, never was or no more: not granted, and nobody is warned", () => {
			openShop((shop, world, { player }) => {
				expect(shop.answer(receiptOf("P1", { PlayerId: 8 }))).to.equal("not yet");
				shop.game.server.leave(player);
				expect(shop.answer()).to.equal("not yet");
				shop.game.waitUntilFree(KEY);
				expect(shop.answer()).to.equal("not yet");
				expect(shop.stored()).to.equal(START);
				expect(shop.game.server.warnings.size()).to.equal(0);
				world.wait(1);
			});
		});

		it("is released for a teleport: not granted; taken back: granted", () => {
			openShop((shop, _, { player, profile }) => {
				shop.game.server.run(() => shop.game.driver.releaseForTeleport(player)).unwrap();
				expect(shop.answer()).to.equal("not yet");
				expect(shop.stored()).to.equal(START);
				shop.game.server.run(() => profile.reacquire()).unwrap();
				expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(START + PACK);
			});
		});

		it("goes on with a rejoin on the same server: the newest Player instance counts", () => {
			openShop((shop, world) => {
				const again = shop.game.server.join(USER);
				expect(shop.game.wait(again).success).to.equal(true);
				expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(START + PACK);
				world.wait(1);
			});
		});

		it("is still loading for an older Player instance when the user rejoins: the newest one is waited for", () => {
			simulate({ seed: 1 }, (world) => {
				const shop = new Shop(world);
				world.faults.add({ service: "DataStore", key: KEY, effect: "delay", seconds: 4, count: 1 });
				shop.game.server.join(USER);
				world.wait(1);
				shop.game.server.join(USER);
				expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(PACK);
			});
		});

		it("is in a trade: granted after it, on the data that the trade leaves", () => {
			openShop((shop, world, { profile }) => {
				const other = shop.game.join(8).profile;
				shop.game.server.spawn(() =>
					trade(profile, other, (a, b) => [{ coins: a.coins - 5 }, { coins: b.coins + 5 }]),
				);
				expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(START - 5 + PACK);
				expect(shop.game.coins("Player_8")).to.equal(5);
				expect(shop.game.record(KEY)!.Meta.TransactionIds!.size()).to.equal(2);
				world.wait(1);
			});
		});

		it("is in a trade that lasts: not granted after 30 s; granted when it is over", () => {
			openShop((shop, world, { profile }) => {
				const open = profile as OpenProfile<Coins>;
				open.takeHold();
				const since = world.now();
				const asked = shop.ask();
				world.waitUntil(() => asked.answer !== undefined, 60);
				expect(asked.answer).to.equal("not yet");
				expect(math.abs(asked.at! - since - 30) < 0.2).to.equal(true);
				open.letGo();
				expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(START + PACK);
			});
		});

		it("is being saved: granted after that, so that neither write passes the other", () => {
			openShop((shop, world, { profile }) => {
				shop.fault({ op: "UpdateAsync", effect: "delay", seconds: 5, count: 1 });
				shop.game.set(profile, 30);
				shop.game.server.spawn(() => profile.save());
				const since = world.now();
				const asked = shop.ask();
				world.wait(4);
				expect(asked.answer).to.equal(undefined);
				world.waitUntil(() => asked.answer !== undefined);
				expect(asked.answer).to.equal("granted");
				expect(shop.stored()).to.equal(30 + PACK);
				expect(shop.writes(since)).to.equal(2);
			});
		});

		it("is blocked by a trade whose outcome is open: not granted; after the next load, granted once", () => {
			openShop((shop, world, { profile }) => {
				const other = shop.game.join(8).profile;
				// From the decision on.
				const outage = world.faults.add({
					service: "DataStore",
					durableOnly: true,
					nth: 4,
					effect: "failBefore",
				});
				const traded = shop.game.server.run(() => trade(profile, other, (a, b) => [{ coins: a.coins }, b]));
				expect(traded.success).to.equal(false);
				expect(shop.answer()).to.equal("not yet");
				outage.remove();
				shop.game.waitUntilFree(KEY, 200);
				const fresh = new Shop(world);
				fresh.join();
				expect(fresh.answer()).to.equal("granted");
				expect(fresh.stored()).to.equal(START + PACK);
			});
		});

		it("belongs to a server that closes: stored and granted before the lock is given up", () => {
			openShop((shop) => {
				const asked = shop.ask();
				shop.game.server.shutdown();
				expect(asked.answer).to.equal("granted");
				expect(shop.stored()).to.equal(START + PACK);
				expect(shop.game.record(KEY)!.Lock).to.equal(undefined);
			});
		});
	});

	describe("a handler", () => {
		const failing: ReadonlyArray<readonly [string, (data: Coins) => Coins, string]> = [
			["throws", () => error("no such sword"), "no such sword"],
			[
				"yields",
				(data) => {
					coroutine.yield();
					return data;
				},
				"yielded",
			],
			["returns what cannot be stored", () => ({ coins: 0 / 0 }), "data refused"],
			["returns nothing", () => undefined as unknown as Coins, "data refused"],
		];
		for (const [what, handler, why] of failing) {
			it(`that ${what}: not granted, nothing changed or written, and the profile goes on`, () => {
				let isMended = false;
				openShop(
					(shop, world, { profile }) => {
						const since = world.now();
						expect(shop.answer()).to.equal("not yet");
						expectWarned(shop, "P1", `${PRODUCT}`, why);
						expect(profile.data.coins).to.equal(START);
						expect(shop.writes(since)).to.equal(0);
						isMended = true;
						expect(shop.answer()).to.equal("granted");
						expect(shop.stored()).to.equal(START + PACK);
					},
					{
						[PRODUCT]: (data) => (isMended ? { coins: data.coins + PACK } : handler(data)),
					},
				);
			});
		}

		it("that is missing for a product: not granted, and the product is named", () => {
			openShop((shop) => {
				expect(shop.answer(receiptOf("P1", { ProductId: 502 }))).to.equal("not yet");
				expectWarned(shop, "502");
				expect(shop.stored()).to.equal(START);
			});
		});
	});

	describe("misuse", () => {
		it("of receipts throws, and names what is wrong", () => {
			simulate({ seed: 1 }, (world) => {
				const { driver } = new PlayerGame(world);
				expectText(
					thrownBy(() => receipts(driver, undefined as never)),
					"table of functions",
				);
				expectText(
					thrownBy(() => receipts(driver, { shield: (data: Coins) => data } as never)),
					"shield",
				);
				expectText(
					thrownBy(() => receipts(driver, { [501]: true } as never)),
					"501",
				);
			});
		});

		it("of an id that no record could keep, or before attach: not granted, told, and nothing thrown", () => {
			simulate({ seed: 1 }, (world) => {
				const shop = new Shop(world, { attach: false });
				shop.game.server.join(USER);
				expect(shop.answer()).to.equal("not yet");
				expectWarned(shop, "attach");
				expect(shop.answer(receiptOf(""))).to.equal("not yet");
				expect(shop.answer(receiptOf("x".rep(93)))).to.equal("not yet");
				expectWarned(shop, "1 to 92 bytes");
			});
		});
	});

	describe("the list of ids", () => {
		it("stays current where an operator puts older data back: the purchase is not given again", () => {
			openShop((shop, world, { player }) => {
				// The last version of the hour before is kept.
				world.wait(3700 - world.now());
				const before = math.floor(world.cloudTime() / 3600) * 3600;
				expect(shop.answer()).to.equal("granted");
				shop.game.server.leave(player);
				shop.game.waitUntilFree(KEY);
				const restored = shop.game.server.run(() => shop.game.driver.restoreAt(KEY, before));
				expect(restored.success).to.equal(true);
				expect(shop.stored()).to.equal(START);
				shop.join();
				expect(shop.answer()).to.equal("granted");
				expect(shop.stored()).to.equal(START);
			});
		});

		it("is kept by a trade that another server finishes", () => {
			openShop((shop, world, { player, profile }) => {
				const other = shop.game.join(8).profile;
				expect(shop.answer()).to.equal("granted");
				// The decision lands; its server dies before the records are settled.
				world.faults.add({ service: "DataStore", durableOnly: true, nth: 4, effect: "crashAfter" });
				shop.game.server.spawn(() =>
					trade(profile, other, (a, b) => [{ coins: a.coins - 5 }, { coins: b.coins + 5 }]),
				);
				world.waitUntil(() => !shop.game.server.alive);
				expect(player.UserId).to.equal(USER);
				const fresh = new Shop(world);
				world.wait(20);
				fresh.join();
				expect(fresh.answer()).to.equal("granted");
				fresh.game.server.shutdown();
				expect(fresh.stored()).to.equal(START + PACK - 5);
			});
		});

		it("is bounded: 200 of purchases, trades and transactions, the oldest out", () => {
			openShop((shop) => {
				for (let index = 1; index <= 201; index++)
					expect(shop.answer(receiptOf(`P${index}`))).to.equal("granted");
				const ids = shop.game.record(KEY)!.Meta.TransactionIds!;
				expect(ids.size()).to.equal(200);
				expect(ids[0]).to.equal("receipt:P2");
				expect(shop.stored()).to.equal(START + 201 * PACK);
			});
		});
	});
};
