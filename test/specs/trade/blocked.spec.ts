import { Profile } from "../../../src/driver/profile";
import { trade } from "../../../src/trade/trade";
import { World } from "../../cloud/world";
import { Coins, failureOf, PlayerGame, STORE } from "../driver/playerGame";
import { check, same } from "../driver/writeRig";
import { journalKeys, KEY_A, KEY_B, Market, open, payment, reload, Running, theJournal } from "./market";

const FINISHING = "Your trade is being finished. Please rejoin.";

function ended(world: World, running: Running): void {
	world.waitUntil(() => running.endedAt !== undefined, 200);
	if (running.thrown !== undefined) error(running.thrown, 2);
}

/** A trade whose settle of B fails until `mend` is called. */
function failedSettle(market: Market, world: World): { readonly mend: () => void } {
	const outage = market.fault({ op: "UpdateAsync", key: KEY_B, nth: 2, effect: "failBefore" });
	const running = market.start();
	ended(world, running);
	const result = running.result!.unwrap();
	check(result.outcome === "committed", "the trade did not commit");
	same(result.outcome === "committed" ? result.unsettled.join(",") : "", KEY_B, "who is unsettled");
	return { mend: () => outage.remove() };
}

/** A trade whose decision is not known at its bound; `landed` where it is in the store. */
function unknownDecision(market: Market, world: World, landed: boolean): { readonly mend: () => void } {
	const fault = market.atWrite(4, landed ? "loseAnswer" : "failBefore");
	const running = market.start();
	world.waitUntil(() => fault.hits > 0, 60);
	const outage = market.fault({ op: "UpdateAsync", effect: "failBefore" });
	ended(world, running);
	same(failureOf(running.result!).type, "pending_recovery", "the answer");
	return { mend: () => outage.remove() };
}

function kicksOf(lobby: PlayerGame, userId: number): string {
	return lobby.server.kicks
		.filter((kick) => kick.userId === userId)
		.map(({ message }) => message)
		.join(" | ");
}

