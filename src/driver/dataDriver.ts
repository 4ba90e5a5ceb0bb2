import { Backend, RecordVersion } from "../backend/backend";
import { answerWithin } from "../backend/answerWithin";
import { readFresh } from "../backend/readFresh";
import { StoreClock } from "../backend/storeClock";
import { BatonError } from "../errors";
import { LocklessProfile } from "../lockless/locklessProfile";
import { LocklessProfiles } from "../lockless/locklessProfiles";
import { Platform } from "../platform/platform";
import { robloxPlatform } from "../platform/roblox";
import { DeepReadonly } from "../record/deepReadonly";
import { err, ok, Result } from "../result";
import { TransactionConfig } from "../transaction/config";
import { Transactable } from "../transaction/context";
import { MarkerStore } from "../transaction/markerStore";
import { positional } from "../transaction/positional";
import { runAll } from "../util/parallel";
import { Signal, Subscribable } from "../util/signal";
import { Acquirer } from "./acquirer";
import { Autosave } from "./autosave";
import { DataGate } from "./dataGate";
import { Kernel } from "./kernel";
import { HandoffLink } from "./handoffLink";
import { KeySlots } from "./keySlots";
import { Metrics } from "./metrics";
import { OpenProfile } from "./openProfile";
import { OpenTrades } from "./openTrades";
import { DriverOptions, DriverSettings, LoadOptions, readLoadOptions, readOptions } from "./options";
import { PlayerSessions } from "./playerSessions";
import { peek } from "./peek";
import { Profile } from "./profile";
import { keyError, ProfileOpener } from "./profileOpener";
import { ServerState, serverState, SHUTDOWN_SECONDS } from "./serverState";
import { storePlace } from "./storePlace";

/** How many versions `listVersions` gives where it is not told. */
const VERSIONS = 100;
/** How long a read may go unanswered, in seconds, before it counts as failed. */
const READ_SECONDS = 30;
/**
 * Seconds before the end of a shutdown from which it waits no longer for trades: time for a release to be answered, with
 * three more tries after the pauses of 1, 2 and 4 s. What is left, 20 s, is ten times what a trade commonly takes.
 */
const CUT_SECONDS = 8;

/**
 * A named store of records on this server, and the rules by which it loads, locks and saves them. One driver a name on a
 * server; make it when the server starts, connect to its events, then `attach` it.
 */
export class DataDriver<T extends object> {
	/** Fired when a player's profile is loaded. Connect before `attach`, or ask `waitForProfile`. */
	public readonly onReady: Subscribable<[player: Player, profile: Profile<T>]>;
	/** Fired when a player's load failed; the session is ended right after. */
	public readonly onLoadFailed: Subscribable<[player: Player, cause: BatonError]>;
	/** The store's name. */
	public readonly name: string;
	/** Where it reaches Roblox. */
	public readonly platform: Platform;

	private readonly readySignal: Signal<[player: Player, profile: Profile<T>]>;
	private readonly failedSignal: Signal<[player: Player, cause: BatonError]>;
	private readonly settings: DriverSettings<T>;
	private readonly server: ServerState;
	private readonly gate: DataGate<T>;
	private readonly backend: Backend;
	private readonly storeClock: StoreClock;
	private readonly markers: MarkerStore;
	private readonly acquirer: Acquirer;
	private readonly autosave: Autosave;
	private readonly slots: KeySlots<T>;
	private readonly flushes: Autosave;
	private readonly locklessProfiles: LocklessProfiles<T>;
	private readonly metrics: Metrics;
	private readonly trades: OpenTrades;
	private readonly link: HandoffLink<T>;
	private readonly opener: ProfileOpener<T>;
	private kernel?: Kernel;
	private sessions?: PlayerSessions<T>;
	private closing = false;

