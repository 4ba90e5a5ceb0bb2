import { PRESENCE_MAP } from "../../../src/handoff/presence";
import { Fault, FaultHandle } from "../../cloud/faults";
import { World } from "../../cloud/world";
import { Coins, failureOf } from "../driver/playerGame";
import { journalKeys, KEY_A, KEY_B, Market as Shop, open, reload, Running } from "./market";
import { FOLLOWS, Follow, KEYS, must, Outcome, settle, Side, SIDES, Traders, withTraders } from "./traders";

/** Seconds after which a closing server waits no longer for a trade, and those after which it is done. */
const [CUT, END] = [20, 28];
/** Seconds that a load takes which has nothing to wait for, recovery included. */
const AT_ONCE = 2;

/** A trade that hangs at one of its writes when the server can wait no longer. */
interface Cut {
	readonly title: string;
	/** Makes the write hang; called before the trade begins. */
	readonly arm?: (traders: Traders) => ReadonlyArray<FaultHandle>;
	/** The same for the decision, once the journal is there. */
	readonly armDecision?: Pick<Fault, "effect" | "lands" | "count">;
	/** What the records come to. */
	readonly outcome: Outcome;
	/** What the trade answers, where its server lives long enough. */
	readonly answer: "committed" | "save_failed" | "released" | "pending_recovery";
	/** Whether a write may still land at the end of the shutdown: then the presence key stays. */
	readonly mayLand?: boolean;
	/** Whether the journal may be made after the trade has ended, with nothing that points at it. */
	readonly mayLeaveJournal?: boolean;
}

/** How a write hangs: lost, or landed with no answer, or on its way until long after the lock was given up. */
const WAYS = {
	"is lost": { effect: "hang" },
	"lands, and nobody hears": { effect: "hang", lands: true },
	"lands after the release": { effect: "delay", seconds: CUT + 4, stage: "arrive" },
} as const;
const EVERY_WAY: ReadonlyArray<keyof typeof WAYS> = ["is lost", "lands, and nobody hears", "lands after the release"];

/** Every write of a trade, its first `tries` hanging. */
function cutsAt(tries: number): ReadonlyArray<Cut> {
	const cuts = new Array<Cut>();
	for (const way of EVERY_WAY) {
		const hang = (where: Pick<Fault, "key" | "nth">) => (traders: Traders) =>
			traders.fault({ op: "UpdateAsync", count: tries, ...where, ...WAYS[way] });
		// Two tries are all that it has; after one, the next is answered, and finds the profiles released.
		const isUnanswered = tries === 2;
		cuts.push({
			title: `the journal write ${way}`,
			arm: (traders) => [hang({ nth: 1 })(traders)],
			outcome: "aborted",
			answer: isUnanswered ? "save_failed" : "released",
			mayLand: isUnanswered,
			mayLeaveJournal: true,
		});
		for (const sides of [["A"], ["B"], ["A", "B"]] as ReadonlyArray<ReadonlyArray<Side>>) {
			cuts.push({
				title: `the prepare of ${sides.join(" and ")} ${way}`,
				arm: (traders) => sides.map((side) => hang({ key: KEYS[side], nth: 1 })(traders)),
				outcome: "aborted",
				answer: "save_failed",
			});
			cuts.push({
				title: `the settle of ${sides.join(" and ")} ${way}`,
				arm: (traders) => sides.map((side) => hang({ key: KEYS[side], nth: 2 })(traders)),
				outcome: "committed",
				answer: "committed",
			});
		}
	}
	for (const lands of [false, true]) {
		cuts.push({
			title: lands ? "the decision lands, and nobody hears" : "the decision is lost",
			armDecision: { effect: "hang", lands },
			outcome: lands ? "committed" : "aborted",
			answer: "pending_recovery",
			mayLand: true,
		});
	}
	cuts.push({
		title: "the decision is lost, and lands at a try after the bound",
		armDecision: { effect: "hang", count: tries },
		outcome: "committed",
		answer: "committed",
	});
	return cuts;
}

