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
	/** Tables with string keys beside array items, and arrays with gaps: converted as JSON does, or refused. */
	readonly oddTables: "convert" | "refuse";
	/** Budgets: 60 + 40 for each player and the experience's, or the former 60 + 10 without one. */
	readonly budgetRules: "current" | "former";
	/** Which error a server that is torn down gives to data store calls. */
	readonly shutdownError: "dataModel" | "webService";
	/** A removal keeps the version written in the same hour readable. */
	readonly removalKeepsHour: boolean;
	/** Seconds between the end of a closing server's callbacks and its death, in which its threads run but calls fail. */
	readonly teardownSeconds: number;
	/** Players online on other servers of the experience, for its limits. */
	readonly otherPlayers: number;
	/** A server that subscribed to a topic hears its own messages. */
	readonly selfDelivery: boolean;
	/** What Roblox wraps around a message counts towards its size limit. */
	readonly messageEnvelopeCounts: boolean;
	/** The limits of received messages count every delivery; false: every message once, however many hear it. */
	readonly receivedCountsDeliveries: boolean;
	/** Whose clock `Sent` is from. */
	readonly messageSentClock: "cloud" | "publisher";
	/** `Sent` has no fraction. */
	readonly messageSentWhole: boolean;
	/** MessagingService works in Studio, given access to API services. */
	readonly studioMessaging: boolean;
	/** Hash map reads show what was stored that many seconds ago. */
	readonly memoryStaleSeconds: number;
	/** Fractions of an expiration are cut off. */
	readonly memoryWholeSeconds: boolean;
	/** A hash map's SetAsync tells whether it created its key; false: it always answers true. */
	readonly memorySetTellsCreation: boolean;
	/** Runs of a hash map's transform before `UpdateConflict`. */
	readonly memoryUpdateAttempts: number;
	/** An error in a hash map's transform is the call's error; false: the update is cancelled. */
	readonly memoryTransformErrorRaises: boolean;
	/** An update of a key written within 2 s to live for 1 s fails with `InternalError`. */
	readonly memoryShortLivedUpdateFails: boolean;
	/** A web request over the limit fails, or stalls for 30 s. */
	readonly httpOverLimit: "error" | "stall";
	/** The header names of web answers come in lower case; false: as the web server wrote them. */
	readonly httpLowerCaseHeaders: boolean;
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
	oddTables: "convert",
	budgetRules: "current",
	shutdownError: "dataModel",
	removalKeepsHour: true,
	teardownSeconds: 0,
	otherPlayers: 0,
	selfDelivery: true,
	messageEnvelopeCounts: false,
	receivedCountsDeliveries: true,
	messageSentClock: "cloud",
	messageSentWhole: false,
	studioMessaging: true,
	memoryStaleSeconds: 0,
	memoryWholeSeconds: false,
	memorySetTellsCreation: true,
	memoryUpdateAttempts: 3,
	memoryTransformErrorRaises: true,
	memoryShortLivedUpdateFails: false,
	httpOverLimit: "error",
	httpLowerCaseHeaders: true,
};
