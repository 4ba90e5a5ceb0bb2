import { BackendFactory } from "../backend/factory";
import { Handoff } from "../handoff/handoff";
import { Platform } from "../platform/platform";
import { ImportLegacy } from "../record/importLegacy";
import { checkName } from "../record/limits";
import { MARKER_STORE } from "../transaction/markerStore";
import { Migration } from "../record/migrations";
import { DEFAULT_RETRY, Retry } from "../util/retry";
import { SessionEndHandler } from "./sessionEnd";

/**
 * Receives what a driver measures (`docs/reference.md` lists the names). Must not yield; an error of it is reported and
 * changes nothing.
 */
export type MetricHandler = (name: string, value: number, tags: Readonly<Record<string, string>>) => void;

/** How Studio keeps its data: apart from the live data, in it, or nowhere. */
export type StudioMode = "separate" | "live" | "memory";

/** What `new DataDriver` takes. Names that are not listed here are refused. */
export interface DriverOptions<T extends object> {
	/** Name of the store, 1 to 50 bytes; one driver a name on a server. */
	readonly name: string;
	/** Data of a new profile; its missing fields are filled into loaded profiles. */
	readonly defaults: T;
	/** Scope of the store, 1 to 50 bytes. Default: Roblox's `global`. */
	readonly scope?: string;
	/** Gates every load and update, for example a check of `@rbxts/t`; may return a reason as second value. Must not yield. */
	readonly check?: (value: unknown) => boolean;
	/** Changes of the data's format, oldest first. Each runs once on each record; never remove, rename or reorder one. */
	readonly migrations?: ReadonlyArray<Migration>;
	/**
	 * Turns a stored value that is no Baton record into data, or returns undefined to refuse it. Must be pure and not
	 * yield: it runs inside the store's update. Without it such values are refused and left as they are. Where servers on
	 * another library still run, give `fromProfileStore`, `fromLapis` or a {@link LegacyFormat} of your own instead.
	 */
	readonly importLegacy?: ImportLegacy<NoInfer<T>>;
	/** Where records are kept. Default: `"DataStore"`. */
	readonly backend?: "DataStore" | "Memory" | BackendFactory;
	/** What Studio does. Default: `"separate"`, the scope `Studio` of the same store. */
	readonly studio?: StudioMode;
	/**
	 * A player's key, 1 to 50 bytes; must not yield. Baton keeps `CKClock` and what begins with `CKTxn_` or `CKProbe_` for
	 * itself. Default: `Player_<UserId>`.
	 */
	readonly key?: (player: Player) => string;
	/** Seconds between saves of a profile with unsaved changes. Default: 60. */
	readonly autosaveSeconds?: number;
	/** Seconds between flushes of a lockless profile with queued updates. Default: 30. */
	readonly flushSeconds?: number;
	/** How often a write is tried at once before whoever waits for it hears of the failure. Default: 5. */
	readonly retryAttempts?: number;
	/** Pause in seconds after the first try; it doubles with every further one. Default: 1. */
	readonly retryBase?: number;
	/**
	 * Where transactions keep their decisions, in a store `CKMarkers`. Profiles of several drivers go into one transaction
	 * only if this is the same for all of them. `"Memory"` only beside a `backend` that is. Default: the driver's own `backend`.
	 */
	readonly markers?: "DataStore" | "Memory" | BackendFactory;
	/** Seconds a joining player waits for another server's lock, all waits together. Default: 15. */
	readonly lockWaitSeconds?: number;
	/** Seconds a load waits for a load or release of the same key on this server. Default: `lockWaitSeconds` for players, 0 else. */
	readonly localHandoffSeconds?: number;
	/** Age in seconds after which a lock without presence can be taken. Default: 180. */
	readonly lockTtlSeconds?: number;
	/** Extra age in seconds, for clocks that differ. Default: 60. */
	readonly lockSkewSeconds?: number;
	/**
	 * `false` turns lock handoff off; an instance is used as given. Otherwise it is on where the driver is attached to a
	 * live server, keeps its records outside the server's memory, and has no `jobId` of its own.
	 */
	readonly handoff?: boolean | Handoff;
	/** Stands in for this server's JobId. */
	readonly jobId?: string;
	/** Ends a player's session in place of a kick. */
	readonly onSessionEnd?: SessionEndHandler;
	readonly onMetric?: MetricHandler;
	/** Where Roblox is reached; tests pass their own. Default: the running server. */
	readonly platform?: Platform;
}