	/**
	 * Makes the driver; nothing is read or written yet. Does not yield. Throws where an option is unknown or no good, and
	 * where this server has a driver of the same name.
	 */
	public constructor(options: DriverOptions<T>) {
		const settings = readOptions(options);
		const platform = settings.platform ?? robloxPlatform();
		const taskLibrary = platform.task;
		this.settings = settings;
		this.platform = platform;
		this.name = settings.name;
		this.server = serverState(platform);
		const given = typeIs(settings.handoff, "table") ? settings.handoff.jobId : undefined;
		const jobId = settings.jobId ?? given ?? this.server.jobId;
		if (given !== undefined && given !== jobId) {
			// Its locks would name a server that nobody hears from, which others would take for stopped.
			error(`Baton: DataDriver: option "jobId" is "${jobId}", but that of the given handoff is "${given}"`, 3);
		}
		this.gate = new DataGate(settings, taskLibrary.cancel);
		this.readySignal = new Signal(taskLibrary);
		this.failedSignal = new Signal(taskLibrary);
		this.onReady = this.readySignal;
		this.onLoadFailed = this.failedSignal;
		this.metrics = new Metrics(platform, settings.name, settings.onMetric);
		this.slots = new KeySlots(platform);
		this.trades = new OpenTrades(platform);
		const place = storePlace(settings, platform);
		this.backend = place.backend;
		this.markers = place.markers;
		this.storeClock = place.storeClock;
		this.autosave = new Autosave(platform, {
			name: settings.name,
			periodSeconds: settings.autosaveSeconds,
			renewSeconds: settings.lockTtlSeconds / 3,
		});
		this.flushes = new Autosave(platform, {
			name: settings.name,
			what: "flushes",
			periodSeconds: settings.flushSeconds,
			// There is no lock to renew.
			renewSeconds: math.huge,
		});
		this.acquirer = new Acquirer({
			store: settings.name,
			platform,
			backend: place.backend,
			storeClock: this.storeClock,
			markers: place.markers,
			retry: settings.retry,
			jobId,
			ttlSeconds: settings.lockTtlSeconds,
			skewSeconds: settings.lockSkewSeconds,
			defaults: this.gate.defaults,
			migrationNames: this.gate.migrationNames,
			importLegacy: settings.importLegacy,
			takesAnyLock: place.takesAnyLock,
			handoff: () => this.link.handoff,
			checkImported: (data) => this.gate.problemOf(data),
			metric: (name, value, tags) => this.metrics.report(name, value, tags),
		});
		const { server, slots, acquirer, gate, backend, storeClock, autosave, metrics, trades } = this;
		this.link = new HandoffLink({
			name: settings.name,
			settings,
			platform,
			server,
			slots,
			acquirer,
			handOver: (profile) => this.sessions?.handOver(profile),
		});
		this.locklessProfiles = new LocklessProfiles({
			name: settings.name,
			platform,
			autosave: this.flushes,
			homeOf: (key) => ({
				store: settings.name,
				scope: settings.scope,
				platform,
				backend,
				storeClock,
				markers: place.markers,
				migrationNames: gate.migrationNames,
				jobId,
				retry: settings.retry,
				ttlSeconds: settings.lockTtlSeconds,
				skewSeconds: settings.lockSkewSeconds,
				takesAnyLock: place.takesAnyLock,
				defaults: gate.defaults,
				importLegacy: settings.importLegacy,
				checkImported: (data) => gate.problemOf(data),
				isAlive: () => {
					const { handoff } = this.link;
					return handoff !== undefined ? (holder) => handoff.isAlive(holder) : undefined;
				},
				isClosing: () => this.closing,
				admit: (data) => gate.admit(key, data),
				fromRecord: (record) => gate.fromRecord(key, record),
				bytesOf: (data) => gate.bytesOf(data),
				metric: (name, value, tags) => metrics.report(name, value, tags),
			}),
		});
		this.opener = new ProfileOpener({
			name: settings.name,
			settings,
			platform,
			jobId,
			gate,
			backend,
			storeClock,
			markers: place.markers,
			acquirer,
			autosave,
			slots,
			lockless: this.locklessProfiles,
			metrics,
			trades,
			link: this.link,
			isClosing: () => this.closing,
			begin: () => this.begin(),
			onLost: (profile) => this.sessions?.profileLost(profile),
			onBlocked: (profile) => this.profileBlocked(profile),
		});
		const close = (deadline: number) => this.closeBy(deadline).success && !trades.mayLand();
		if (!this.server.enter(settings.name, close)) {
			error(
				`Baton: this server has a DataDriver named "${settings.name}" already; use that one, or another name`,
				3,
			);
		}
	}