/**
 * Seconds for which the trade waits for a save at the beginning of the shutdown, by the number of the try in whose middle
 * the bound comes then.
 */
const SAVES = [12, 5];

/** Starts the trade while a save of A is under way, which takes `seconds`. Returns what tells whether its write hung. */
function begin(
	traders: Traders,
	{ arm, armDecision }: Pick<Cut, "arm" | "armDecision">,
	seconds: number,
): () => boolean {
	const { world, host, profiles } = traders;
	traders.fault({ key: KEYS.A, op: "UpdateAsync", effect: "delay", stage: "respond", seconds, count: 1 });
	host.server.run(() => profiles.A.update((data) => ({ ...data }))).unwrap();
	host.server.spawn(() => profiles.A.save());
	const faults = [...(arm?.(traders) ?? [])];
	traders.start();
	const armOnceMade = (): void => {
		const [key] = traders.journalKeys();
		if (key === undefined) world.after(0.01, armOnceMade);
		else faults.push(traders.fault({ op: "UpdateAsync", key, ...armDecision! }));
	};
	if (armDecision !== undefined) armOnceMade();
	return () => !faults.isEmpty() && faults.every((fault) => fault.hits > 0);
}

function isFree(traders: Traders): boolean {
	return SIDES.every((side) => traders.record(side).Lock === undefined);
}

/** How often the server has removed its presence key. */
function keyRemovals({ world, host }: Traders): number {
	const { server } = host;
	return world.trace.count({ service: "MemoryStore", op: "RemoveAsync", store: PRESENCE_MAP, server });
}

/** Both records agree and hold what they should, each item is on one side, and the answer, if there was one, was true. */
function audit(traders: Traders, cut: Cut, mayLeaveJournal: boolean): void {
	traders.checkAnswer(traders.audit(cut.outcome, mayLeaveJournal));
}

/** No record points at the journal, so that no load will remove it. */
function isUnreferenced(traders: Traders): boolean {
	return !traders.points("A") && !traders.points("B");
}

function shutDown(cut: Cut, seconds: number, follow: Follow): void {
	withTraders((traders, fresh, world) => {
		const hung = begin(traders, cut, seconds);
		const since = world.now();
		const free = new Array<boolean>();
		for (const seconds of [CUT - 0.5, CUT + 1]) world.after(seconds, () => free.push(isFree(traders)));
		traders.host.server.shutdown();
		const took = world.now() - since;
		must(took >= CUT && took <= END + 0.1, `the shutdown took ${took} s`);
		must(hung(), "nothing hung");
		must(!free[0], "the trade was not waited for");
		// It may be over a moment after the bound.
		must(free[1] ?? isFree(traders), "the locks were not given up at the bound");
		must(cut.mayLand === true || traders.answer !== undefined, "the trade had no time to answer");
		const removals = keyRemovals(traders);
		must(removals === (cut.mayLand === true ? 0 : 1), `the presence key was removed ${removals} times (rule 3.4)`);
		const unreferenced = isUnreferenced(traders);
		const loadedSince = world.now();
		follow.run(traders, fresh);
		const loading = world.now() - loadedSince;
		must(loading < 2 * AT_ONCE, `the loads took ${loading} s`);
		settle(traders, fresh, 20);
		audit(traders, cut, unreferenced);
	});
}