/** How long a queued update of a shared key may wait: few enough writes for many servers, little to lose in a crash. */
const FLUSH_SECONDS = 30;
/** Seed "Lock handoff", Configuration: LockWaitSeconds. */
const LOCK_WAIT_SECONDS = 15;
/** Seed "Lock handoff", Configuration: LockTtlSeconds. */
const LOCK_TTL_SECONDS = 180;
/** Seed "Lock handoff", Configuration: LockSkewSeconds. */
const LOCK_SKEW_SECONDS = 60;
const AUTOSAVE_SECONDS = 60;

/** Options with every default filled in. */
export interface DriverSettings<T extends object> extends DriverOptions<T> {
	readonly migrations: ReadonlyArray<Migration>;
	readonly backend: "DataStore" | "Memory" | BackendFactory;
	readonly studio: StudioMode;
	readonly key: (player: Player) => string;
	readonly markers: "DataStore" | "Memory" | BackendFactory;
	readonly autosaveSeconds: number;
	readonly flushSeconds: number;
	readonly retry: Retry;
	readonly lockWaitSeconds: number;
	readonly lockTtlSeconds: number;
	readonly lockSkewSeconds: number;
}

type Rule = (value: unknown) => string | undefined;

const isA =
	(kind: keyof CheckablePrimitives): Rule =>
	(value) =>
		typeIs(value, kind) ? undefined : `must be a ${kind}`;

const seconds =
	(least: number): Rule =>
	(value) =>
		typeIs(value, "number") && value >= least && value < math.huge
			? undefined
			: `must be a number of seconds, ${least} or more`;

const oneOf =
	(...choices: Array<string>): Rule =>
	(value) =>
		typeIs(value, "string") && choices.includes(value)
			? undefined
			: `must be ${choices.map((choice) => `"${choice}"`).join(" or ")}`;

const migrationList: Rule = (value) => {
	const wrong = "must be a list of tables with a name and a function migrate";
	if (!typeIs(value, "table")) return wrong;
	for (const [place, each] of pairs(value as Map<unknown, unknown>)) {
		if (!typeIs(place, "number") || !typeIs(each, "table")) return wrong;
		const { name, migrate } = each as { name?: unknown; migrate?: unknown };
		if (!typeIs(name, "string") || !typeIs(migrate, "function")) return wrong;
	}
	return undefined;
};

const backendRule: Rule = (value) =>
	typeIs(value, "function") || value === "DataStore" || value === "Memory"
		? undefined
		: 'must be "DataStore", "Memory" or what httpBackend and memoryBackend give';

const legacyRule: Rule = (value) => {
	const wrong = "must be a function, or what fromProfileStore and fromLapis give";
	if (typeIs(value, "function")) return undefined;
	if (!typeIs(value, "table")) return wrong;
	const { library, read, keepOut } = value as Partial<Record<string, unknown>>;
	if (!typeIs(library, "string") || library === "" || !typeIs(read, "function") || !typeIs(keepOut, "table"))
		return wrong;
	const own = ["Data", "Lock", "Pending", "Meta"].find((name) => (keepOut as Map<string, unknown>).has(name));
	return own === undefined ? undefined : `must not have ${own} in its keepOut: Baton has a field of that name`;
};

const RULES: Readonly<Record<string, Rule>> = {
	name: (value) =>
		value === MARKER_STORE
			? `must not be "${MARKER_STORE}", which Baton keeps for itself`
			: checkName("the store name", value),
	scope: (value) => checkName("the scope", value),
	defaults: isA("table"),
	check: isA("function"),
	migrations: migrationList,
	importLegacy: legacyRule,
	backend: backendRule,
	markers: backendRule,
	studio: oneOf("separate", "live", "memory"),
	key: isA("function"),
	autosaveSeconds: seconds(1),
	flushSeconds: seconds(1),
	retryAttempts: (value) =>
		typeIs(value, "number") && value >= 1 && value % 1 === 0 && value < math.huge
			? undefined
			: "must be a whole number, 1 or more",
	retryBase: seconds(0),
	lockWaitSeconds: seconds(0),
	localHandoffSeconds: seconds(0),
	lockTtlSeconds: seconds(1),
	lockSkewSeconds: seconds(0),
	handoff: (value) =>
		typeIs(value, "boolean") || value instanceof Handoff ? undefined : "must be a boolean or a Handoff",
	jobId: (value) => (typeIs(value, "string") && value !== "" ? undefined : "must be a string that is not empty"),
	onSessionEnd: isA("function"),
	onMetric: isA("function"),
	platform: isA("table"),
};