export = () => {
	describe("blocked: the decision is known (seed: only a participant whose settle save failed)", () => {
		it("is a success that names who is still to be settled; the other's record is final and it plays on", () => {
			open((market, world) => {
				failedSettle(market, world);
				expect(market.a.data.coins).to.equal(90);
				expect(market.a.active).to.equal(true);
				expect(market.stored()).to.equal("90/100");
				expect(market.game.set(market.a, 95).success).to.equal(true);
				expect(market.run(() => market.a.save()).success).to.equal(true);
				expect(market.game.coins(KEY_A)).to.equal(95);
				expect(kicksOf(market.game, 1)).to.equal("");
			});
		});

		it("ends the blocked player's session once, with the words of the seed, and tells on transactionEnded", () => {
			open((market, world) => {
				failedSettle(market, world);
				world.wait(1);
				expect(kicksOf(market.game, 2)).to.equal(FINISHING);
				expect(market.ended.join(",")).to.equal(KEY_B);
				expect(market.b.active).to.equal(false);
				expect(market.game.driver.get(KEY_B)).never.to.be.ok();
			});
		});

		it("releases the lock only: data and pointer stay as stored, and the next load on another server recovers", () => {
			open((market, world) => {
				const { mend } = failedSettle(market, world);
				const pointer = market.game.record(KEY_B)!.Meta.PendingTransaction!;
				mend();
				market.game.waitUntilFree(KEY_B);
				const record = market.game.record(KEY_B)!;
				expect((record.Data as Coins).coins).to.equal(100);
				expect(record.Meta.PendingTransaction!.Token).to.equal(pointer.Token);
				expect(record.Meta.ReleasedToken).to.be.ok();
				expect(reload(world, [2])).to.equal("nil/110");
				expect(market.game.record(KEY_B)!.Meta.PendingTransaction).never.to.be.ok();
				expect(journalKeys(world).size()).to.equal(0);
			});
		});

		it("is never adopted by a rejoin: its release ends first, then the load recovers (rule 4.4)", () => {
			open((market, world) => {
				const { mend } = failedSettle(market, world);
				world.wait(8);
				const player = market.game.server.join(2);
				world.wait(2);
				expect(market.game.driver.profileOf(player)).never.to.be.ok();
				mend();
				const profile = market.game.profile(player);
				expect(profile).never.to.equal(market.b);
				expect(profile.data.coins).to.equal(110);
				expect(market.game.coins(KEY_B)).to.equal(110);
			});
		});

		it("a rejoin cuts the pause of its release short (rule 4.1)", () => {
			open((market, world) => {
				const { mend } = failedSettle(market, world);
				// Its release is tried every 30 s by now.
				world.wait(20);
				mend();
				const since = world.now();
				const { profile } = market.game.join(2);
				expect(profile.data.coins).to.equal(110);
				expect(world.now() - since < 3).to.equal(true);
			});
		});
	});

	describe("blocked: the decision is unknown (seed: both)", () => {
		it("answers pending_recovery, ends both sessions and leaves both records as they are", () => {
			open((market, world) => {
				const { mend } = unknownDecision(market, world, false);
				world.wait(1);
				expect(kicksOf(market.game, 1)).to.equal(FINISHING);
				expect(kicksOf(market.game, 2)).to.equal(FINISHING);
				expect([...market.ended].sort((a, b) => a < b).join(",")).to.equal(`${KEY_A},${KEY_B}`);
				mend();
				for (const key of [KEY_A, KEY_B]) {
					market.game.waitUntilFree(key);
					expect(market.game.record(key)!.Meta.PendingTransaction).to.be.ok();
				}
				expect(market.stored()).to.equal("100/100");
				expect(theJournal(world).State).to.equal("Preparing");
				expect(reload(world)).to.equal("100/100");
				expect(journalKeys(world).size()).to.equal(0);
			});
		});

		it("where it had landed after all, the next loads apply it", () => {
			open((market, world) => {
				const { mend } = unknownDecision(market, world, true);
				mend();
				market.game.waitUntilFree(KEY_A);
				market.game.waitUntilFree(KEY_B);
				expect(theJournal(world).State).to.equal("Committed");
				expect(market.stored()).to.equal("100/100");
				expect(reload(world, [2, 1])).to.equal("90/110");
				expect(journalKeys(world).size()).to.equal(0);
			});
		});
	});

	describe("a blocked profile without a player", () => {
		it("refuses updates, saves and trades, and taking back; its release leaves data and pointer", () => {
			open((market, world) => {
				const [c, d] = ["c", "d"].map((key) => market.run(() => market.game.driver.load(key)).unwrap());
				const outage = market.fault({ op: "UpdateAsync", key: "d", nth: 2, effect: "failBefore" });
				const running = market.beside(() => trade(c, d, () => [{ coins: 1 }, { coins: 2 }]));
				ended(world, running);
				outage.remove();
				const refusals = [
					market.run(() => d.update(() => ({ coins: 3 }))),
					market.run(() => d.save()),
					market.run(() => trade(c, d, payment)),
					market.run(() => trade(d, c, payment)),
					market.run(() => d.reacquire()),
				];
				for (const refusal of refusals) {
					const kind = failureOf(refusal).type;
					if (kind !== "unresolved_transaction" && kind !== "released") error(`it is ${kind}`);
				}
				expect(market.run(() => d.release()).success).to.equal(true);
				expect(market.game.coins("d")).to.equal(0);
				expect(market.game.record("d")!.Meta.PendingTransaction).to.be.ok();
				expect(failureOf(market.run(() => d.reacquire())).type).to.equal("unresolved_transaction");
				const again = market.run(() => market.game.driver.load("d")).unwrap();
				expect(again.data.coins).to.equal(2);
			});
		});
	});

	describe("leaving during a trade waits for it, then runs the hooks, then saves (rule 7.1)", () => {
		const AFTER: (data: Coins) => Coins = (data) => ({ coins: data.coins + 5 });

		function hooked(profile: Profile<Coins>): Array<number> {
			const seen = new Array<number>();
			profile.onReleasing((leaving) => {
				seen.push(leaving.data.coins);
				leaving.update(AFTER);
			});
			return seen;
		}

		it("a player who leaves", () => {
			open((market, world) => {
				const seen = hooked(market.a);
				const running = market.start();
				market.game.server.leave(market.playerA);
				expect(seen.size()).to.equal(0);
				ended(world, running);
				market.game.waitUntilFree(KEY_A);
				expect(running.result!.success).to.equal(true);
				expect(seen.join(",")).to.equal("90");
				expect(market.stored()).to.equal("95/110");
				expect(market.game.record(KEY_A)!.Meta.PendingTransaction).never.to.be.ok();
			});
		});

		it("one who is back before the trade is through gets a profile of their own, which stays (rule 2.6)", () => {
			open((market, world) => {
				const running = market.start();
				market.game.server.leave(market.playerA);
				const player = market.game.server.join(1);
				const profile = market.game.profile(player);
				expect(running.endedAt).to.be.ok();
				expect(profile.data.coins).to.equal(90);
				world.wait(30);
				expect(profile.active).to.equal(true);
				expect(market.game.driver.profileOf(player)).to.equal(profile);
				expect(market.game.record(KEY_A)!.Lock).to.be.ok();
			});
		});

		it("a profile that another server asks for", () => {
			open((market, world) => {
				const other = new PlayerGame(world);
				world.wait(20);
				market.fault({ op: "UpdateAsync", key: KEY_A, nth: 2, count: 1, effect: "delay", seconds: 4 });
				const seen = hooked(market.a);
				const running = market.start();
				const { profile } = other.join(1);
				expect(running.endedAt).to.be.ok();
				expect(seen.join(",")).to.equal("90");
				expect(profile.data.coins).to.equal(95);
				expect(market.game.coins(KEY_B)).to.equal(110);
			});
		});

		it("a server that shuts down", () => {
			open((market, world) => {
				const running = market.start();
				market.game.server.shutdown();
				expect(running.result!.success).to.equal(true);
				expect(market.stored()).to.equal("90/110");
				for (const key of [KEY_A, KEY_B]) expect(market.game.record(key)!.Lock).never.to.be.ok();
				expect(journalKeys(world).size()).to.equal(0);
				expect(world.store(STORE).get(KEY_A)).to.be.ok();
			});
		});

		it("a release that the game itself asks for; from then on nothing else is taken", () => {
			open((market, world) => {
				const running = market.start();
				let isReleased = false;
				market.game.server.spawn(() => (isReleased = market.a.release().success));
				expect(market.game.driver.get(KEY_A)).never.to.be.ok();
				expect(failureOf(market.game.wait(market.playerA)).type).to.equal("released");
				const updated = market.run(() => market.a.update(AFTER));
				expect(failureOf(updated).type).to.equal("released");
				ended(world, running);
				world.waitUntil(() => isReleased, 60);
				expect(market.stored()).to.equal("90/110");
			});
		});

		it("a trade that an onReleasing handler begins is refused, and the release goes through", () => {
			open((market) => {
				const answers = new Array<string>();
				market.a.onReleasing((leaving) => {
					const result = trade(leaving, market.b, payment);
					answers.push(result.success ? "traded" : result.error.type);
				});
				expect(market.run(() => market.a.release()).success).to.equal(true);
				expect(answers.join(",")).to.equal("released");
				expect(market.stored()).to.equal("100/100");
				expect(market.run(() => market.b.update(AFTER)).success).to.equal(true);
			});
		});
	});
};
