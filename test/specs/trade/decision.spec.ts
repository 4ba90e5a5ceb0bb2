import { StoredRecord } from "../../../src/record/types";
import { trade } from "../../../src/trade/trade";
import { FOLLOWS, KEYS, Market, must, Outcome, settle, Side, SIDES, STORE, Traders, withTraders } from "./traders";

/** Everyone is loaded on a fresh server, and nothing is left. */
function finish(traders: Traders, fresh: ReadonlyArray<Market>, expected?: Outcome): Outcome {
	settle(traders, fresh, 2);
	FOLLOWS[0].run(traders, fresh);
	settle(traders, fresh, 30);
	const outcome = traders.audit(expected);
	traders.checkAnswer(outcome);
	return outcome;
}

/** Writes Aborted as a recovering server does; false where the journal is decided or not there. */
function abortNow(traders: Traders): boolean {
	const [key] = traders.journalKeys();
	const journal = traders.journal();
	if (journal === undefined || journal.State !== "Preparing") return false;
	traders.world.store(STORE).set(key, { ...journal, State: "Aborted" }, { userIds: [1, 2] });
	return true;
}

function edit(traders: Traders, side: Side, change: (record: StoredRecord) => StoredRecord): void {
	traders.world.store(STORE).set(KEYS[side], change(traders.record(side)), { userIds: [side === "A" ? 1 : 2] });
}

/** The server dies with both prepared. */
function diePrepared(traders: Traders): void {
	traders.fault({ nth: 4, durableOnly: true, effect: "crashBefore" });
	traders.start();
	traders.world.waitUntil(() => !traders.host.server.alive, 60);
	must(traders.points("A") && traders.points("B"), "not both are prepared");
}