/** The players wait elsewhere while the server closes; whoever is in first finishes the trade beside its coordinator. */
function waitElsewhere(cut: Cut, seconds: number): void {
	withTraders((traders, [one, two], world) => {
		begin(traders, cut, seconds);
		let endedAt = 0;
		const since = world.now();
		traders.host.server.spawn(() => {
			traders.host.driver.close();
			endedAt = world.now();
		});
		world.wait(CUT - 8);
		const [a, b] = [one.coming("A"), two.coming("B")];
		world.waitUntil(() => a() !== undefined && b() !== undefined, 30);
		const took = world.now() - since;
		must(took < CUT + AT_ONCE, `they were in after ${took} s`);
		world.waitUntil(() => endedAt > 0, 30);
		must(endedAt - since <= END + 0.1, `the close took ${endedAt - since} s`);
		const [inA, inB] = [a()!, b()!];
		must(inA.profile !== undefined && inB.profile !== undefined, `they are not in: ${inA.cause} ${inB.cause}`);
		const outcome = traders.outcome(inA.profile.data, "A");
		must(outcome === traders.outcome(inB.profile.data, "B"), "they see different outcomes");
		// A decision that comes after a recovery finds that one's.
		const expected = cut.armDecision?.count !== undefined ? undefined : cut.outcome;
		traders.answered();
		settle(traders, [one, two], 30);
		traders.checkAnswer(traders.audit(expected, isUnreferenced(traders)));
	});
}

/** The server lives on after the close: its trade answers, and truly. */
function answers(cut: Cut, seconds: number): void {
	withTraders((traders, fresh, world) => {
		begin(traders, cut, seconds);
		let losses = 0;
		for (const side of SIDES) traders.profiles[side].onLockLost.connect(() => (losses += 1));
		const since = world.now();
		const closed = traders.host.server.run(() => traders.host.driver.close());
		must(world.now() - since <= END + 0.1, "the close took longer than a server has");
		must(closed.success === (traders.answer !== undefined), "the close does not tell whether the trade is through");
		const answer = traders.answered();
		const kind = answer.success ? answer.value.outcome : answer.error.type;
		must(kind === cut.answer, `the trade answered ${kind}: ${answer.success ? "" : answer.error}`);
		must(losses === 0, "its own release was taken for a loss of the lock");
		world.wait(20);
		FOLLOWS[0].run(traders, fresh);
		settle(traders, fresh, 30);
		audit(traders, cut, cut.mayLeaveJournal === true);
	});
}

/** Runs the trade from the shop until the write at which a fault is hit, then closes the driver. */
function closeAt(shop: Shop, world: World, fault: FaultHandle): Running {
	const running = shop.start();
	world.waitUntil(() => fault.hits > 0, 5);
	shop.run(() => shop.game.driver.close());
	return running;
}