	/**
	 * Loads a profile for every player here and to come, releases it when they leave, and all of them when the server
	 * closes. `kernel` is what a game framework hands in; without one, the drivers of a server share a plain one. Does not
	 * yield. Throws when it is attached or closed already.
	 */
	public attach(kernel: Kernel = this.server.sharedKernel()): void {
		if (this.sessions !== undefined) error(`Baton: driver "${this.name}" is attached already`, 2);
		if (this.closing) error(`Baton: driver "${this.name}" is closed and cannot be attached`, 2);
		this.kernel = kernel;
		this.begin();
		this.link.start(kernel.scheduler);
		this.sessions = new PlayerSessions(
			{
				platform: this.platform,
				store: this.name,
				keyOf: this.settings.key,
				onSessionEnd: this.settings.onSessionEnd,
				openProfile: (key) => this.opener.active(key),
				loadFor: (player, key, isHere) => this.loadFor(player, key, isHere),
				recheckLoad: (key) => this.slots.get(key)?.unpark(),
				onReady: (player, profile) => this.readySignal.fire(player, profile),
				onLoadFailed: (player, cause) => this.failedSignal.fire(player, cause),
			},
			kernel,
		);
		this.sessions.start();
	}

	/**
	 * Loads the record of `key` under this server's session lock, or makes it. Yields.
	 *
	 * A failing store is tried again for up to `lockWaitSeconds`. Another server's lock answers at once, unless
	 * `options.waitForLock`. A load that fails leaves the record as it was and no lock behind.
	 *
	 * Errors: `invalid_key`, `already_loaded`, `profile_locked`, `invalid_record`, `outdated`, `migration_mismatch`,
	 * `migration_failed`, `invalid_data`, `unresolved_transaction`, `recovery_failed`, `tx_marker_invalid`,
	 * `profile_closed`, `roblox`. Throws where an option is unknown.
	 */
	public load(key: string, options: LoadOptions = {}): Result<Profile<T>> {
		const { userIds, waitForLock, handoffSeconds, abandonTransaction } = readLoadOptions("driver.load", options);
		return this.opener.open({
			key,
			userIds,
			waitsForLock: waitForLock === true,
			localSeconds: handoffSeconds ?? this.settings.localHandoffSeconds ?? 0,
			abandons: abandonTransaction,
			isWanted: () => true,
		});
	}

	/**
	 * The lockless profile of `key`, for a record that many servers change: the same object while it is open here. At most
	 * 4 `userIds` go with every write; default: those stored with it. Reads nothing; does not yield. Throws where `userIds`
	 * are no user ids.
	 *
	 * Errors: `invalid_key`, `already_loaded` where this server has or loads the key as a session profile, `profile_closed`.
	 */
	public lockless(key: string, userIds?: ReadonlyArray<number>): Result<LocklessProfile<T>> {
		readLoadOptions("driver.lockless", { userIds });
		const problem = keyError(this.name, key);
		if (problem !== undefined) return err(problem);
		const details = { store: this.name, key };
		if (this.closing) {
			return err(new BatonError("profile_closed", `Baton: driver "${this.name}" is closing`, details));
		}
		if (this.slots.get(key) !== undefined) return err(this.opener.takenError(key)!);
		const profile = this.locklessProfiles.obtain(key, userIds);
		this.begin();
		return ok(profile);
	}

	/** The profile of `key` that is open on this server and active. Does not yield. */
	public get(key: string): Profile<T> | undefined {
		return this.opener.active(key);
	}

	/** The player's profile, once it is loaded and while it is active. Does not yield. Throws before `attach`. */
	public profileOf(player: Player): Profile<T> | undefined {
		return this.attached("profileOf").profileOf(player);
	}

	/**
	 * The player's profile; yields until it is loaded. Throws before `attach`.
	 *
	 * Errors: `player_left`, those of the load that failed, and why its profile is no longer there (`released`, …).
	 */
	public waitForProfile(player: Player): Result<Profile<T>> {
		return this.attached("waitForProfile").waitFor(player);
	}

	/**
	 * Saves and releases the player's profile ahead of `TeleportAsync`, so that the next server loads it at once. Teleport
	 * only if it succeeds; if the teleport then fails, `profile.reacquire()` takes the profile back. Yields. Throws before
	 * `attach`.
	 *
	 * Errors: `released` where the player has no open profile, and those of `profile.release`.
	 */
	public releaseForTeleport(player: Player): Result<undefined> {
		const profile = this.attached("releaseForTeleport").profileOf(player);
		if (profile !== undefined) return profile.release();
		const message = `Baton: player ${player.Name} has no open profile in store "${this.name}"; do not teleport on this answer`;
		return err(new BatonError("released", message, { store: this.name }));
	}

