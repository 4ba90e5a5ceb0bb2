/**
 * Behaviours of Roblox that are not known for sure, or that a game's settings change. Each has a default, and specs run
 * both ways. One world has one set.
 */
export interface Switches {
	/** Waits end on frames of 1/60 s (true), or exactly when due. */
	readonly frames: boolean;
	/** `Workspace.SignalBehavior`: handlers run at the end of the resumption cycle. */
	readonly deferredSignals: boolean;
	/** Data store errors carry a code (`old`: "403: Cannot write …") or a name (`new`: "DataStoreService: …"). */
	readonly errorTexts: "old" | "new";
	/** A server's own writes renew its read cache of that key. */
	readonly ownWritesUpdateCache: boolean;
	/** A key found missing is cached like a value. */
	readonly cacheMissing: boolean;
	/** A cached read yields until the next resumption; false: it returns at once. */
	readonly cachedReadYields: boolean;
	/** NaN and infinity can be stored; false: refused with error 104. */
	readonly nanStorable: boolean;
	/** An error in a transform of `UpdateAsync` is the call's error; false: it goes to the output and the write is cancelled. */
	readonly transformErrorPropagates: boolean;
	/** A cancelled `UpdateAsync` returns the stored value; false: nil. */
	readonly cancelReturnsStored: boolean;
	/** A key over its throughput: the call fails with `KeyThrottled`, or waits. */
	readonly keyThroughput: "error" | "wait";
	/** Limits of rate and throughput are in force. */
	readonly limits: boolean;
	/** Extra requests of each type that a new server has. */
	readonly startupBurst: number;
	/** Budgets come back once a second; false: steadily. */
	readonly budgetTicks: boolean;
	/** Seconds that must pass between two writes of one key by a server (6 in the past). */
	readonly writeCooldown: number;
	/** A key written again after its removal keeps its first `CreatedTime`. */
	readonly createdTimeSurvivesRemoval: boolean;
	/** A removal keeps the version written in the same hour readable. */
	readonly removalKeepsHour: boolean;
	/** Seconds between the end of a closing server's callbacks and its death, in which its threads run but calls fail. */
	readonly teardownSeconds: number;
	/** Players online on other servers of the experience, for its limits. */
	readonly otherPlayers: number;
}

/** The defaults: what the documentation says or, where it is silent, what makes more work for a library. */
export const defaultSwitches: Switches = {
	frames: true,
	deferredSignals: false,
	errorTexts: "new",
	ownWritesUpdateCache: true,
	cacheMissing: true,
	cachedReadYields: true,
	nanStorable: true,
	transformErrorPropagates: false,
	cancelReturnsStored: false,
	keyThroughput: "error",
	limits: true,
	startupBurst: 100,
	budgetTicks: false,
	writeCooldown: 0,
	createdTimeSurvivesRemoval: true,
	removalKeepsHour: true,
	teardownSeconds: 0,
	otherPlayers: 0,
};