/** The most user ids that a data store takes with a value; it refuses every write with more. */
const USER_IDS = 4;

const userIdList: Rule = (value) => {
	const wrong = `must be a list of at most ${USER_IDS} whole numbers`;
	if (!typeIs(value, "table") || (value as Array<unknown>).size() > USER_IDS) return wrong;
	for (const [place, id] of pairs(value as Map<unknown, unknown>)) {
		if (!typeIs(place, "number") || !typeIs(id, "number") || id % 1 !== 0) return wrong;
	}
	return undefined;
};

/** What `driver.load` and `driver.restoreAt` take beside the key. */
export interface LoadOptions {
	/** At most 4 user ids, which go with every write of the record, for the right to erasure. Default: those stored with it. */
	readonly userIds?: ReadonlyArray<number>;
	/** Whether to wait up to `lockWaitSeconds` for another server's lock. Default: false, it answers `profile_locked` at once. */
	readonly waitForLock?: boolean;
	/** Seconds to wait for a load or release of the same key on this server. Default: `localHandoffSeconds`, else 0. */
	readonly handoffSeconds?: number;
	/**
	 * For operators: the token of an unfinished trade whose journal is lost, or the id of an unfinished transaction whose
	 * marker is invalid. The record keeps its data, what points there is cleared, and a warning says so. Only used where
	 * recovery has failed.
	 */
	readonly abandonTransaction?: string;
}

const LOAD_RULES: Readonly<Record<string, Rule>> = {
	userIds: userIdList,
	waitForLock: isA("boolean"),
	handoffSeconds: seconds(0),
	abandonTransaction: isA("string"),
};

/** Throws where an option is unknown or of the wrong kind. `level` is the game's line, as `error` counts from here. */
function checkOptions(what: string, options: object, rules: Readonly<Record<string, Rule>>, level: number): void {
	if (!typeIs(options, "table")) error(`Baton: ${what} takes a table of options`, level);
	for (const [option, value] of pairs(options as Record<string, unknown>)) {
		const rule = rules[option];
		if (rule === undefined) error(`Baton: ${what} has no option "${option}"; check its spelling`, level);
		const problem = rule(value);
		if (problem !== undefined) error(`Baton: ${what}: option "${option}" ${problem}`, level);
	}
}

/** Checks the options of a load. Throws a message that names the option. */
export function readLoadOptions(what: string, options: LoadOptions): LoadOptions {
	checkOptions(what, options, LOAD_RULES, 4);
	return options;
}

/** Checks the options and fills in the defaults. Throws a message that names the option. */
export function readOptions<T extends object>(options: DriverOptions<T>): DriverSettings<T> {
	// One more than it looks like: a class is made by two functions, `new` and its constructor.
	checkOptions("DataDriver", options, RULES, 5);
	for (const required of ["name", "defaults"]) {
		if ((options as unknown as Record<string, unknown>)[required] === undefined) {
			error(`Baton: DataDriver needs the option "${required}"`, 4);
		}
	}
	if (options.markers === "Memory" && (options.backend ?? "DataStore") !== "Memory") {
		error(
			'Baton: DataDriver: option "markers" may be "Memory" only where "backend" is, too: decisions that end with the ' +
				"server would leave stored records without theirs",
			4,
		);
	}
	return {
		...options,
		migrations: options.migrations ?? [],
		backend: options.backend ?? "DataStore",
		studio: options.studio ?? "separate",
		key: options.key ?? ((player) => `Player_${player.UserId}`),
		markers: options.markers ?? options.backend ?? "DataStore",
		autosaveSeconds: options.autosaveSeconds ?? AUTOSAVE_SECONDS,
		flushSeconds: options.flushSeconds ?? FLUSH_SECONDS,
		retry: {
			attempts: options.retryAttempts ?? DEFAULT_RETRY.attempts,
			base: options.retryBase ?? DEFAULT_RETRY.base,
		},
		lockWaitSeconds: options.lockWaitSeconds ?? LOCK_WAIT_SECONDS,
		lockTtlSeconds: options.lockTtlSeconds ?? LOCK_TTL_SECONDS,
		lockSkewSeconds: options.lockSkewSeconds ?? LOCK_SKEW_SECONDS,
	};
}