	/**
	 * The stored data of `key`, without loading it: no lock is taken or waited for, nothing is written. Undefined where
	 * nothing is stored. What an open profile has not saved yet is not in it; a committed trade or transaction is, also
	 * where its record is yet to be written. Yields.
	 *
	 * Errors: `invalid_key`, `invalid_record`, `outdated`, `migration_mismatch`, `migration_failed`, `invalid_data`,
	 * `unresolved_transaction`, `tx_marker_invalid`, `roblox`.
	 */
	public peek(key: string): Result<DeepReadonly<T> | undefined> {
		const problem = keyError(this.name, key);
		if (problem !== undefined) return err(problem);
		const { platform, backend } = this;
		const found = peek(this.name, key, {
			record: (name) => readFresh({ store: this.name, platform, backend }, name, READ_SECONDS),
			outcome: (id) => this.markers.read(id),
		});
		if (!found.success) return found;
		if (found.value === undefined) return ok(undefined);
		return this.gate.fromValue(key, found.value);
	}

	/**
	 * The stored versions of a record, newest first. Roblox keeps the last write of every hour for 30 days. Yields.
	 *
	 * Errors: `invalid_key`, `unsupported` by the backend, `roblox`. Throws where `limit` is no whole number of 1 or more.
	 */
	public listVersions(key: string, limit = VERSIONS): Result<ReadonlyArray<RecordVersion>> {
		if (!typeIs(limit, "number") || !(limit >= 1) || limit % 1 !== 0) {
			error("Baton: driver.listVersions takes a limit of 1 or more, a whole number", 2);
		}
		const problem = keyError(this.name, key);
		if (problem !== undefined) return err(problem);
		if (this.backend.listVersions === undefined) return err(this.unsupported("keeps no versions"));
		return this.answered("the list of versions", key, () => this.backend.listVersions!(key, limit));
	}

	/**
	 * Puts the data of `key` back to what they were at `unixSeconds`; lock, ids and counters stay current. Takes the
	 * session lock for it, saves and releases. Returns the data. Yields.
	 *
	 * Errors: `not_found` where nothing was stored then, `unsupported` by the backend, and those of `load` and
	 * `profile.release`. Throws where `unixSeconds` is no time, or an option is wrong.
	 */
	public restoreAt(key: string, unixSeconds: number, options: LoadOptions = {}): Result<DeepReadonly<T>> {
		if (!typeIs(unixSeconds, "number") || !(unixSeconds >= 0 && unixSeconds < math.huge)) {
			error("Baton: driver.restoreAt takes a moment in Unix seconds, 0 or more", 2);
		}
		readLoadOptions("driver.restoreAt", options);
		const problem = keyError(this.name, key);
		if (problem !== undefined) return err(problem);
		if (this.backend.readAt === undefined) return err(this.unsupported("keeps no versions"));
		const found = this.answered("the read of an old version", key, () => this.backend.readAt!(key, unixSeconds));
		if (!found.success) return found;
		if (found.value === undefined) {
			const message = `Baton: nothing was stored for "${key}" in store "${this.name}" at ${unixSeconds}`;
			return err(new BatonError("not_found", message, { store: this.name, key }));
		}
		// Of a version only the data count: what a trade or transaction was about to do then is long settled.
		const old = this.gate.fromValue(key, found.value.value);
		if (!old.success) return old;
		const loaded = this.load(key, options);
		if (!loaded.success) return loaded;
		const profile = loaded.value;
		const updated = profile.update(() => old.value);
		const released = profile.release();
		if (!updated.success) return updated;
		return released.success ? updated : released;
	}

	/**
	 * A transaction over profiles of this driver, by position: `change` gets their data in the order of `profiles` and
	 * returns the next data of each, or false to cancel. Everything else is as with `transaction`. Yields.
	 */
	public transaction(
		profiles: ReadonlyArray<Transactable<T>>,
		change: (data: ReadonlyArray<DeepReadonly<T>>) => ReadonlyArray<DeepReadonly<T> | T> | false,
		config?: TransactionConfig,
	): Result<boolean> {
		return positional(profiles, change, config, this.backend);
	}

	/**
	 * Saves every open profile with unsaved changes, lockless ones too, all at once. Yields until the last is answered.
	 * Returns how many there were.
	 *
	 * Errors: that of the first one that failed, with their number in the message; the others are saved.
	 */
	public saveAll(): Result<number> {
		const failures = new Array<BatonError>();
		const profiles = [...this.slots.profiles(), ...this.locklessProfiles.profiles()];
		const dirty = profiles.filter((profile) => profile.active && profile.isDirty());
		runAll(
			this.platform,
			dirty.map((profile) => () => {
				const saved = profile.save();
				if (!saved.success) failures.push(saved.error);
			}),
		);
		if (failures.isEmpty()) return ok(dirty.size());
		const [first] = failures;
		const message = `Baton: ${failures.size()} of ${dirty.size()} profiles of store "${this.name}" were not saved: ${first.message}`;
		return err(new BatonError(first.type, message, { ...first, cause: first }));
	}

