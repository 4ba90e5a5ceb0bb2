import { Profile } from "../../../src/driver/profile";
import { Result } from "../../../src/result";
import { Fault } from "../../cloud/faults";
import { LatencyProfileName } from "../../cloud/latency";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import {
	breakUpdates,
	check,
	expectOrder,
	Game,
	GameData,
	isLocked,
	KEY,
	same,
	stored,
	storedCoins,
	watchOrder,
} from "./writeRig";

type Cut = Pick<Fault, "effect" | "seconds" | "times" | "lands">;

/** The first server's writes of the key, by their number among its applied ones; the third is another save. */
const OPERATIONS: ReadonlyArray<readonly [nth: number, operation: string]> = [
	[1, "acquire"],
	[2, "save"],
	[4, "release"],
];
/** Seconds from a write until it lands late: before its retry, and after each later step of {@link play}. */
const LATE = [0.3, 5, 15, 25, 35, 45, 55];

const CUTS: ReadonlyArray<readonly [name: string, cuts: ReadonlyArray<Cut>]> = [
	["fails before it is applied", [{ effect: "failBefore" }]],
	["is throttled", [{ effect: "throttle" }]],
	["loses its answer", [{ effect: "loseAnswer" }]],
	["lands late", LATE.map((seconds): Cut => ({ effect: "landLate", seconds }))],
	["is applied again by an engine that missed its commit", [{ effect: "loseCommit" }]],
	["meets conflicts", [{ effect: "conflict", times: 3 }]],
	["is decided several times", [{ effect: "rerun", times: 3 }]],
	["lands a second time", LATE.map((seconds): Cut => ({ effect: "duplicate", seconds }))],
	["hangs", [{ effect: "hang" }]],
	["hangs, and is applied", [{ effect: "hang", lands: true }]],
];

/** Those whose pairs are played: one of each kind that leaves an outcome open. */
const OPEN_CUTS: ReadonlyArray<Cut> = [
	{ effect: "failBefore" },
	{ effect: "loseAnswer" },
	{ effect: "landLate", seconds: 0.3 },
	{ effect: "landLate", seconds: 15 },
	{ effect: "landLate", seconds: 45 },
	{ effect: "duplicate", seconds: 15 },
	{ effect: "duplicate", seconds: 45 },
	{ effect: "hang", lands: true },
];

function describeCut(cut: Cut): string {
	return `${cut.effect}${cut.seconds !== undefined ? ` ${cut.seconds} s` : ""}${cut.lands === true ? " applied" : ""}`;
}

function waitFor(world: World, at: number): void {
	if (world.now() < at) world.wait(at - world.now());
}

/** Asks until the answer is yes, as a game does that goes on. */
function insist<T>(what: string, tries: number, ask: () => Result<T>): T {
	let last: Result<T> | undefined;
	for (let i = 0; i < tries; i++) {
		last = ask();
		if (last.success) return last.value;
	}
	error(`${what} failed ${tries} times: ${(last as { error?: unknown }).error}`, 2);
}

/**
 * Loads, saves 1 coin, saves 2, earns another, releases; another server loads, saves 13 and releases; the first loads
 * again. With
 * `cuts` at the first server's writes of the given numbers.
 */
