import { BackendFactory } from "../../../src/backend/factory";
import { dataStoreBackend } from "../../../src/backend/dataStore";
import { httpBackend } from "../../../src/backend/http/http";
import { memoryBackend } from "../../../src/backend/memory";
import { MemoryRecords } from "../../../src/backend/memoryRecords";
import { StoreClock } from "../../../src/backend/storeClock";
import { LoadOptions } from "../../../src/driver/options";
import { BatonError } from "../../../src/errors";
import { StoredRecord } from "../../../src/record/types";
import { err } from "../../../src/result";
import { Journal } from "../../../src/trade/journal";
import { Recovery } from "../../../src/trade/recovery";
import { trade } from "../../../src/trade/trade";
import { World } from "../../cloud/world";
import { simulate } from "../../cloud/simulate";
import { RecordServer } from "../backend/recordServer";
import { Coins, expectText, failureOf, play, PlayerGame, recordOf, STORE } from "../driver/playerGame";
import { check, same } from "../driver/writeRig";
import { journalKeys, KEY_A, KEY_B, payment } from "./market";

/** Given by the host that runs the specs: starts a real web server on this machine and returns its URL. */
declare const __BATON_LOOPBACK: ((kind: "enforcing" | "ignoring") => string) | undefined;

const start = __BATON_LOOPBACK;
const POINTER = { Key: "CKTxn_x", Token: "token-x" };
const PREFIX = "transaction recovery failed: ";

/** A journal of A's payment to B, in the store of `world`. */
function plantJournal(world: World, change: Partial<Journal> = {}): void {
	const journal: Journal = {
		Kind: "CKTransaction",
		Token: POINTER.Token,
		Id: "sale",
		State: "Committed",
		Entries: {
			[KEY_A]: { Data: { coins: 90 }, Seen: ["old", "sale"] },
			[KEY_B]: { Data: { coins: 110 }, Seen: ["sale"] },
		},
		Settled: {},
		Meta: { UserIds: [1, 2] },
		...change,
	};
	world.store(STORE).set(POINTER.Key, journal, { userIds: [1, 2] });
}

/** A participant's record with 100 coins that points at the journal. */
function plant(world: World, key: string, pointer: unknown = POINTER, fields: Partial<StoredRecord> = {}): void {
	const record = recordOf(100, fields);
	world.store(STORE).set(key, { ...record, Meta: { ...record.Meta, PendingTransaction: pointer } });
}

function journalOf(world: World): Journal | undefined {
	return world.store(STORE).get(POINTER.Key) as Journal | undefined;
}

function load(lobby: PlayerGame, key: string, options?: LoadOptions) {
	return lobby.server.run(() => lobby.driver.load(key, options));
}

/** Throws unless the load of A fails at once, by `reason`, with the record as it was. */
function failsBy(lobby: PlayerGame, world: World, reason: string): BatonError {
	const before = lobby.record(KEY_A)!;
	const since = world.now();
	const failure = failureOf(load(lobby, KEY_A, { waitForLock: true }));
	same(failure.type, "recovery_failed", "the error's type");
	expectText(failure.message, `${PREFIX}${reason}`);
	check(world.now() - since < 4, "a wait followed");
	const after = lobby.record(KEY_A)!;
	same((after.Data as Coins).coins, (before.Data as Coins).coins, "the data");
	same(after.Lock?.Token, before.Lock?.Token, "the lock");
	check(after.Meta.PendingTransaction !== undefined, "the pointer is gone");
	return failure;
}

/** The backend of `inner` as long as `works`, by the number of the update from 1. */
function failing(inner: BackendFactory, works: (nth: number) => boolean): BackendFactory {
	return (context) => {
		const backend = inner(context);
		let updates = 0;
		return {
			name: backend.name,
			hasStoreTime: backend.hasStoreTime,
			update(key, transform) {
				updates += 1;
				if (works(updates)) return backend.update(key, transform);
				return err(new BatonError("roblox", "spec: the store is down", { retryable: true }));
			},
			read(key, fresh) {
				return backend.read(key, fresh);
			},
			remove(key) {
				return backend.remove!(key);
			},
		};
	};
}