export = () => {
	describe("scenario 18: the answer to the decision is lost", () => {
		for (const count of [1, 2, 5]) {
			it(`${count} times: the trade finds out that it is committed`, () => {
				withTraders((traders, fresh, world) => {
					traders.fault({
						nth: 4,
						durableOnly: true,
						count: 1,
						effect: "loseAnswer",
					});
					traders.start();
					world.waitUntil(() => traders.journal()?.State === "Committed", 30);
					const [key] = traders.journalKeys();
					traders.fault({ key, count: count - 1, effect: "failBefore" });
					const answer = traders.answered();
					expect(answer.success && answer.value.outcome).to.equal("committed");
					finish(traders, fresh, "committed");
				});
			});
		}

		it("and the store stays silent: pending, both blocked and told, and never aborted over it", () => {
			withTraders((traders, fresh, world) => {
				traders.fault({ nth: 4, durableOnly: true, count: 1, effect: "loseAnswer" });
				traders.start();
				world.waitUntil(() => traders.journal()?.State === "Committed", 30);
				const [key] = traders.journalKeys();
				const silent = traders.fault({ key, effect: "failBefore" });
				const answer = traders.answered();
				must(!answer.success, "the trade is said to be committed");
				expect(answer.error.type).to.equal("pending_recovery");
				for (const side of SIDES) expect(traders.profiles[side].active).to.equal(false);
				expect(traders.journal()!.State).to.equal("Committed");
				world.wait(5);
				for (const { message } of traders.host.server.kicks) {
					expect(message).to.equal("Your trade is being finished. Please rejoin.");
				}
				expect(traders.host.server.kicks.size()).to.equal(2);
				for (const side of SIDES) expect(traders.points(side)).to.equal(true);
				silent.remove();
				finish(traders, fresh, "committed");
			});
		});
	});

	describe("scenario 19: an abort races the commit", () => {
		for (const seconds of [0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.25, 0.3]) {
			it(`${seconds} s after the trade began: one decision, both sides`, () => {
				withTraders((traders, fresh, world) => {
					traders.start();
					world.wait(seconds);
					const aborted = abortNow(traders);
					const answer = traders.answered();
					if (aborted) {
						must(!answer.success, "a trade that was aborted is said to be committed");
						expect(answer.error.type).to.equal("trade_aborted");
						for (const side of SIDES) expect(traders.profiles[side].active).to.equal(true);
					}
					finish(traders, fresh, aborted ? "aborted" : undefined);
				});
			});
		}

		for (const side of SIDES) {
			for (const seconds of [1, 8, 12, 16, 25]) {
				it(`the coordinator stands still for ${seconds} s before the decision, and ${side} is recovered elsewhere`, () => {
					withTraders((traders, fresh, world) => {
						const [other] = fresh;
						traders.fault({ nth: 4, count: 1, durableOnly: true, effect: "delay", seconds: 0.5 });
						traders.start();
						world.waitUntil(() => traders.points("A") && traders.points("B"), 10);
						traders.host.server.pause();
						const ended = other.coming(side);
						world.wait(seconds);
						traders.host.server.resume();
						traders.answered();
						world.waitUntil(() => ended() !== undefined, 200);
						finish(traders, fresh);
					});
				});
			}
		}
	});

	describe("scenario 20: a prepare that lands after the abort", () => {
		for (const side of SIDES) {
			for (const seconds of [0.3, 2, 16, 17, 20, 40]) {
				it(`${side}'s, ${seconds} s late, changes nothing`, () => {
					withTraders((traders, fresh, world) => {
						const late = traders.fault({
							key: KEYS[side],
							durableOnly: true,
							count: 1,
							effect: "landLate",
							seconds,
						});
						traders.start();
						world.waitUntil(() => late.hits === 1, 10);
						// Its other tries never arrive, while the late one is on its way.
						const lost = traders.fault({ key: KEYS[side], count: 8, effect: "failBefore" });
						traders.answered();
						lost.remove();
						world.wait(45);
						finish(traders, fresh);
					});
				});
			}
		}
	});

	describe("scenario 21: a prepare lands a second time after commit and settle", () => {
		for (const side of SIDES) {
			for (const seconds of [0.1, 0.2, 0.5, 2, 10, 60]) {
				it(`${side}'s, ${seconds} s later, with another trade made since`, () => {
					withTraders((traders, fresh, world) => {
						traders.fault({ key: KEYS[side], durableOnly: true, count: 1, effect: "duplicate", seconds });
						traders.start();
						expect(traders.answered().success).to.equal(true);
						const first = traders.record(side);
						must(first.Meta.PendingTransaction === undefined, "it is not settled");
						traders.answer = undefined;
						traders.start("swap-2");
						expect(traders.answered().success).to.equal(true);
						world.wait(65);
						finish(traders, fresh, "committed");
						expect(traders.record(side).Meta.TransactionIds!.join()).to.equal("swap-1, swap-2");
					});
				});
			}
		}
	});

	describe("scenario 22: a lock is taken between its prepare and the decision", () => {
		for (const side of SIDES) {
			it(`${side}'s new holder sees the trade resolved, and the coordinator follows`, () => {
				withTraders((traders, fresh, world) => {
					const [other] = fresh;
					traders.fault({ nth: 4, count: 1, durableOnly: true, effect: "delay", seconds: 0.5 });
					traders.start();
					world.waitUntil(() => traders.points("A") && traders.points("B"), 10);
					traders.host.server.pause();
					const profile = other.joined(side);
					const seen = traders.check(profile, side);
					must(!traders.points(side), "the data were shown with the trade unresolved");
					expect(seen).to.equal("aborted");
					traders.host.server.resume();
					const answer = traders.answered();
					must(!answer.success, "the trade is said to be committed");
					finish(traders, fresh, "aborted");
				});
			});
		}
	});

	describe("scenario 23: a cached read of the journal says Preparing", () => {
		for (const follow of FOLLOWS.filter((each) => each.needsHost !== true)) {
			it(`recovery decides by the record itself: ${follow.title}`, () => {
				withTraders((traders, fresh, world) => {
					traders.fault({ nth: 4, durableOnly: true, effect: "crashAfter" });
					traders.start();
					world.waitUntil(() => !traders.host.server.alive, 60);
					for (const { server } of fresh) {
						world.faults.add({
							service: "DataStore",
							op: "GetAsync",
							server,
							effect: "stale",
							seconds: 60,
						});
					}
					follow.run(traders, fresh);
					settle(traders, fresh);
					traders.audit("committed");
				});
			});
		}
	});

	describe("scenario 24: trades that cross", () => {
		it("A-B with B-A: each commits or is refused, none waits for the other", () => {
			withTraders((traders, fresh, world) => {
				const { A, B } = traders.profiles;
				let crossed: string | undefined;
				traders.start();
				traders.host.server.spawn(() => {
					const answer = trade(B, A, (b, a) => [b, a], { id: "crossing" });
					crossed = answer.success ? "committed" : answer.error.type;
				});
				traders.answered(10);
				world.waitUntil(() => crossed !== undefined, 10);
				expect(crossed).to.equal("busy");
				finish(traders, fresh, "committed");
			});
		});

		it("a ring of three, started together: each commits or is refused within a bound", () => {
			withTraders((traders, _, world) => {
				const { host, profiles } = traders;
				const player = host.server.join(3);
				const third = host.server.run(() => host.driver.waitForProfile(player)).unwrap();
				const ends = new Array<string>();
				const ring = [profiles.A, profiles.B, third];
				ring.forEach((profile, place) => {
					host.server.spawn(() => {
						const answer = trade(profile, ring[(place + 1) % 3], (a, b) => [a, b]);
						ends.push(answer.success ? answer.value.outcome : answer.error.type);
					});
				});
				world.waitUntil(() => ends.size() === 3, 10);
				expect(ends.filter((each) => each === "committed").size()).to.equal(1);
				expect(ends.filter((each) => each === "busy").size()).to.equal(2);
				for (const profile of ring) expect(profile.active).to.equal(true);
				expect(traders.journalKeys().size()).to.equal(0);
			});
		});
	});

	describe("recovery that cannot decide (seed: When recovery fails)", () => {
		it("a journal that was removed by hand fails the load, leaves the record, and gives way to an operator's word", () => {
			withTraders((traders, [fresh], world) => {
				diePrepared(traders);
				const { Token } = traders.record("A").Meta.PendingTransaction!;
				world.store(STORE).remove(traders.journalKeys()[0]);
				world.wait(15);
				const since = world.now();
				const { cause } = fresh.join("A");
				must(cause !== undefined, "a record was loaded whose trade nobody can decide");
				expect(cause.type).to.equal("recovery_failed");
				must(
					cause.message.find(
						"transaction recovery failed: transaction journal is missing or invalid",
						1,
						true,
					)[0] === 1,
					cause.message,
				);
				must(world.now() - since < 25, "a failed recovery waited as for a lock");
				must(traders.points("A"), "the pointer was cleared without a decision");
				const load = (token: string) =>
					fresh.server.run(() => fresh.driver.load(KEYS.A, { abandonTransaction: token, waitForLock: true }));
				must(!load("another").success, "another trade's word was taken");
				const loaded = load(Token).unwrap();
				expect(traders.check(loaded, "A")).to.equal("aborted");
				must(!traders.points("A"), "the pointer is left");
				must(
					fresh.server.warnings.some((warning) => warning.find("given up", 1, true)[0] !== undefined),
					"nothing was said about it",
				);
			});
		});

		for (const [title, pointer] of [
			["a text", "CKTxn_x"],
			["without a token", { Key: "CKTxn_x" }],
			["with a number for its token", { Key: "CKTxn_x", Token: 5 }],
			["an empty list", []],
		] as const) {
			it(`a pointer of the wrong shape (${title}) is malformed, and stays`, () => {
				withTraders((traders, [fresh]) => {
					traders.host.empty();
					traders.world.wait(3);
					const wrong = pointer as unknown as StoredRecord["Meta"]["PendingTransaction"];
					edit(traders, "A", (record) => ({
						...record,
						Meta: { ...record.Meta, PendingTransaction: wrong },
					}));
					const { cause } = fresh.join("A");
					must(cause !== undefined, "a record was loaded whose pointer is malformed");
					must(
						cause.message.find("transaction recovery failed: malformed pending transaction", 1, true)[0] ===
							1,
						cause.message,
					);
					must(traders.points("A"), "the pointer was cleared");
				});
			});
		}

		it("a journal without the participant's entry fails with its own reason", () => {
			withTraders((traders, [fresh], world) => {
				diePrepared(traders);
				const [key] = traders.journalKeys();
				const journal = traders.journal()!;
				world.store(STORE).set(key, { ...journal, Entries: { [KEYS.B]: journal.Entries[KEYS.B] } });
				world.wait(15);
				const { cause } = fresh.join("A");
				must(cause !== undefined, "a record was loaded without its entry");
				must(
					cause.message.find(
						"transaction recovery failed: transaction participant is missing or invalid",
						1,
						true,
					)[0] === 1,
					cause.message,
				);
			});
		});

		it("a journal that cannot be read is the store's own error, and the next load works", () => {
			withTraders((traders, fresh, world) => {
				diePrepared(traders);
				const [key] = traders.journalKeys();
				world.wait(15);
				const fault = world.faults.add({ service: "DataStore", key, effect: "failBefore" });
				const { cause } = fresh[0].join("A");
				must(cause !== undefined, "a record was loaded without a decision");
				expect(cause.type).to.equal("roblox");
				fault.remove();
				FOLLOWS[0].run(traders, fresh);
				settle(traders, fresh);
				traders.audit("aborted");
			});
		});
	});
};