	/**
	 * Starts no more loads, releases every profile, flushes lockless ones for the last time, all at once, and gives back the
	 * locks of loads under way. Yields until all is answered, 28 s at most (the server waits 30 s when it closes). A trade
	 * has 20 s to end; from then on its profiles give up their locks alone, and their next loads finish it. Safe to call
	 * again; the server's shutdown calls it for every driver.
	 *
	 * Errors: `roblox` naming the keys that were not answered in time; they are tried on while the server lives.
	 */
	public close(): Result<undefined> {
		return this.closeBy(this.platform.clock() + SHUTDOWN_SECONDS);
	}

	/** `deadline` is on the platform's clock. */
	private closeBy(deadline: number): Result<undefined> {
		this.closing = true;
		this.sessions?.close();
		this.autosave.stop();
		this.acquirer.close();
		this.locklessProfiles.startClosing();
		for (const slot of this.slots.all()) {
			slot.unpark();
			const { profile } = slot;
			if (profile === undefined) continue;
			this.platform.task.spawn(() => profile.release());
			profile.writer.close();
		}
		this.slots.waitUntilEmpty(deadline - CUT_SECONDS);
		this.locklessProfiles.waitUntilEmpty(deadline - CUT_SECONDS);
		for (const profile of this.slots.profiles()) profile.cutHold();
		this.locklessProfiles.cutHolds();
		this.slots.waitUntilEmpty(deadline);
		this.acquirer.waitUntilGivenBack(deadline);
		this.locklessProfiles.waitUntilEmpty(deadline);
		const flushed = this.locklessProfiles.closed();
		this.trades.waitUntilThrough(deadline);
		const left = this.slots.keys();
		if (left.isEmpty()) {
			const givesBack = this.acquirer.isGivingBack();
			if (!givesBack && !this.trades.isRunning()) return flushed;
			const what = givesBack
				? "locks that are not known to be given back; no data are lost"
				: "a trade that is not through; the next loads of both profiles finish it";
			const message = `Baton: driver "${this.name}" closes with ${what}`;
			return err(new BatonError("roblox", message, { store: this.name, retryable: true }));
		}
		const message =
			`Baton: driver "${this.name}" closes with ${left.size()} profiles whose last save was not answered: ` +
			`${left.join(", ")}. What they changed since their last save is lost if the server ends now.`;
		this.platform.warn(message);
		return err(new BatonError("roblox", message, { store: this.name, retryable: true }));
	}

	/** A player's load: waits for other servers' locks and for this server's own work on the key, all by one deadline. */
	private loadFor(player: Player, key: string, isWanted: () => boolean): Result<OpenProfile<T>> {
		const started = this.platform.clock();
		const loaded = this.opener.open({
			key,
			userIds: [player.UserId],
			waitsForLock: true,
			localSeconds: this.settings.localHandoffSeconds ?? this.settings.lockWaitSeconds,
			isWanted,
			player,
		});
		const outcome = loaded.success ? "joined" : loaded.error.type;
		this.metrics.report("join.seconds", this.platform.clock() - started, { outcome });
		return loaded;
	}

	/** The profile's session ends, the lock alone is given up, and the next load, on any server, settles the trade. */
	private profileBlocked(profile: OpenProfile<T>): void {
		this.sessions?.endUnfinished(profile);
		this.kernel?.events.transactionEnded.fire(profile.key, true);
	}

	/** What the first load or `attach` starts. */
	private begin(): void {
		if (this.closing) return;
		this.server.bindClose();
		const { scheduler } = this.kernel ?? this.server.sharedKernel();
		this.autosave.runOn(scheduler);
		if (!this.locklessProfiles.isEmpty()) this.flushes.runOn(scheduler);
	}

	private attached(method: string): PlayerSessions<T> {
		if (this.sessions === undefined)
			error(`Baton: call driver:attach() before driver:${method}(), on "${this.name}"`, 3);
		return this.sessions;
	}

	private answered<R>(what: string, key: string, call: () => Result<R>): Result<R> {
		return answerWithin({ store: this.name, platform: this.platform, key, what }, READ_SECONDS, call);
	}

	private unsupported(what: string): BatonError {
		const message = `Baton: the ${this.backend.name} backend of store "${this.name}" ${what}`;
		return new BatonError("unsupported", message, { store: this.name });
	}
}
