import { Backend, RecordVersion } from "../backend/backend";
import { answerWithin } from "../backend/answerWithin";
import { StoreClock } from "../backend/storeClock";
import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { robloxPlatform } from "../platform/roblox";
import { Handoff } from "../handoff/handoff";
import { HolderWatch } from "../handoff/holderWatch";
import { DeepReadonly } from "../record/deepReadonly";
import { checkKey } from "../record/limits";
import { err, ok, Result } from "../result";
import { peekTrade } from "../trade/peekTrade";
import { runAll } from "../util/parallel";
import { Signal, Subscribable } from "../util/signal";
import { Acquirer, LAST_ATTEMPT_SECONDS } from "./acquirer";
import { Autosave } from "./autosave";
import { DataGate } from "./dataGate";
import { Kernel } from "./kernel";
import { KeySlots, Slot } from "./keySlots";
import { Metrics } from "./metrics";
import { OpenProfile } from "./openProfile";
import { DriverOptions, DriverSettings, LoadOptions, readLoadOptions, readOptions } from "./options";
import { PlayerSessions } from "./playerSessions";
import { Profile } from "./profile";
import { ReleaseRequests } from "./releaseRequests";
import { ServerState, serverState, SHUTDOWN_SECONDS } from "./serverState";
import { storePlace } from "./storePlace";