function play(world: World, cuts: ReadonlyArray<readonly [nth: number, cut: Cut, count?: number]>): void {
	const first = new Game(world);
	const second = new Game(world);
	for (const [nth, cut, count] of cuts) {
		breakUpdates(world, { ...cut, key: KEY, server: first.server, durableOnly: true, nth, count: count ?? 1 });
	}
	const watch = watchOrder(world);
	const profile: Profile<GameData> = insist("the first load", 3, () => first.tryLoad());
	same(profile.data.coins, 0, "what was loaded first");
	const token = stored(world)?.Lock?.Token;
	check(token !== undefined, "an open profile has no lock");
	waitFor(world, 10);
	first.earn(profile, 1).unwrap();
	insist("the save", 3, () => first.save(profile));
	check((storedCoins(world) ?? 0) >= 1, "a save that was acknowledged is not stored");
	waitFor(world, 14);
	// What the first save left under way must not land over this one.
	first.earn(profile, 1).unwrap();
	insist("the second save", 3, () => first.save(profile));
	check((storedCoins(world) ?? 0) >= 2, "the second save was acknowledged and is not stored");
	waitFor(world, 20);
	same(storedCoins(world), 2, "what is stored some time after the second save");
	check(profile.active, "the profile was lost");
	first.earn(profile, 1).unwrap();
	insist("the release", 3, () => first.release(profile));
	same(storedCoins(world), 3, "what an acknowledged release has stored");
	check(!isLocked(world), "the release left a lock");
	same(stored(world)?.Meta.ReleasedToken, token, "ReleasedToken");
	waitFor(world, 30);
	const other = insist("the second server's load", 2, () => {
		const answer = second.tryLoad(KEY, { waitForLock: true });
		if (answer.success || cuts.size() < 2) return answer;
		// Protocol 1.4: an acquire that was given up landed after the release. Its server clears it when it meets it.
		same(answer.error.type, "profile_locked", "the error");
		first.release(insist("the load that meets the orphan", 3, () => first.tryLoad())).unwrap();
		return answer;
	});
	same(other.data.coins, 3, "what the second server loaded");
	check(stored(world)?.Lock?.Token !== token, "two acquisitions share a token");
	waitFor(world, 40);
	second.earn(other, 10).unwrap();
	second.save(other).unwrap();
	waitFor(world, 50);
	check(other.active, "the second server's profile was lost");
	second.release(other).unwrap();
	check(!isLocked(world), "the second server's release left a lock");
	waitFor(world, 130);
	// An acquire that landed after everybody's release leaves an orphan: its own server takes it in place.
	const again = insist("the first server's second load", 3, () => first.tryLoad());
	same(again.data.coins, 13, "what was loaded last");
	first.release(again).unwrap();
	world.wait(60);
	same(storedCoins(world), 13, "what is stored in the end");
	check(!isLocked(world), "a lock was left");
	expectOrder(watch);
	for (const { server } of [first, second]) same(server.kicks.size(), 0, "kicks");
}

function run(
	profile: LatencyProfileName,
	cuts: ReadonlyArray<readonly [nth: number, cut: Cut, count?: number]>,
	what: string,
): void {
	const [fine, cause] = pcall(() => simulate({ profile }, (world) => play(world, cuts)));
	if (!fine) error(`${what} (${profile}): ${cause}`, 0);
}

/** A profile with one coin stored and two in memory; `before` are the data that are stored. */
function changedSinceSave(world: World) {
	const host = new Game(world);
	const profile = host.load();
	host.earn(profile, 1).unwrap();
	host.save(profile).unwrap();
	const before = profile.data;
	host.earn(profile, 1).unwrap();
	return { host, profile, before };
}

export = () => {
	describe("Unknown outcomes; protocol 1.1 to 1.3; scenario 10", () => {
		for (const [nth, operation] of OPERATIONS) {
			for (const [name, cuts] of CUTS) {
				it(`${operation} ${name}: recognized, not doubled, nothing lost, every answer true`, () => {
					for (const cut of cuts) {
						for (const profile of ["fast", "live"] as const) {
							run(profile, [[nth, cut]], `${operation}: ${describeCut(cut)}`);
							// Its retry meets the same.
							run(profile, [[nth, cut, 2]], `${operation}, twice: ${describeCut(cut)}`);
						}
					}
				});
			}
		}

		for (const [early, late] of [
			[1, 2],
			[1, 4],
			[2, 4],
		]) {
			it(`writes ${early} and ${late} both go wrong, each in every way`, () => {
				for (const before of OPEN_CUTS) {
					for (const after of OPEN_CUTS) {
						const cuts = [
							[early, before],
							[late, after],
						] as const;
						run("fast", cuts, `${describeCut(before)}, then ${describeCut(after)}`);
					}
				}
			});
		}

		it("data put back to what was stored before an unanswered save are saved all the same", () => {
			simulate({}, (world) => {
				const { host, profile, before } = changedSinceSave(world);
				const outage = breakUpdates(world, { key: KEY, effect: "loseAnswer" });
				check(!host.save(profile).success, "a save without an answer is no success");
				outage.remove();
				host.server.run(() => profile.update(() => before)).unwrap();
				host.save(profile).unwrap();
				same(storedCoins(world), 1, "what is stored");
			});
		});

		it("data put back to what was stored before a save that is under way are saved all the same", () => {
			simulate({}, (world) => {
				const { host, profile, before } = changedSinceSave(world);
				world.faults.add({
					service: "DataStore",
					op: "UpdateAsync",
					key: KEY,
					effect: "delay",
					seconds: 3,
					count: 1,
				});
				host.server.spawn(() => profile.save());
				world.wait(1);
				host.server.run(() => profile.update(() => before)).unwrap();
				host.save(profile).unwrap();
				// Whatever was under way has landed by now.
				world.wait(10);
				same(storedCoins(world), 1, "what is stored");
			});
		});
	});
};
