import { Profile } from "../../../src/driver/profile";
import { Result } from "../../../src/result";
import { trade, TradeResult } from "../../../src/trade/trade";
import { Coins, expectText, failureOf, STORE, thrownBy } from "../driver/playerGame";
import { same } from "../driver/writeRig";
import { journalKeys, KEY_A, KEY_B, Market, open, payment, Running, theJournal } from "./market";

function committedId(result: Result<TradeResult>): string {
	const value = result.unwrap();
	if (value.outcome !== "committed") error(`the trade is ${value.outcome}`, 2);
	return value.id;
}

/** Throws unless both are as before, and free. */
function nothingHappened(market: Market): void {
	same(market.live(), "100/100", "what the profiles say");
	same(market.stored(), "100/100", "what is stored");
	same(market.writes(), 0, "the number of writes");
	for (const profile of [market.a, market.b]) {
		market.run(() => profile.update((data) => ({ ...data, coins: 101 }))).unwrap();
	}
	market.pay().unwrap();
}

/** What may come of a trade that crosses others. */
function isCommittedOrBusy({ result }: Running): boolean {
	return result !== undefined && (result.success || result.error.type === "busy");
}

export = () => {
	describe("a trade commits", () => {
		it("changes both in memory and in the store, and leaves no journal", () => {
			open((market, world) => {
				const changes = new Array<string>();
				market.a.onChanged.connect((data, previous) => changes.push(`${previous.coins}>${data.coins}`));
				const result = market.pay({ id: "sale-1" }).unwrap();
				if (result.outcome !== "committed") error("not committed");
				expect(result.id).to.equal("sale-1");
				expect(result.unsettled.size()).to.equal(0);
				expect(market.live()).to.equal("90/110");
				expect(market.stored()).to.equal("90/110");
				expect(changes.join(",")).to.equal("100>90");
				for (const key of [KEY_A, KEY_B]) {
					const { Meta, Lock } = market.game.record(key)!;
					expect(Meta.PendingTransaction).never.to.be.ok();
					expect(Meta.TransactionIds!.join(",")).to.equal("sale-1");
					expect(Lock).to.be.ok();
				}
				expect(journalKeys(world).size()).to.equal(0);
				// Nothing is left to save, and both go on.
				expect(market.run(() => market.a.save()).success).to.equal(true);
				expect(committedId(market.pay())).never.to.equal("sale-1");
				expect(market.stored()).to.equal("80/120");
			});
		});

		it("costs six writes in four rounds, the pairs in parallel, and one remove in a fifth", () => {
			open((market, world) => {
				market.pay().unwrap();
				const calls = world.trace.select({ service: "DataStore", store: STORE, since: market.since });
				const writes = calls.filter((call) => call.wrote && call.op === "UpdateAsync");
				expect(writes.size()).to.equal(6);
				expect(calls.size()).to.equal(7);
				expect(calls[6].op).to.equal("RemoveAsync");
				const kinds = writes.map(({ key }) => (key === KEY_A || key === KEY_B ? "profile" : "journal"));
				expect(kinds.join(",")).to.equal("journal,profile,profile,journal,profile,profile");
				const rounds = [[calls[0]], [calls[1], calls[2]], [calls[3]], [calls[4], calls[5]], [calls[6]]];
				let before = -1;
				for (const round of rounds) {
					for (const call of round) {
						if (call.at < before)
							error(`${call.op} of ${call.key} began before the round ahead was answered`);
						expect(call.at).to.equal(round[0].at);
					}
					before = math.max(...round.map((call) => call.answeredAt!));
				}
			});
		});

		it("writes its journal as the seed has it, tagged with both owners", () => {
			open((market, world) => {
				const crash = market.atWrite(3, "crashAfter");
				market.start({ id: "sale-1" });
				world.waitUntil(() => crash.hits > 0, 60);
				const journal = theJournal(world);
				expect(journal.Kind).to.equal("CKTransaction");
				expect(journal.State).to.equal("Preparing");
				expect(journal.Id).to.equal("sale-1");
				expect((journal.Entries[KEY_A].Data as Coins).coins).to.equal(90);
				expect((journal.Entries[KEY_B].Data as Coins).coins).to.equal(110);
				expect(journal.Entries[KEY_B].Seen.join(",")).to.equal("sale-1");
				expect(journal.Meta.UserIds.join(",")).to.equal("1,2");
				const [key] = journalKeys(world);
				expect(world.store(STORE).info(key)!.userIds.join(",")).to.equal("1,2");
				const pointer = market.game.record(KEY_A)!.Meta.PendingTransaction!;
				expect(pointer.Key).to.equal(key);
				expect(pointer.Token).to.equal(journal.Token);
			});
		});

		it("stores unsaved changes with the prepare (rule 5.2: the profile's current data)", () => {
			open((market, world) => {
				market.game.set(market.a, 150).unwrap();
				const crash = market.atWrite(3, "crashAfter");
				market.start();
				world.waitUntil(() => crash.hits > 0, 60);
				expect(market.stored()).to.equal("150/100");
			});
		});

		for (const [nth, title] of [
			[2, "a prepare"],
			[5, "a settle"],
		] as const) {
			it(`although the answer to ${title} is lost: its next try recognizes it (rule 1.2)`, () => {
				open((market) => {
					const lost = market.atWrite(nth, "loseAnswer");
					market.pay().unwrap();
					expect(lost.hits).to.equal(1);
					expect(market.stored()).to.equal("90/110");
					// That next try wrote nothing.
					expect(market.writes()).to.equal(6);
				});
			});
		}

		it("names a trade by a fresh GUID where it is given no id", () => {
			open((market) => {
				const [first, second] = [committedId(market.pay()), committedId(market.pay())];
				expect(first).never.to.equal(second);
				expect(first.size() >= 32).to.equal(true);
				expect(market.game.record(KEY_B)!.Meta.TransactionIds!.join(",")).to.equal(`${first},${second}`);
			});
		});
	});

	describe("a trade that does not begin writes nothing", () => {
		it("cancelled by the function's false", () => {
			open((market) => {
				expect(market.pay(undefined, () => false).unwrap().outcome).to.equal("cancelled");
				nothingHappened(market);
			});
		});

		it("with the same profile twice", () => {
			open((market) => {
				let ran = false;
				const result = market.run(() =>
					trade(market.a, market.a, () => {
						ran = true;
						return false;
					}),
				);
				expect(failureOf(result).type).to.equal("same_profile");
				expect(ran).to.equal(false);
				nothingHappened(market);
			});
		});

		it("with a released profile, on either side", () => {
			open((market) => {
				market.run(() => market.b.release()).unwrap();
				const ran = new Array<boolean>();
				const mutate = () => {
					ran.push(true);
					return false as const;
				};
				expect(failureOf(market.pay(undefined, mutate)).type).to.equal("released");
				const turned = market.run(() => trade(market.b, market.a, mutate));
				expect(failureOf(turned).type).to.equal("released");
				expect(ran.size()).to.equal(0);
			});
		});

		it("while another trade has one of them (busy), and the other profile is free again", () => {
			open((market, world) => {
				const { profile: c } = market.game.join(3);
				const first = market.start();
				const second = market.run(() => trade(c, market.b, payment));
				expect(failureOf(second).type).to.equal("busy");
				world.waitUntil(() => first.result !== undefined, 60);
				expect(first.result!.success).to.equal(true);
				expect(market.run(() => c.update(() => ({ coins: 7 }))).success).to.equal(true);
				expect(market.run(() => trade(c, market.b, () => false)).success).to.equal(true);
			});
		});

		it("of an id that has committed, on either side, without running the function", () => {
			open((market) => {
				market.pay({ id: "gift" }).unwrap();
				const writes = market.writes();
				const { profile: c } = market.game.join(3);
				const loaded = market.writes();
				let ran = false;
				const mutate = () => {
					ran = true;
					return false as const;
				};
				const pairsOfThem: ReadonlyArray<[Profile<Coins>, Profile<Coins>]> = [
					[market.a, market.b],
					[market.a, c],
					[c, market.a],
				];
				for (const [first, second] of pairsOfThem) {
					const result = market.run(() => trade(first, second, mutate, { id: "gift" }));
					expect(failureOf(result).type).to.equal("duplicate_id");
				}
				expect(ran).to.equal(false);
				expect(market.writes()).to.equal(loaded);
				expect(loaded > writes).to.equal(true);
				expect(market.live()).to.equal("90/110");
			});
		});

		it("of an id that committed before the profile was loaded here", () => {
			open((market, world) => {
				market.pay({ id: "gift" }).unwrap();
				market.run(() => market.a.release()).unwrap();
				market.run(() => market.b.release()).unwrap();
				const other = new Market(world);
				expect(failureOf(other.pay({ id: "gift" })).type).to.equal("duplicate_id");
			});
		});

		it("whose function throws: the error goes on as it is", () => {
			open((market) => {
				const thrown = { reason: "no deal" };
				const running = market.beside(() =>
					trade(market.a, market.b, () => {
						error(thrown);
					}),
				);
				expect(running.thrown).to.equal(thrown);
				nothingHappened(market);
			});
		});

		it("whose function yields", () => {
			open((market) => {
				const why = thrownBy(() =>
					market.pay(undefined, (mine, yours) => {
						market.game.server.platform.task.wait(1);
						return payment(mine, yours);
					}),
				);
				expectText(why, "yielded, which it may not");
				nothingHappened(market);
			});
		});

		it("whose function returns neither two data nor false", () => {
			open((market) => {
				expectText(
					thrownBy(() => market.pay(undefined, () => true as never)),
					"returns both data, or false",
				);
				for (const junk of [[{ coins: 1 }], [{ coins: 1 }, 7], [{ coins: 0 / 0 }, { coins: 1 }]]) {
					expect(failureOf(market.pay(undefined, () => junk as never)).type).to.equal("invalid_data");
				}
				nothingHappened(market);
			});
		});

		it("whose function updates one of the profiles, or begins another trade of them", () => {
			open((market) => {
				const why = thrownBy(() =>
					market.pay(undefined, () => {
						market.a.update((data) => data);
						return false;
					}),
				);
				expectText(why, "inside the function of a trade or transaction");
				let inner: Result<TradeResult> | undefined;
				const outer = market.pay(undefined, () => {
					inner = trade(market.a, market.b, payment);
					return false;
				});
				expect(outer.unwrap().outcome).to.equal("cancelled");
				expect(failureOf(inner!).type).to.equal("busy");
				nothingHappened(market);
			});
		});

		it("whose data do not fit into one journal: both sizes are told", () => {
			open((market, world) => {
				const big = market.game.server.run(() => market.game.newDriver({ name: "Big" })) as never;
				const driver = big as { load(key: string): Result<Profile<{ coins: number; text?: string }>> };
				const [a, b] = ["x", "y"].map((key) => market.run(() => driver.load(key)).unwrap());
				const since = world.now();
				const result = market.run(() =>
					trade(a, b, () => [
						{ coins: 1, text: string.rep("a", 2_100_000) },
						{ coins: 1, text: string.rep("b", 2_150_000) },
					]),
				);
				const failure = failureOf(result);
				expect(failure.type).to.equal("invalid_data");
				const sizes = [...failure.message.gmatch("(%d+) bytes%)")].map((match) => tonumber(match[0])!);
				expect(sizes.size()).to.equal(2);
				expect(sizes[0] >= 2_100_000 && sizes[0] < 2_110_000).to.equal(true);
				expect(sizes[1] >= 2_150_000 && sizes[1] < 2_160_000).to.equal(true);
				expect(world.trace.count({ store: "Big", since })).to.equal(0);
			});
		});
	});

	describe("misuse is thrown before the first write", () => {
		it("something that is not a profile, or no function", () => {
			open((market) => {
				expectText(
					thrownBy(() => market.run(() => trade({} as never, market.b, payment))),
					"first argument",
					"not a profile",
				);
				expectText(
					thrownBy(() => market.run(() => trade(market.a, undefined as never, payment))),
					"second argument",
				);
				expectText(
					thrownBy(() => market.run(() => trade(market.a, market.b, 7 as never))),
					"takes a function",
				);
				nothingHappened(market);
			});
		});

		it("profiles of two drivers (rule 5.1)", () => {
			open((market) => {
				const other = market.run(() => market.game.newDriver({ name: "Other" }));
				const c = market.run(() => other.load("c")).unwrap();
				expectText(
					thrownBy(() => market.run(() => trade(market.a, c, payment))),
					"of one driver",
				);
			});
		});

		it("an unknown option, options that are none, and ids that are no good", () => {
			open((market) => {
				expectText(
					thrownBy(() => market.pay({ ID: "x" } as never)),
					'no option "ID"',
				);
				expectText(
					thrownBy(() => market.pay("x" as never)),
					"options are a table",
				);
				for (const id of ["", string.rep("x", 101), 7, "\xff"]) {
					expectText(
						thrownBy(() => market.pay({ id: id as string })),
						"1 to 100 bytes",
					);
				}
				expect(committedId(market.pay({ id: string.rep("x", 100) })).size()).to.equal(100);
			});
		});

		it("a trade begun inside an update's function leaves both profiles free", () => {
			open((market) => {
				const why = thrownBy(() =>
					market.run(() =>
						market.a.update((data) => {
							trade(market.a, market.b, payment);
							return data;
						}),
					),
				);
				expectText(why, "inside the function given to profile.update");
				nothingHappened(market);
			});
		});
	});

	describe("a participant that cannot be saved takes the trade off", () => {
		it("save_failed with its cause; nobody's data changed, and both go on", () => {
			open((market, world) => {
				const outage = market.fault({ op: "UpdateAsync", key: KEY_B, effect: "failBefore" });
				const running = market.start();
				world.waitUntil(() => outage.hits > 3, 60);
				world.waitUntil(() => theJournal(world).State === "Aborted", 60);
				outage.remove();
				world.waitUntil(() => running.result !== undefined, 60);
				const failure = failureOf(running.result!);
				expect(failure.type).to.equal("save_failed");
				expect(failure.cause!.type).to.equal("roblox");
				expectText(failure.message, KEY_B);
				expect(market.live()).to.equal("100/100");
				expect(market.stored()).to.equal("100/100");
				expect(journalKeys(world).size()).to.equal(0);
				expect(market.pay().success).to.equal(true);
			});
		});

		it("one whose lock another server took: save_failed, its cause says so, and the other goes on", () => {
			open((market, world) => {
				const record = market.game.record(KEY_B)!;
				world.store(STORE).set(KEY_B, {
					...record,
					Lock: { ...record.Lock!, JobId: "elsewhere", Token: "x", Turn: 9 },
				});
				const failure = failureOf(market.pay());
				expect(failure.type).to.equal("save_failed");
				expect(failure.cause!.type).to.equal("lock_lost");
				expect(market.b.active).to.equal(false);
				expect(market.a.active).to.equal(true);
				expect(market.game.coins(KEY_A)).to.equal(100);
				// Its session has ended as lost, and whoever has the record has finished the trade: it is not waited for.
				same(market.ended.join(), "", "the profiles that the trade has left open");
				expect(market.game.record(KEY_A)!.Meta.PendingTransaction).never.to.be.ok();
				expect(market.game.set(market.a, 5).success).to.equal(true);
				// Nobody's load would come to the journal any more.
				world.waitUntil(() => journalKeys(world).isEmpty(), 60);
			});
		});

		it("a journal that cannot be written: save_failed, and nothing points anywhere", () => {
			open((market) => {
				const outage = market.fault({ op: "UpdateAsync", effect: "failBefore" });
				const failure = failureOf(market.pay());
				outage.remove();
				expect(failure.type).to.equal("save_failed");
				expect(failure.cause).to.be.ok();
				nothingHappened(market);
			});
		});

		it("a journal whose answers are lost: save_failed, and it does not stay (I14)", () => {
			open((market, world) => {
				const lost = market.fault({ op: "UpdateAsync", keyPrefix: "CKTxn_", effect: "loseAnswer" });
				expect(failureOf(market.pay()).type).to.equal("save_failed");
				lost.remove();
				world.waitUntil(() => journalKeys(world).isEmpty(), 60);
				same(market.stored(), "100/100", "what is stored");
			});
		});

		it("where the abort is not answered, either: pending, since aborted is said of a durable abort only (rule 5.7)", () => {
			open((market, world) => {
				const record = market.game.record(KEY_B)!;
				const Lock = { ...record.Lock!, JobId: "elsewhere", Token: "x", Turn: 9 };
				world.store(STORE).set(KEY_B, { ...record, Lock });
				market.fault({ op: "UpdateAsync", keyPrefix: "CKTxn_", nth: 2, effect: "failBefore" });
				expect(failureOf(market.pay()).type).to.equal("pending_recovery");
				expect(market.a.active).to.equal(false);
			});
		});

		it("trade_aborted where somebody has decided so first", () => {
			open((market, world) => {
				market.fault({ op: "UpdateAsync", durableOnly: true, nth: 2, count: 1, effect: "delay", seconds: 5 });
				const running = market.start();
				world.waitUntil(() => journalKeys(world).size() === 1, 30);
				const [key] = journalKeys(world);
				world.store(STORE).set(key, { ...theJournal(world), State: "Aborted" });
				world.waitUntil(() => running.result !== undefined, 60);
				expect(failureOf(running.result!).type).to.equal("trade_aborted");
				expect(market.live()).to.equal("100/100");
				expect(market.stored()).to.equal("100/100");
				expect(journalKeys(world).size()).to.equal(0);
				expect(market.pay().success).to.equal(true);
			});
		});
	});

	describe("rule 5.5: a journal that is gone before the decision was finished by somebody else, and the records say how", () => {
		for (const [title, isCommitted] of [
			["committed, where one has the trade's id", true],
			["pending, where none has it: absence is no decision", false],
		] as const) {
			it(title, () => {
				open((market, world) => {
					const slow = { durableOnly: true, op: "UpdateAsync", effect: "delay", seconds: 5 } as const;
					market.fault({ ...slow, key: KEY_A, count: 1 });
					const running = market.start({ id: "sale-1" });
					const points = () => market.game.record(KEY_B)!.Meta.PendingTransaction !== undefined;
					world.waitUntil(points, 30);
					world.store(STORE).remove(journalKeys(world)[0]);
					if (isCommitted) {
						const record = market.game.record(KEY_B)!;
						const Meta = { ...record.Meta, PendingTransaction: undefined, TransactionIds: ["sale-1"] };
						world.store(STORE).set(KEY_B, { ...record, Data: { coins: 110 }, Meta });
					}
					world.waitUntil(() => running.result !== undefined, 60);
					if (isCommitted) {
						expect(committedId(running.result!)).to.equal("sale-1");
						same(market.stored(), "90/110", "what is stored");
					} else {
						expect(failureOf(running.result!).type).to.equal("pending_recovery");
					}
				});
			});
		}
	});

	describe("while a trade holds a profile", () => {
		it("an update waits for it, and is not lost", () => {
			open((market, world) => {
				const running = market.start();
				const seen = new Array<number>();
				let endedAt: number | undefined;
				market.game.server.spawn(() => {
					market.a.update((data) => {
						seen.push(data.coins);
						return { coins: data.coins + 1 };
					});
					endedAt = world.now();
				});
				expect(endedAt).never.to.be.ok();
				world.waitUntil(() => running.result !== undefined && endedAt !== undefined, 60);
				expect(seen.join(",")).to.equal("90");
				expect(market.live()).to.equal("91/110");
				market.run(() => market.a.save()).unwrap();
				expect(market.stored()).to.equal("91/110");
			});
		});

		it("saves do not slip between its writes", () => {
			open((market, world) => {
				market.game.set(market.a, 150).unwrap();
				const running = market.start();
				let saved: Result<undefined> | undefined;
				market.game.server.spawn(() => (saved = market.a.save()));
				world.waitUntil(() => running.result !== undefined, 60);
				const endedAt = running.endedAt!;
				const writes = world.trace.durableWrites({
					store: STORE,
					key: KEY_A,
					since: market.since,
					upTo: endedAt - 0.001,
				});
				expect(writes).to.equal(2);
				world.waitUntil(() => saved !== undefined, 60);
				expect(saved!.success).to.equal(true);
				expect(market.stored()).to.equal("140/110");
			});
		});

		it("a save that is under way is waited for, and lands first", () => {
			open((market, world) => {
				market.game.set(market.a, 150).unwrap();
				market.fault({ op: "UpdateAsync", key: KEY_A, count: 1, effect: "delay", seconds: 3 });
				market.game.server.spawn(() => market.a.save());
				const begunAt = world.now();
				const running = market.start();
				world.waitUntil(() => running.result !== undefined, 60);
				expect(running.result!.success).to.equal(true);
				expect(running.endedAt! - begunAt >= 3).to.equal(true);
				expect(market.stored()).to.equal("140/110");
			});
		});

		it("a save under way that finds the lock lost ends it before its first write", () => {
			open((market, world) => {
				market.game.set(market.a, 150).unwrap();
				market.fault({ op: "UpdateAsync", key: KEY_A, count: 1, effect: "delay", seconds: 3 });
				market.game.server.spawn(() => market.a.save());
				world.wait(1);
				const record = market.game.record(KEY_A)!;
				const turn = record.Meta.Turn + 1;
				const lock = { ...record.Lock!, JobId: "elsewhere", Token: "x", Turn: turn };
				world.store(STORE).set(KEY_A, { ...record, Lock: lock, Meta: { ...record.Meta, Turn: turn } });
				const since = world.now();
				expect(failureOf(market.pay()).type).to.equal("lock_lost");
				expect(world.trace.durableWrites({ since })).to.equal(0);
				expect(market.b.active).to.equal(true);
			});
		});

		it("a thread of the game that is cancelled half-way leaves neither held", () => {
			open((market, world) => {
				const { task: taskLibrary } = market.game.server.platform;
				const trading = market.run(() => taskLibrary.spawn(() => trade(market.a, market.b, payment)));
				world.wait(0.05);
				market.run(() => taskLibrary.cancel(trading));
				expect(market.run(() => market.a.update((data) => ({ coins: data.coins + 1 }))).success).to.equal(true);
				expect(market.live()).to.equal("91/110");
				expect(market.pay().success).to.equal(true);
			});
		});

		it("a removal that is never answered holds neither for good", () => {
			open((market, world) => {
				market.fault({ op: "RemoveAsync", effect: "hang" });
				const running = market.start();
				world.waitUntil(() => running.result !== undefined, 60);
				expect(running.result!.success).to.equal(true);
				expect(market.run(() => market.a.update((data) => ({ coins: data.coins + 1 }))).success).to.equal(true);
			});
		});
	});

	describe("trades that cross never deadlock", () => {
		it("A with B and B with A at once: each commits or is busy", () => {
			open((market, world) => {
				const one = market.start();
				const two = market.beside(() => trade(market.b, market.a, payment));
				world.waitUntil(() => one.endedAt !== undefined && two.endedAt !== undefined, 60);
				expect(isCommittedOrBusy(one) && isCommittedOrBusy(two)).to.equal(true);
				expect(one.result!.success || two.result!.success).to.equal(true);
				expect(market.a.data.coins + market.b.data.coins).to.equal(200);
				expect(market.pay().success).to.equal(true);
			});
		});

		it("a ring of three: each commits or is busy, and nothing is lost", () => {
			open((market, world) => {
				const { profile: c } = market.game.join(3);
				const ring: ReadonlyArray<[Profile<Coins>, Profile<Coins>]> = [
					[market.a, market.b],
					[market.b, c],
					[c, market.a],
				];
				const all = ring.map(([from, to]) => market.beside(() => trade(from, to, payment)));
				world.waitUntil(() => all.every(({ endedAt }) => endedAt !== undefined), 120);
				expect(all.every(isCommittedOrBusy)).to.equal(true);
				expect(market.a.data.coins + market.b.data.coins + c.data.coins).to.equal(200);
				for (const [from, to] of ring) {
					expect(market.run(() => trade(from, to, payment)).success).to.equal(true);
				}
			});
		});
	});
};