/** How many versions `listVersions` gives where it is not told. */
const VERSIONS = 100;
/** How long a read may go unanswered, in seconds, before it counts as failed. */
const READ_SECONDS = 30;
/** Seconds that a server's first loads wait for its first beat: without it their locks could not be taken by silence. */
const FIRST_BEAT_SECONDS = 1;
/** Seconds over which a server that cannot beat rewrites its locks: 4, less what the last one takes to land. */
const WITHDRAW_SECONDS = 3.5;

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

	private readonly readySignal: Signal<[player: Player, profile: Profile<T>]>;
	private readonly failedSignal: Signal<[player: Player, cause: BatonError]>;
	private readonly settings: DriverSettings<T>;
	private readonly platform: Platform;
	private readonly server: ServerState;
	private readonly gate: DataGate<T>;
	private readonly backend: Backend;
	private readonly storeClock: StoreClock;
	private readonly acquirer: Acquirer;
	private readonly autosave: Autosave<T>;
	private readonly slots: KeySlots<T>;
	private readonly metrics: Metrics;
	private readonly jobId: string;
	private kernel?: Kernel;
	private handoff?: Handoff;
	private requests?: ReleaseRequests<T>;
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
		this.jobId = settings.jobId ?? given ?? this.server.jobId;
		if (given !== undefined && given !== this.jobId) {
			// Its locks would name a server that nobody hears from, which others would take for stopped.
			error(
				`Baton: DataDriver: option "jobId" is "${this.jobId}", but that of the given handoff is "${given}"`,
				3,
			);
		}
		this.gate = new DataGate(settings, taskLibrary.cancel);
		this.readySignal = new Signal(taskLibrary);
		this.failedSignal = new Signal(taskLibrary);
		this.onReady = this.readySignal;
		this.onLoadFailed = this.failedSignal;
		this.metrics = new Metrics(platform, settings.name, settings.onMetric);
		this.slots = new KeySlots(platform);
		const place = storePlace(settings, platform);
		this.backend = place.backend;
		this.storeClock = new StoreClock(platform.clock);
		this.autosave = new Autosave(platform, {
			name: settings.name,
			periodSeconds: settings.autosaveSeconds,
			renewSeconds: settings.lockTtlSeconds / 2,
		});
		this.acquirer = new Acquirer({
			store: settings.name,
			platform,
			backend: place.backend,
			storeClock: this.storeClock,
			jobId: this.jobId,
			ttlSeconds: settings.lockTtlSeconds,
			skewSeconds: settings.lockSkewSeconds,
			defaults: this.gate.defaults,
			migrationNames: this.gate.migrationNames,
			importLegacy: settings.importLegacy,
			takesAnyLock: place.takesAnyLock,
			handoff: () => this.handoff,
			checkImported: (data) => this.gate.problemOf(data),
			metric: (name, value, tags) => this.metrics.report(name, value, tags),
		});
		if (!this.server.enter(settings.name, (deadline) => this.closeBy(deadline))) {
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
		this.startHandoff(kernel);
		this.sessions = new PlayerSessions(
			{
				platform: this.platform,
				store: this.name,
				keyOf: this.settings.key,
				onSessionEnd: this.settings.onSessionEnd,
				openProfile: (key) => this.activeProfile(key),
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
	 * `migration_failed`, `invalid_data`, `unresolved_transaction`, `profile_closed`, `roblox`. Throws where an option is
	 * unknown.
	 */
	public load(key: string, options: LoadOptions = {}): Result<Profile<T>> {
		const { userIds, waitForLock, handoffSeconds, abandonTransaction } = readLoadOptions("driver.load", options);
		return this.open({
			key,
			userIds,
			waitsForLock: waitForLock === true,
			localSeconds: handoffSeconds ?? this.settings.localHandoffSeconds ?? 0,
			abandons: abandonTransaction,
			isWanted: () => true,
		});
	}

	/** The profile of `key` that is open on this server and active. Does not yield. */
	public get(key: string): Profile<T> | undefined {
		return this.activeProfile(key);
	}

	/** The player's profile, once it is loaded and while it is active. Does not yield. Throws before `attach`. */
	public profileOf(player: Player): Profile<T> | undefined {
		return this.attached("profileOf").profileOf(player);
	}

	/**
	 * The player's profile; yields until it is loaded. Throws before `attach`.
	 *
	 * Errors: `player_left`, and those of the load that failed.
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
	 * nothing is stored. What an open profile has not saved yet is not in it; a committed trade is, also where its record
	 * is yet to be written. Yields.
	 *
	 * Errors: `invalid_key`, `invalid_record`, `outdated`, `migration_mismatch`, `migration_failed`, `invalid_data`,
	 * `unresolved_transaction`, `roblox`.
	 */
	public peek(key: string): Result<DeepReadonly<T> | undefined> {
		const problem = this.keyError(key);
		if (problem !== undefined) return err(problem);
		const read = (name: string) => this.answered("the read", name, () => this.backend.read(name, true));
		const found = peekTrade(this.name, key, read);
		if (!found.success) return found;
		if (found.value === undefined) return ok(undefined);
		return this.gate.fromValue(key, found.value);
	}

	/**
	 * The stored versions of a record, newest first. Roblox keeps the last write of every hour for 30 days. Yields.
	 *
	 * Errors: `invalid_key`, `unsupported` by the backend, `roblox`.
	 */
	public listVersions(key: string, limit = VERSIONS): Result<ReadonlyArray<RecordVersion>> {
		const problem = this.keyError(key);
		if (problem !== undefined) return err(problem);
		if (this.backend.listVersions === undefined) return err(this.unsupported("keeps no versions"));
		return this.answered("the list of versions", key, () => this.backend.listVersions!(key, limit));
	}

	/**
	 * Puts the data of `key` back to what they were at `unixSeconds`; lock, ids and counters stay current. Takes the
	 * session lock for it, saves and releases. Returns the data. Yields.
	 *
	 * Errors: `not_found` where nothing was stored then, `unsupported` by the backend, and those of `load` and
	 * `profile.release`.
	 */
	public restoreAt(key: string, unixSeconds: number, options: LoadOptions = {}): Result<DeepReadonly<T>> {
		readLoadOptions("driver.restoreAt", options);
		const problem = this.keyError(key);
		if (problem !== undefined) return err(problem);
		if (this.backend.readAt === undefined) return err(this.unsupported("keeps no versions"));
		const found = this.answered("the read of an old version", key, () => this.backend.readAt!(key, unixSeconds));
		if (!found.success) return found;
		if (found.value === undefined) {
			const message = `Baton: nothing was stored for "${key}" in store "${this.name}" at ${unixSeconds}`;
			return err(new BatonError("not_found", message, { store: this.name, key }));
		}
		const old = this.gate.fromValue(key, found.value.value, true);
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
	 * Saves every open profile with unsaved changes, all at once. Yields until the last is answered. Returns how many
	 * there were.
	 *
	 * Errors: that of the first one that failed, with their number in the message; the others are saved.
	 */
	public saveAll(): Result<number> {
		const failures = new Array<BatonError>();
		const dirty = this.slots.profiles().filter((profile) => profile.active && profile.isDirty());
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
	 * Starts no more loads, releases every profile, all at once, and gives back the locks of loads under way. Yields until
	 * all is answered, 28 s at most (the server waits 30 s when it closes). Safe to call again; the server's shutdown calls
	 * it for every driver.
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
		for (const slot of this.slots.all()) {
			slot.unpark();
			const { profile } = slot;
			if (profile === undefined) continue;
			this.platform.task.spawn(() => profile.release());
			profile.writer.close();
		}
		this.slots.waitUntilEmpty(deadline);
		this.acquirer.waitUntilGivenBack(deadline);
		const left = this.slots.keys();
		if (left.isEmpty()) {
			if (!this.acquirer.isGivingBack()) return ok(undefined);
			const message = `Baton: driver "${this.name}" closes with locks that are not known to be given back; no data are lost`;
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
		const loaded = this.open({
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

	private open(wish: OpenWish): Result<OpenProfile<T>> {
		const problem = this.keyError(wish.key);
		if (problem !== undefined) return err(problem);
		this.begin();
		const started = this.platform.clock();
		const waited = this.waitForKey(wish, started + wish.localSeconds);
		if (!waited.success) return waited;
		if (waited.value !== undefined) return ok(waited.value);
		const slot = this.slots.reserve(wish.key);
		const opened = this.openIn(slot, wish, started + math.max(wish.localSeconds, this.settings.lockWaitSeconds));
		if (!opened.success) {
			this.slots.free(wish.key, slot);
		} else {
			slot.profile = opened.value;
			this.autosave.add(opened.value);
			// The beats may have failed while the lock was on its way.
			opened.value.withdrawPresence();
			slot.signalChange();
		}
		// Requests that came meanwhile are acted upon once whoever loads it has it in hand.
		this.platform.task.defer(() => this.requests?.settled(wish.key));
		return opened;
	}

	/**
	 * Waits until `deadline` for what this server still does with the key; undefined once it is free. A profile whose last
	 * save failed is not waited for: it is the newest copy, under this server's lock, and goes on.
	 */
	private waitForKey(wish: OpenWish, deadline: number): Result<OpenProfile<T> | undefined> {
		const { key } = wish;
		let hurried: OpenProfile<T> | undefined;
		for (;;) {
			const unwanted = this.unwanted(wish);
			if (unwanted !== undefined) return err(unwanted);
			const slot = this.slots.get(key);
			if (slot === undefined) return ok(undefined);
			const { profile } = slot;
			if (profile?.isAdoptable() === true) {
				const seconds = math.max(deadline - this.platform.clock(), LAST_ATTEMPT_SECONDS);
				if (profile.adopt(seconds)) return this.adopted(profile, wish);
				continue;
			}
			if (profile !== undefined && profile !== hurried && profile.isLeaving()) {
				// One with an unsettled trade never goes on, but its lock is let go of without the rest of a pause.
				hurried = profile;
				if (profile.isBlocked()) profile.writer.hurry();
			}
			const left = deadline - this.platform.clock();
			const isOpen = profile !== undefined && profile.active && !profile.adopting;
			if (left <= 0 || isOpen) return err(this.takenError(key)!);
			slot.waitForChange(left);
		}
	}

	/** What this server does with the key, as an error; undefined where it does nothing. */
	private takenError(key: string): BatonError | undefined {
		const slot = this.slots.get(key);
		if (slot === undefined) return undefined;
		const { profile } = slot;
		const state = profile === undefined ? "being loaded" : profile.active ? "open" : "being released";
		const message = `Baton: "${key}" in store "${this.name}" is ${state} on this server; use driver.get for an open one`;
		return new BatonError("already_loaded", message, { store: this.name, key });
	}

	private adopted(profile: OpenProfile<T>, wish: OpenWish): Result<OpenProfile<T>> {
		this.metrics.report("lock.adopted", 1);
		// It is that of whoever asked now: a request of another server ends only a player's, and that player has left.
		profile.player = wish.player;
		if (wish.userIds !== undefined) profile.userIds = wish.userIds;
		// Once whoever is back has it in hand; and no message may hold up the load.
		this.platform.task.defer(() => this.requests?.settled(wish.key));
		const unwanted = this.unwanted(wish);
		// Another rejoin may wait for what becomes of it; it must see it leaving, not open.
		if (unwanted !== undefined) this.platform.task.spawn(() => profile.release());
		this.slots.get(wish.key)?.signalChange();
		return unwanted === undefined ? ok(profile) : err(unwanted);
	}

	/** Seed "Lock handoff", When it is on. */
	private startHandoff(kernel: Kernel): void {
		const { handoff, jobId, backend } = this.settings;
		const { platform } = this;
		const given = typeIs(handoff, "table") ? handoff : undefined;
		const isOn =
			handoff !== false &&
			jobId === undefined &&
			platform.jobId !== "" &&
			backend !== "Memory" &&
			!platform.isStudio;
		const used = given ?? (isOn ? Handoff.shared(platform, platform.jobId) : undefined);
		if (used === undefined) return;
		this.handoff = used;
		this.server.useHandoff(used);
		this.requests = new ReleaseRequests({
			name: this.name,
			platform,
			slots: this.slots,
			handoff: used,
			handOver: (profile) => this.sessions?.handOver(profile),
			clearOrphan: (key, token) => this.acquirer.clearOrphan(key, token),
		});
		used.register({
			name: this.name,
			onRequest: (key, requester, token) => this.requests?.receive(key, requester, token),
			onReply: (key) => this.slots.get(key)?.unpark(),
			onSilent: () => this.withdrawPresence(),
		});
		used.start(kernel.scheduler);
	}

	/** Rewrites every lock that says this server beats, spread over {@link WITHDRAW_SECONDS}. Does not yield. */
	private withdrawPresence(): void {
		const flagged = this.slots.profiles().filter((profile) => profile.isFlaggedWrongly());
		flagged.forEach((profile, index) => {
			const later = (index / flagged.size()) * WITHDRAW_SECONDS;
			this.platform.task.delay(later, () => profile.withdrawPresence());
		});
	}

	private openIn(slot: Slot<T>, wish: OpenWish, deadline: number): Result<OpenProfile<T>> {
		const { key, userIds } = wish;
		this.handoff?.awaitFirstBeat(FIRST_BEAT_SECONDS);
		const acquired = this.acquirer.acquire({
			key,
			userIds,
			waitsForLock: wish.waitsForLock,
			deadline,
			unwanted: () => this.unwanted(wish),
			abandons: wish.abandons,
			park: (seconds) => slot.park(seconds),
			watch:
				wish.waitsForLock && this.handoff !== undefined
					? new HolderWatch(
							this.platform,
							this.handoff,
							this.name,
							key,
							() => this.unwanted(wish) === undefined,
						)
					: undefined,
		});
		if (!acquired.success) return acquired;
		const { lock, record } = acquired.value;
		const gated = this.gate.fromRecord(key, record);
		if (!gated.success) {
			this.acquirer.giveBack(key, lock.token);
			return gated;
		}
		let place = slot;
		const profile: OpenProfile<T> = new OpenProfile(
			{
				store: this.name,
				platform: this.platform,
				backend: this.backend,
				storeClock: this.storeClock,
				migrationNames: this.gate.migrationNames,
				jobId: this.jobId,
				presence: () => this.handoff?.flag(),
				admit: (data) => this.gate.admit(key, data),
				bytesOf: (data) => this.gate.bytesOf(data),
				onBlocked: () => this.profileBlocked(profile),
				metric: (name, value, tags) => this.metrics.report(name, value, tags),
				onAttemptEnded: () => place.signalChange(),
				reopen: () => {
					const { player } = profile;
					const isWanted = () => player === undefined || this.platform.players.GetPlayers().includes(player);
					const problem = this.unwanted({ key, player, isWanted }) ?? this.takenError(key);
					if (problem !== undefined) return problem;
					place = this.slots.reserve(key);
					place.profile = profile;
					this.autosave.add(profile);
				},
				onEnded: (lost) => this.profileEnded(place, profile, lost),
			},
			key,
			userIds,
			lock,
			gated.value,
		);
		profile.tradeIds = record.Meta.TransactionIds ?? [];
		return ok(profile);
	}

	/** A trade left the profile's outcome unsettled: its session ends, and the next load, on any server, settles it. */
	private profileBlocked(profile: OpenProfile<T>): void {
		this.sessions?.endUnfinished(profile);
		this.kernel?.events.transactionEnded.fire(profile.key, true);
	}

	private profileEnded(slot: Slot<T>, profile: OpenProfile<T>, lost: BatonError | undefined): void {
		this.autosave.remove(profile);
		this.metrics.report(lost === undefined ? "lock.released" : "lock.lost", 1);
		if (lost !== undefined) this.sessions?.profileLost(profile);
		this.slots.free(profile.key, slot);
		this.requests?.lockEnded(profile.key, profile.token());
	}

	private unwanted(wish: Pick<OpenWish, "key" | "player" | "isWanted">): BatonError | undefined {
		const { key, player } = wish;
		const details = { store: this.name, key };
		if (this.closing) return new BatonError("profile_closed", `Baton: driver "${this.name}" is closing`, details);
		if (wish.isWanted()) return undefined;
		const message = `Baton: player ${player?.Name} left before "${key}" of store "${this.name}" was loaded`;
		return new BatonError("player_left", message, details);
	}

	/** What the first load or `attach` starts. */
	private begin(): void {
		if (this.closing) return;
		this.server.bindClose();
		this.autosave.runOn((this.kernel ?? this.server.sharedKernel()).scheduler);
	}

	private activeProfile(key: string): OpenProfile<T> | undefined {
		const profile = this.slots.get(key)?.profile;
		return profile !== undefined && profile.active && !profile.adopting ? profile : undefined;
	}

	private attached(method: string): PlayerSessions<T> {
		if (this.sessions === undefined)
			error(`Baton: call driver:attach() before driver:${method}(), on "${this.name}"`, 3);
		return this.sessions;
	}

	private answered<R>(what: string, key: string, call: () => Result<R>): Result<R> {
		return answerWithin({ store: this.name, platform: this.platform, key, what }, READ_SECONDS, call);
	}

	private keyError(key: string): BatonError | undefined {
		const problem = checkKey(this.name, key);
		return problem !== undefined
			? new BatonError("invalid_key", `Baton: ${problem}. Nothing was read or written.`, { store: this.name })
			: undefined;
	}

	private unsupported(what: string): BatonError {
		const message = `Baton: the ${this.backend.name} backend of store "${this.name}" ${what}`;
		return new BatonError("unsupported", message, { store: this.name });
	}
}

/** One wish to open a key. */
interface OpenWish {
	readonly key: string;
	readonly userIds?: ReadonlyArray<number>;
	readonly waitsForLock: boolean;
	readonly localSeconds: number;
	readonly abandons?: string;
	readonly isWanted: () => boolean;
	readonly player?: Player;
}
