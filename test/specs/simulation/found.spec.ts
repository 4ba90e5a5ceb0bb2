import { runSeed } from "../../simulation/runSeed";

/** Seeds of games that broke a rule once, with what was at fault; each has a spec of its own beside this. */
const FOUND: ReadonlyArray<readonly [what: string, seeds: ReadonlyArray<number>]> = [
	["reacquire kept a lock for a player who had left", [886]],
	["a rejoin that waited for a profile on its way back was refused", [1784]],
	["an instance that was announced late took the session of a newer one", [819, 990, 2137, 2815]],
	["changes were called lost that an unanswered trade had stored", [6205]],
	["a closing server ended a frame before its driver could tell what it leaves", [10536]],
	["a living server's stale lock was taken while the map of beats was lost", [100467, 117159]],
	["changes were called lost that a trade's own write had left behind", [309617]],
	["changes were called lost that an update had stored before the store ran it again", [104169]],
	["an adoption handed out a profile whose release waited for a transaction", [417050]],
	["reacquire answered before a release that waited for the same transaction", [100700, 109179, 118553]],
	["the search itself: a teleport arrived where nobody would leave again", [1272, 2215, 2430, 2856]],
	[
		"the search itself: an acquire that landed late, of a session before, was taken for the last one's",
		[107566, 111206, 308974],
	],
	["the search itself: an acquire of a guild's session that landed late was taken for a lock left behind", [725120]],
	["the search itself: a read of a server whose services had gone was taken for a failure in calm", [203632]],
	[
		"the search itself: budgets that ran dry were taken for failures in calm",
		[104651, 116432, 306725, 742071, 1604737],
	],
	["the search itself: a closing server that stood still was held to account for its silence", [664]],
];

export = () => {
	describe("games that broke a rule once keep every rule, I1 to I16", () => {
		for (const [what, seeds] of FOUND) {
			it(what, () => {
				for (const seed of seeds) runSeed(seed);
			});
		}
	});
};
