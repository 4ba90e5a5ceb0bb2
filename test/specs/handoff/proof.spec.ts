import { PRESENCE_MAP } from "../../../src/handoff/presence";
import { StoredRecord } from "../../../src/record/types";
import { World } from "../../cloud/world";
import { STORE } from "../driver/playerGame";
import { Coming, KEY, must, PROFILES, Servers, Setting, withServers } from "./servers";

/** Reads of S1's presence by S2 that were answered. */
function reads(servers: Servers, world: World): number {
	return world.trace.count({
		service: "MemoryStore",
		op: "GetAsync",
		key: servers.s1.server.jobId,
		server: servers.s2.server,
		outcome: "ok",
	});
}

/** S1 has crashed right after a beat with 5 coins stored; `afterBeat` seconds later S2's join begins. */
function crashed(
	setting: Setting,
	afterBeat: number,
	body: (servers: Servers, world: World, coming: Coming) => void,
): void {
	withServers(setting, (servers, world) => {
		servers.settle(servers.s1, 5);
		servers.awaitBeat(servers.s1);
		servers.s1.server.crash();
		world.wait(servers.lastBeat(servers.s1) + afterBeat - world.now());
		body(servers, world, servers.coming(servers.s2));
	});
}

/** Yields until S2 has read S1's key empty for the first time, at the moment of the answer. */
function awaitFirstEmpty(servers: Servers, world: World): void {
	const expires = servers.lastBeat(servers.s1) + 10;
	world.wait(math.max(0, expires - world.now()));
	const before = reads(servers, world);
	world.waitUntil(() => reads(servers, world) > before, 5);
	// Its own key is read after it.
	world.wait(0.2);
}

function edit(servers: Servers, world: World, change: (record: StoredRecord) => StoredRecord): void {
	world.store(STORE).set(KEY, change(servers.s2.record(KEY)!));
}

// Protocol 3.3.
export = () => {
	for (const profile of PROFILES) {
		describe(`rule 3.3: the proof is about this very lock, in the profile ${profile}`, () => {
			it("one write under the lock, landed late, starts it over", () => {
				crashed({ profile }, 5, (servers, world, coming) => {
					awaitFirstEmpty(servers, world);
					edit(servers, world, (record) => ({
						...record,
						Data: { coins: 6 },
						Lock: { ...record.Lock!, Seq: record.Lock!.Seq + 1 },
					}));
					const edited = world.now();
					const taker = servers.ended(coming);
					must(taker.profile?.data.coins === 6, `the late save is gone: ${taker.cause}`);
					must(world.now() - edited >= 3.5, `taken ${world.now() - edited} s after a write of the holder`);
				});
			});

			it("a failed read voids it", () => {
				crashed({ profile }, 5, (servers, world, coming) => {
					awaitFirstEmpty(servers, world);
					// A read and its one retry.
					const fault = world.faults.add({
						service: "MemoryStore",
						op: "GetAsync",
						key: servers.s1.server.jobId,
						server: servers.s2.server,
						effect: "failBefore",
						count: 2,
					});
					world.waitUntil(() => fault.hits === 2, 5);
					const failed = world.now();
					const taker = servers.ended(coming);
					must(taker.profile !== undefined, `the join failed: ${taker.cause}`);
					must(world.now() - failed >= 3.5, `taken ${world.now() - failed} s after a failed read`);
				});
			});

			it("it grows stale: after a slow store it is made anew, and a key that is back meanwhile ends it", () => {
				crashed({ profile }, 5, (servers, world, coming) => {
					const { s1, s2, s3 } = servers;
					awaitFirstEmpty(servers, world);
					const outage = world.faults.add({ service: "DataStore", server: s2.server, effect: "failBefore" });
					world.wait(5);
					const map = s3.server.platform.memoryStores.GetHashMap(PRESENCE_MAP);
					s3.server.run(() => map.SetAsync(s1.server.jobId, 1, 30));
					// A proof serves for 3 s after its last read.
					world.wait(4);
					outage.remove();
					world.wait(9);
					must(servers.takings() === 0 && servers.holds(s1), "taken on a proof that is out of date");
					must(coming.ended === undefined || coming.ended.cause !== undefined, "the join worked");
				});
			});

			it("a proof that began in time is finished past the join's deadline, with one load", () => {
				crashed({ profile, driver: { lockWaitSeconds: 3.5 } }, 9, (servers, world, coming) => {
					const since = world.now();
					const taker = servers.ended(coming);
					must(taker.profile?.data.coins === 5, `the join failed: ${taker.cause}`);
					must(taker.seconds > 3.5 && taker.seconds < 8.5, `it took ${taker.seconds} s`);
					const late = world.trace.select({
						service: "DataStore",
						key: KEY,
						server: servers.s2.server,
						since: since + 4.1,
					});
					expect(late.size()).to.equal(1);
				});
			});

			it("a proof that began in time and fails past the deadline ends the join, fail-closed", () => {
				crashed({ profile, driver: { lockWaitSeconds: 3.5 } }, 9, (servers, world, coming) => {
					awaitFirstEmpty(servers, world);
					world.wait(1);
					world.faults.add({
						service: "MemoryStore",
						op: "GetAsync",
						server: servers.s2.server,
						effect: "failBefore",
					});
					const taker = servers.ended(coming);
					must(taker.cause?.type === "profile_locked", "the join worked");
					must(taker.seconds < 9, `it took ${taker.seconds} s`);
					must(servers.holds(servers.s1), "the lock is gone");
				});
			});

			it("a silence that begins after the deadline is not waited for", () => {
				crashed({ profile, driver: { lockWaitSeconds: 3 } }, 5, (servers, _world, coming) => {
					const taker = servers.ended(coming);
					must(taker.cause?.type === "profile_locked", "the join worked");
					must(taker.seconds >= 3 && taker.seconds < 3.8, `it took ${taker.seconds} s`);
				});
			});

			it("only a lock that says that its holder beats is taken through silence", () => {
				for (const flag of [false, undefined]) {
					crashed({ profile }, 0.5, (servers, world, coming) => {
						edit(servers, world, (record) => ({ ...record, Lock: { ...record.Lock!, Presence: flag } }));
						const first = servers.ended(coming);
						must(first.cause?.type === "profile_locked", "the join worked");
						servers.s2.server.leave(first.player);
						const second = servers.arrive(servers.s2);
						must(second.cause?.type === "profile_locked", "the second join worked");
						must(servers.takings() === 0 && servers.holds(servers.s1), "the lock is gone");
					});
				}
			});

			it("the warning names key and server", () => {
				crashed({ profile }, 9, (servers, _world, coming) => {
					servers.ended(coming);
					const { jobId } = servers.s1.server;
					const expected = `took the lock of "${KEY}" in store "${STORE}" from server ${jobId}, which stopped beating presence`;
					const found = servers.s2.server.warnings.filter(
						(warning) => warning.find(expected, 1, true)[0] !== undefined,
					);
					expect(found.size()).to.equal(1);
				});
			});
		});
	}
};