/** Two players trade over `backend`, then are loaded by another server once their locks are old; the amounts. */
function tradeOver(world: World, first: BackendFactory, then_: BackendFactory): string {
	const one = new PlayerGame(world, { driver: { backend: first } });
	const [a, b] = [KEY_A, KEY_B].map((key) => load(one, key).unwrap());
	for (const profile of [a, b]) {
		one.set(profile, 100).unwrap();
		one.server.run(() => profile.save()).unwrap();
	}
	one.server.run(() => trade(a, b, payment, { id: "sale" }));
	one.server.crash();
	world.wait(250);
	const other = new PlayerGame(world, { driver: { backend: then_ } });
	const coins = [KEY_A, KEY_B].map((key) => load(other, key).unwrap().data.coins);
	return coins.join("/");
}

export = () => {
	describe("the module's own members (seed: API reference)", () => {
		function recoveryOn(lobby: PlayerGame): Recovery {
			const { platform } = lobby.server;
			const backend = dataStoreBackend({ platform, store: STORE });
			return new Recovery({ store: STORE, platform, backend, storeClock: new StoreClock(platform.clock) });
		}

		const held = { JobId: "elsewhere", Token: "theirs", Turn: 1, Seq: 1, Time: 0 };

		it("resolve without a rule: a lock younger than the TTL is owned, an older one is passed", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A, POINTER, { Lock: held });
				const recovery = recoveryOn(lobby);
				const early = failureOf(lobby.server.run(() => recovery.resolve(KEY_A, POINTER)));
				expectText(early.message, "transaction participant is still owned");
				world.wait(181);
				expect(lobby.server.run(() => recovery.resolve(KEY_A, POINTER)).success).to.equal(true);
				const { Lock, Meta } = lobby.record(KEY_A)!;
				expect(Lock).to.equal(undefined);
				expect(Meta.PendingTransaction).to.equal(undefined);
			});
		});

		it("valid tells a journal of the token; cleanup deletes it; a missing one is no error to acknowledge", () => {
			play((lobby, world) => {
				plantJournal(world);
				expect(Recovery.valid(journalOf(world), POINTER.Token)).to.equal(true);
				expect(Recovery.valid(journalOf(world), "other")).to.equal(false);
				const recovery = recoveryOn(lobby);
				lobby.server.run(() => recovery.cleanup(POINTER.Key));
				expect(journalOf(world)).to.equal(undefined);
				lobby.server.run(() => recovery.acknowledge(POINTER.Key, POINTER.Token, KEY_A));
				expect(journalOf(world)).to.equal(undefined);
			});
		});

		it("resolve fails on a pointer that is none, and on one that leads nowhere, by the seed's reasons", () => {
			play((lobby, world) => {
				const recovery = recoveryOn(lobby);
				for (const [pointer, reason] of [
					["text", "malformed pending transaction"],
					[POINTER, "transaction journal is missing or invalid"],
				] as const) {
					plant(world, KEY_A, pointer);
					const failure = failureOf(lobby.server.run(() => recovery.resolve(KEY_A, pointer)));
					expectText(failure.message, `${PREFIX}${reason}`);
				}
			});
		});
	});

	describe("recovery in load: the seed's five steps", () => {
		it("a committed trade is applied with its ids; the journal waits for the peer, whose load removes it", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A);
				plant(world, KEY_B);
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
				expect(lobby.coins(KEY_A)).to.equal(90);
				expect(lobby.record(KEY_A)!.Meta.TransactionIds!.join(",")).to.equal("old,sale");
				expect(lobby.record(KEY_A)!.Meta.PendingTransaction).never.to.be.ok();
				expect(lobby.coins(KEY_B)).to.equal(100);
				expect(journalOf(world)!.State).to.equal("Committed");
				expect(journalOf(world)!.Settled[KEY_A]).to.equal(true);
				expect(journalOf(world)!.Settled[KEY_B]).never.to.be.ok();
				expect(world.store(STORE).info(POINTER.Key)!.userIds.join(",")).to.equal("1,2");
				expect(load(lobby, KEY_B).unwrap().data.coins).to.equal(110);
				expect(journalOf(world)).never.to.be.ok();
			});
		});

		it("an undecided one is aborted in its journal, and both keep their data", () => {
			play((lobby, world) => {
				plantJournal(world, { State: "Preparing" });
				plant(world, KEY_A);
				plant(world, KEY_B);
				expect(load(lobby, KEY_B).unwrap().data.coins).to.equal(100);
				expect(journalOf(world)!.State).to.equal("Aborted");
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(100);
				expect(lobby.record(KEY_A)!.Meta.TransactionIds).never.to.be.ok();
				expect(journalOf(world)).never.to.be.ok();
			});
		});

		it("a peer without pointer is acknowledged for it, once it refuses a late prepare (rule 5.3)", () => {
			play((lobby, world) => {
				plantJournal(world, { State: "Preparing" });
				plant(world, KEY_A);
				world.store(STORE).set(KEY_B, recordOf(100));
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(100);
				expect(lobby.record(KEY_B)!.Meta.RefusedTransaction).to.equal(POINTER.Token);
				expect(lobby.coins(KEY_B)).to.equal(100);
				expect(journalOf(world)).never.to.be.ok();
			});
		});

		it("a participant that was settled before keeps what it holds (rule 5.6)", () => {
			play((lobby, world) => {
				plantJournal(world, { Settled: { [KEY_A]: true } });
				plant(world, KEY_A);
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(100);
			});
		});

		it("a journal whose empty Settled was left out is finished all the same", () => {
			play((lobby, world) => {
				plantJournal(world, { Settled: undefined as never });
				plant(world, KEY_A);
				plant(world, KEY_B);
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
			});
		});

		it("no code of a game sees a record that is half-way through", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A);
				const { profile } = lobby.join(1);
				expect(profile.data.coins).to.equal(90);
				expect(lobby.ready.size()).to.equal(1);
			});
		});

		it("two servers that recover both at once agree", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A);
				plant(world, KEY_B);
				const other = new PlayerGame(world);
				let coins: number | undefined;
				other.server.spawn(() => (coins = other.driver.load(KEY_B).unwrap().data.coins));
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
				world.waitUntil(() => coins !== undefined, 60);
				expect(coins).to.equal(110);
				world.wait(5);
				expect(journalOf(world)).never.to.be.ok();
			});
		});
	});

	describe("recovery goes by the load's own ownership rule", () => {
		const Lock = { JobId: "elsewhere", Token: "foreign", Turn: 1, Seq: 3, Time: 1767225600 };

		it("a held lock still wins: nothing is decided", () => {
			play((lobby, world) => {
				plantJournal(world, { State: "Preparing" });
				plant(world, KEY_A, POINTER, { Lock });
				expect(failureOf(load(lobby, KEY_A)).type).to.equal("profile_locked");
				expect(journalOf(world)!.State).to.equal("Preparing");
			});
		});

		it("one that is old enough for the load is passed, and removed with the settle", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A, POINTER, { Lock });
				world.wait(250);
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
				expect(lobby.record(KEY_A)!.Lock!.JobId).to.equal(lobby.server.platform.jobId);
			});
		});

		it("another server that takes the lock in between makes it fail: still owned", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A);
				world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					key: POINTER.Key,
					count: 1,
					effect: "delay",
					seconds: 2,
				});
				world.after(1, () => plant(world, KEY_A, POINTER, { Lock }));
				const failure = failureOf(load(lobby, KEY_A));
				expect(failure.type).to.equal("recovery_failed");
				expectText(failure.message, `${PREFIX}transaction participant is still owned`);
				expect(lobby.record(KEY_A)!.Lock!.Token).to.equal("foreign");
				expect(lobby.coins(KEY_A)).to.equal(100);
			});
		});
	});

	describe("a recovery that fails leaves the record, word for word with the seed's reason, and no wait follows", () => {
		it("malformed pending transaction", () => {
			play((lobby, world) => {
				for (const pointer of ["text", 7, {}, { Key: "CKTxn_x" }, { Token: "t" }, { Key: 1, Token: "t" }]) {
					plant(world, KEY_A, pointer);
					failsBy(lobby, world, "malformed pending transaction");
				}
			});
		});

		it("transaction journal is missing or invalid", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				failsBy(lobby, world, "transaction journal is missing or invalid");
				const broken: ReadonlyArray<Partial<Record<keyof Journal, unknown>>> = [
					{ Kind: "Other" },
					{ Token: "other" },
					{ State: "Done" },
					{ Entries: 7 },
				];
				for (const change of broken) {
					plantJournal(world, change as Partial<Journal>);
					failsBy(lobby, world, "transaction journal is missing or invalid");
				}
			});
		});

		it("transaction participant is missing or invalid", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				plantJournal(world, { Entries: { [KEY_B]: { Data: { coins: 110 }, Seen: [] } } });
				failsBy(lobby, world, "transaction participant is missing or invalid");
				plantJournal(world, { Entries: { [KEY_A]: { Seen: [] } as never } });
				failsBy(lobby, world, "transaction participant is missing or invalid");
			});
		});

		it("a read that failed is reported as the backend's own error instead", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A);
				world.faults.add({ service: "DataStore", key: POINTER.Key, effect: "failBefore" });
				const failure = failureOf(load(lobby, KEY_A));
				expect(failure.type).to.equal("roblox");
				expect(failure.message.find(PREFIX, 1, true)[0]).never.to.be.ok();
				expect(lobby.coins(KEY_A)).to.equal(100);
				expect(lobby.record(KEY_A)!.Lock).never.to.be.ok();
			});
		});

		it("a joining player is kicked at once with the load-failure message", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				const since = world.now();
				lobby.server.join(1);
				world.waitUntil(() => lobby.server.kicks.size() > 0, 30);
				expect(world.now() - since < 4).to.equal(true);
				expectText(lobby.server.kicks[0].message, "could not be loaded");
				expect(lobby.failed[0].cause.type).to.equal("recovery_failed");
			});
		});

		it("a journal that is gone since another server has finished it is no failure (rule 5.6)", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					key: POINTER.Key,
					count: 1,
					effect: "delay",
					seconds: 2,
				});
				world.after(1, () => world.store(STORE).set(KEY_A, recordOf(90)));
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
			});
		});
	});

	describe("cleaning up", () => {
		it("asks the journal twice for the first of the two, and three times where the peer is found done (seed, step 4)", () => {
			for (const [peerPoints, updates] of [
				[true, 2],
				[false, 3],
			] as const) {
				play((lobby, world) => {
					plantJournal(world);
					plant(world, KEY_A);
					if (peerPoints) plant(world, KEY_B);
					load(lobby, KEY_A).unwrap();
					expect(world.trace.count({ op: "UpdateAsync", key: POINTER.Key })).to.equal(updates);
					expect(journalOf(world) !== undefined).to.equal(peerPoints);
				});
			}
		});

		it("an acknowledgement that fails leaves a journal behind, nothing else", () => {
			play((lobby, world) => {
				plantJournal(world);
				plant(world, KEY_A);
				world.store(STORE).set(KEY_B, recordOf(110));
				world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					key: POINTER.Key,
					nth: 2,
					effect: "failBefore",
				});
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
				expect(journalOf(world)!.State).to.equal("Committed");
				expect(lobby.coins(KEY_B)).to.equal(110);
			});
		});

		for (const op of ["GetAsync", "UpdateAsync"]) {
			it(`a peer of which nothing is known is not said to be done: its ${op} fails (rule 5.3)`, () => {
				play((lobby, world) => {
					plantJournal(world);
					plant(world, KEY_A);
					world.store(STORE).set(KEY_B, recordOf(110));
					world.faults.add({ service: "DataStore", op, key: KEY_B, effect: "failBefore" });
					expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
					expect(journalOf(world)!.Settled[KEY_A]).to.equal(true);
					expect(journalOf(world)!.Settled[KEY_B]).never.to.be.ok();
					expect(lobby.record(KEY_B)!.Meta.RefusedTransaction).never.to.be.ok();
				});
			});
		}

		it("a removal that is never answered does not keep the load", () => {
			play((lobby, world) => {
				plantJournal(world, { Settled: { [KEY_B]: true } });
				plant(world, KEY_A);
				world.faults.add({ service: "DataStore", op: "RemoveAsync", effect: "hang" });
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
			});
		});

		it("a backend without remove keeps the settled journal", () => {
			simulate({ seed: 1 }, (world) => {
				const bare: BackendFactory = (context) => {
					const inner = dataStoreBackend(context);
					return {
						name: "Bare",
						hasStoreTime: true,
						update(key, transform) {
							return inner.update(key, transform);
						},
						read(key, fresh) {
							return inner.read(key, fresh);
						},
					};
				};
				const lobby = new PlayerGame(world, { driver: { backend: bare } });
				plantJournal(world);
				plant(world, KEY_A);
				plant(world, KEY_B);
				expect(load(lobby, KEY_A).unwrap().data.coins).to.equal(90);
				expect(load(lobby, KEY_B).unwrap().data.coins).to.equal(110);
				const { Settled } = journalOf(world)!;
				expect(Settled[KEY_A] && Settled[KEY_B]).to.equal(true);
			});
		});
	});

	describe("abandonTransaction: an operator's word for a pointer that leads nowhere (rule 5.8)", () => {
		it("keeps the data, clears that pointer and warns", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				const profile = load(lobby, KEY_A, { abandonTransaction: POINTER.Token }).unwrap();
				expect(profile.data.coins).to.equal(100);
				expect(lobby.record(KEY_A)!.Meta.PendingTransaction).never.to.be.ok();
				expect(
					lobby.server.warnings.filter((text) => text.find(KEY_A, 1, true)[0] !== undefined).size(),
				).to.equal(1);
				expectText(lobby.server.warnings.join("\n"), "is given up, as the load was told to");
			});
		});

		it("does nothing by itself, and nothing for another token", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				failsBy(lobby, world, "transaction journal is missing or invalid");
				expect(failureOf(load(lobby, KEY_A, { abandonTransaction: "other" })).type).to.equal("recovery_failed");
				expect(lobby.record(KEY_A)!.Meta.PendingTransaction).to.be.ok();
			});
		});

		it("never drops a trade whose journal is there", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				plantJournal(world);
				expect(load(lobby, KEY_A, { abandonTransaction: POINTER.Token }).unwrap().data.coins).to.equal(90);
			});
		});
	});

	describe("peek covers trade pointers, and writes nothing (rule 6.4)", () => {
		function peeks(change: Partial<Journal> | undefined, coins: number | string): void {
			play((lobby, world) => {
				plant(world, KEY_A);
				if (change !== undefined) plantJournal(world, change);
				const since = world.now();
				const peeked = lobby.server.run(() => lobby.driver.peek(KEY_A));
				same(peeked.success ? peeked.value!.coins : peeked.error.type, coins, "what peek shows");
				same(world.trace.durableWrites({ service: "DataStore", since }), 0, "the number of writes");
				check(lobby.record(KEY_A)!.Meta.PendingTransaction !== undefined, "the pointer is gone");
			});
		}

		it("committed and unsettled: the entry's data", () => peeks({}, 90));
		it("committed and settled: the record's", () => peeks({ Settled: { [KEY_A]: true } }, 100));
		it("undecided: the record's", () => peeks({ State: "Preparing" }, 100));
		it("aborted: the record's", () => peeks({ State: "Aborted" }, 100));
		it("without a journal, or with another's: unresolved_transaction", () => {
			peeks(undefined, "unresolved_transaction");
			peeks({ Token: "other" }, "unresolved_transaction");
			peeks({ Entries: {} }, "unresolved_transaction");
		});

		it("counts what the journal says only if the record still points at it", () => {
			play((lobby, world) => {
				plant(world, KEY_A);
				plantJournal(world);
				world.faults.add({
					service: "DataStore",
					op: "GetAsync",
					key: POINTER.Key,
					count: 1,
					effect: "delay",
					seconds: 2,
				});
				world.after(1, () => world.store(STORE).set(KEY_A, recordOf(77)));
				expect(lobby.server.run(() => lobby.driver.peek(KEY_A)).unwrap()!.coins).to.equal(77);
			});
		});

		it("a malformed pointer is unresolved, and a failed read of the journal is the backend's error", () => {
			play((lobby, world) => {
				plant(world, KEY_A, "text");
				expect(failureOf(lobby.server.run(() => lobby.driver.peek(KEY_A))).type).to.equal(
					"unresolved_transaction",
				);
				plant(world, KEY_A);
				plantJournal(world);
				world.faults.add({ service: "DataStore", key: POINTER.Key, effect: "failBefore" });
				expect(failureOf(lobby.server.run(() => lobby.driver.peek(KEY_A))).type).to.equal("roblox");
			});
		});
	});

	describe("backends", () => {
		/** Two acquires and two saves, then the six writes of the trade. */
		const BEFORE = 4;

		it("Memory, shared by two servers: interrupted after each write", () => {
			for (let writes = 0; writes <= 6; writes++) {
				simulate({ seed: 1 }, (world) => {
					const shared = new MemoryRecords();
					const cut = failing(memoryBackend(shared), (nth) => nth <= BEFORE + writes);
					const outcome = tradeOver(world, cut, memoryBackend(shared));
					same(outcome, writes < 4 ? "100/100" : "90/110", `the outcome after write ${writes}`);
				});
			}
		});

		it("Http, over a server that enforces preconditions: interrupted after each write", () => {
			for (let writes = 0; writes <= 6; writes++) {
				simulate({ seed: 1 }, (world) => {
					const api = new RecordServer();
					world.services.web.serve("https://data.example.com/v1", api.handle);
					const http = httpBackend({ url: "https://data.example.com/v1", remove: true });
					const cut = failing(http, (nth) => nth <= BEFORE + writes);
					const outcome = tradeOver(world, cut, http);
					same(outcome, writes < 4 ? "100/100" : "90/110", `the outcome after write ${writes}`);
					for (const [path] of api.records) {
						const isJournal = path.find("CKTxn_", 1, true)[0] !== undefined;
						// Nobody points at one that was made and no more.
						if (isJournal && writes !== 1) error(`a journal is left after write ${writes}`);
					}
				});
			}
		});

		// Studio reaches no web server of its machine.
		const itReal = start !== undefined ? it : itSKIP;

		itReal("Http over real HTTP, with preconditions enforced: interrupted after each write", () => {
			for (let writes = 0; writes <= 6; writes++) {
				const url = start!("enforcing");
				simulate({ seed: 1 }, (world) => {
					const http = httpBackend({ url, remove: true });
					const cut = failing(http, (nth) => nth <= BEFORE + writes);
					same(
						tradeOver(world, cut, http),
						writes < 4 ? "100/100" : "90/110",
						`the outcome after write ${writes}`,
					);
				});
			}
		});

		itReal("Http over real HTTP, with preconditions ignored: fails closed, nothing is loaded", () => {
			const url = start!("ignoring");
			simulate({ seed: 1 }, (world) => {
				const lobby = new PlayerGame(world, { driver: { backend: httpBackend({ url, remove: true }) } });
				expect(load(lobby, KEY_A).success).to.equal(false);
			});
		});

		it("Http, over a server that ignores preconditions: fails closed, nothing is loaded", () => {
			simulate({ seed: 1 }, (world) => {
				const api = new RecordServer({ ignoresIfMatch: true, ignoresIfNoneMatch: true });
				world.services.web.serve("https://data.example.com/v1", api.handle);
				const backend = httpBackend({ url: "https://data.example.com/v1", remove: true });
				const lobby = new PlayerGame(world, { driver: { backend } });
				expect(load(lobby, KEY_A).success).to.equal(false);
				expect(journalKeys(world).size()).to.equal(0);
			});
		});
	});
};