// Protocol 7.1: a closing server waits for a trade, bounded; then it gives up the lock alone, and the next load finishes it.
export = () => {
	const elsewhere = FOLLOWS.filter((follow) => follow.needsHost !== true).filter((_, index) => index < 3);
	SAVES.forEach((seconds, index) => {
		for (const cut of cutsAt(index + 1)) {
			describe(`rule 7.1: a shutdown in which ${cut.title}, cut at try ${index + 1}`, () => {
				for (const follow of elsewhere) {
					it(`then ${follow.title}, at once`, () => shutDown(cut, seconds, follow));
				}
				it("players who wait elsewhere are in at the bound, beside the trade's end", () =>
					waitElsewhere(cut, seconds));
				it(`answers ${cut.answer}, which is true (rule 5.7), where the server lives on`, () =>
					answers(cut, seconds));
			});
		}
	});

	describe("rule 7.1: what is let go of at the bound", () => {
		it("a profile of which no write was sent is saved with its data, after its handlers: there is nothing to leave", () => {
			open((shop, world) => {
				shop.game.set(shop.a, 105).unwrap();
				shop.a.onReleasing((leaving) => leaving.update((data) => ({ coins: data.coins + 1 })));
				const running = closeAt(
					shop,
					world,
					shop.fault({ op: "UpdateAsync", nth: 1, effect: "hang", count: 2 }),
				);
				expect(shop.stored()).to.equal("106/100");
				world.waitUntil(() => running.endedAt !== undefined, 60);
				expect(failureOf(running.result!).type).to.equal("save_failed");
				expect(reload(world)).to.equal("106/100");
			});
		});

		it("a journal that is answered after that is the end of the trade: nothing is prepared, the journal is removed", () => {
			open((shop, world) => {
				const late = shop.fault({ op: "UpdateAsync", nth: 1, effect: "hang", count: 1 });
				shop.fault({ op: "UpdateAsync", nth: 2, effect: "delay", seconds: 9.9, count: 1, stage: "respond" });
				const running = closeAt(shop, world, late);
				world.waitUntil(() => running.endedAt !== undefined, 60);
				expect(failureOf(running.result!).type).to.equal("released");
				world.wait(1);
				expect(journalKeys(world).size()).to.equal(0);
				for (const key of [KEY_A, KEY_B]) expect(shop.game.record(key)!.Lock).never.to.be.ok();
				expect(shop.stored()).to.equal("100/100");
			});
		});

		it("a save that waits for the trade is not answered as stored by a release without data (invariant I4)", () => {
			open((shop, world) => {
				shop.game.set(shop.a, 105).unwrap();
				const fault = shop.fault({ op: "UpdateAsync", key: KEY_A, nth: 1, effect: "hang", count: 2 });
				shop.start();
				world.waitUntil(() => fault.hits > 0, 5);
				let saved: string | undefined;
				shop.game.server.spawn(() => {
					const answer = shop.a.save();
					saved = answer.success ? "saved" : answer.error.type;
				});
				shop.run(() => shop.game.driver.close());
				expect(saved).to.equal("unresolved_transaction");
				expect(shop.stored()).to.equal("100/100");
			});
		});

		it("the release passes its own failures within the rest of the time", () => {
			open((shop, world) => {
				const fault = shop.fault({ op: "UpdateAsync", key: KEY_A, nth: 1, effect: "hang", count: 2 });
				shop.fault({ op: "UpdateAsync", key: KEY_A, nth: 3, effect: "failBefore", count: 3 });
				shop.start();
				world.waitUntil(() => fault.hits > 0, 5);
				shop.game.server.shutdown();
				expect(shop.game.record(KEY_A)!.Lock).never.to.be.ok();
				expect(reload(world)).to.equal("100/100");
			});
		});

		it("a trade that is decided after the bound sends no settle: that would only hold the release up", () => {
			open((shop, world) => {
				const decision = shop.fault({ op: "UpdateAsync", nth: 4, effect: "hang", count: 1 });
				shop.fault({ op: "UpdateAsync", nth: 5, effect: "delay", seconds: 9.9, count: 1, stage: "respond" });
				// Longer under way than the decision.
				shop.fault({
					op: "UpdateAsync",
					key: KEY_A,
					nth: 2,
					effect: "delay",
					seconds: 1,
					count: 1,
					stage: "arrive",
				});
				const since = world.now();
				const running = closeAt(shop, world, decision);
				world.waitUntil(() => running.endedAt !== undefined, 60);
				expect(running.result!.success).to.equal(true);
				const sent = { op: "UpdateAsync", key: KEY_A, since: since + CUT, upTo: since + CUT + 1 };
				expect(world.trace.count(sent)).to.equal(1);
				expect(shop.game.record(KEY_A)!.Lock).never.to.be.ok();
				expect(reload(world)).to.equal("90/110");
			});
		});

		it("a write that fails after the bound is not sent again", () => {
			withTraders((traders, fresh, world) => {
				const where = { op: "UpdateAsync", key: KEYS.A } as const;
				begin(
					traders,
					{ arm: () => [traders.fault({ ...where, nth: 1, count: 1, effect: "hang" })] },
					SAVES[0],
				);
				const since = world.now() + CUT;
				traders.host.server.run(() => traders.host.driver.close());
				traders.answered();
				world.wait(10);
				// The release, and the look whether A still needs the journal.
				must(world.trace.count({ ...where, server: traders.host.server, since }) === 2, "it was sent again");
				FOLLOWS[0].run(traders, fresh);
				settle(traders, fresh);
				traders.checkAnswer(traders.audit("aborted"));
			});
		});

		it("warns of each key, and of nothing where the trade is through in time", () => {
			const told = (market: Shop) => market.game.server.warnings.join("\n").find("is in a trade", 1, true)[0];
			open((shop, world) => {
				closeAt(shop, world, shop.fault({ op: "UpdateAsync", key: KEY_A, nth: 1, effect: "hang", count: 2 }));
				expect(told(shop)).to.be.ok();
			});
			open((shop, world) => {
				const slow = { op: "UpdateAsync", key: KEY_A, nth: 1, effect: "delay", seconds: 9, count: 1 } as const;
				closeAt(shop, world, shop.fault(slow));
				expect(told(shop)).never.to.be.ok();
				expect(shop.stored()).to.equal("90/110");
			});
		});

		for (const lands of [false, true]) {
			it(`a prepare that landed unheard, tried again after the release: its journal stays (next try lands: ${lands})`, () => {
				open((shop, world) => {
					const first = shop.fault({
						op: "UpdateAsync",
						key: KEY_A,
						nth: 1,
						effect: "hang",
						lands: true,
						count: 1,
					});
					const stage = lands ? "respond" : "arrive";
					shop.fault({
						op: "UpdateAsync",
						key: KEY_A,
						nth: 2,
						effect: "delay",
						seconds: 9.9,
						count: 1,
						stage,
					});
					const running = closeAt(shop, world, first);
					world.waitUntil(() => running.endedAt !== undefined, 60);
					world.wait(30);
					const points = shop.game.record(KEY_A)!.Meta.PendingTransaction !== undefined;
					if (points && journalKeys(world).isEmpty()) error("A points at a journal that is gone");
					// B first: if its load removed the journal, A's would find none.
					expect(reload(world, [2, 1])).to.equal(running.result!.success ? "90/110" : "100/100");
				});
			});
		}

		it("a settle that finds the release, of which no answer came, is no loss of the lock", () => {
			open((shop, world) => {
				const first = shop.fault({ op: "UpdateAsync", key: KEY_B, nth: 2, effect: "hang", count: 1 });
				shop.fault({ op: "UpdateAsync", key: KEY_B, nth: 3, effect: "delay", seconds: 9.9, count: 1 });
				shop.fault({ op: "UpdateAsync", key: KEY_B, nth: 4, effect: "loseAnswer", count: 1 });
				let lost = false;
				shop.b.onLockLost.connect(() => (lost = true));
				const running = closeAt(shop, world, first);
				world.waitUntil(() => running.endedAt !== undefined, 60);
				expect(lost).to.equal(false);
				expect(running.result!.success).to.equal(true);
				expect((shop.game.record(KEY_B)!.Data as Coins).coins).to.equal(100);
				expect(reload(world)).to.equal("90/110");
			});
		});
	});

	describe("rule 3.4: the presence key at the end of a shutdown with a trade", () => {
		it("is removed where the trade was through in time, and everything was answered", () => {
			withTraders((traders) => {
				traders.start();
				traders.host.server.shutdown();
				must(keyRemovals(traders) === 1, "the key was left");
			});
		});

		it("stays where a trade has ended in time without an answer to its decision", () => {
			withTraders((traders, _, world) => {
				begin(traders, { armDecision: { effect: "hang" } }, 0);
				world.wait(15);
				traders.host.server.shutdown();
				const { answer } = traders;
				must(answer !== undefined && !answer.success, "the trade has not ended");
				must(answer.error.type === "pending_recovery", `the answer is ${answer.error}`);
				must(keyRemovals(traders) === 0, "the key was removed");
			});
		});
	});

	describe("rule 7.1: a request of another server waits for the trade's own bound, not for less", () => {
		it("the join elsewhere fails closed after its wait, nothing unsaved is dropped, and the next one is in", () => {
			withTraders((traders, [fresh], world) => {
				const fault = traders.fault({ op: "UpdateAsync", key: KEYS.A, count: 2, effect: "hang" });
				traders.start();
				world.waitUntil(() => fault.hits > 0, 5);
				const { cause } = fresh.join("A");
				must(cause?.type === "profile_locked", `the join was ${cause}`);
				traders.answered();
				world.wait(3);
				must(fresh.joined("A").data.items.join() === "sword", "A has not what it had");
				settle(traders, [fresh]);
				traders.audit("aborted");
			});
		});
	});
};
