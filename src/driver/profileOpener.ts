import { Backend } from "../backend/backend";
import { StoreClock } from "../backend/storeClock";
import { BatonError } from "../errors";
import { HolderWatch } from "../handoff/holderWatch";
import { LocklessProfiles } from "../lockless/locklessProfiles";
import { Platform } from "../platform/platform";
import { checkKey } from "../record/limits";
import { err, ok, Result } from "../result";
import { MarkerStore } from "../transaction/markerStore";
import { Acquirer, LAST_ATTEMPT_SECONDS } from "./acquirer";
import { Autosave } from "./autosave";
import { DataGate } from "./dataGate";
import { HandoffLink } from "./handoffLink";
import { KeySlots, Slot } from "./keySlots";
import { Metrics } from "./metrics";
import { OpenProfile } from "./openProfile";
import { OpenTrades } from "./openTrades";
import { DriverSettings } from "./options";

/** Seconds that a server's first loads wait for its first beat: without it their locks could not be taken by silence. */
const FIRST_BEAT_SECONDS = 1;

/** The parts of a driver that opening a profile brings together. */
export interface OpenerParts<T extends object> {
	readonly name: string;
	readonly settings: DriverSettings<T>;
	readonly platform: Platform;
	readonly jobId: string;
	readonly gate: DataGate<T>;
	readonly backend: Backend;
	readonly storeClock: StoreClock;
	readonly markers: MarkerStore;
	readonly acquirer: Acquirer;
	readonly autosave: Autosave;
	readonly slots: KeySlots<T>;
	readonly lockless: LocklessProfiles<T>;
	readonly metrics: Metrics;
	readonly trades: OpenTrades;
	readonly link: HandoffLink<T>;
	readonly isClosing: () => boolean;
	/** Starts what a driver with an open profile needs. */
	readonly begin: () => void;
	/** A profile was closed since its lock is another server's. */
	readonly onLost: (profile: OpenProfile<T>) => void;
	/** A trade left a profile's outcome unsettled. */
	readonly onBlocked: (profile: OpenProfile<T>) => void;
}

/** One wish to open a key. */
export interface OpenWish {
	readonly key: string;
	readonly userIds?: ReadonlyArray<number>;
	readonly waitsForLock: boolean;
	readonly localSeconds: number;
	readonly abandons?: string;
	readonly isWanted: () => boolean;
	readonly player?: Player;
}

/** Opens keys: waits for what this server still does with one, takes its lock, and makes a profile of its record. */
export class ProfileOpener<T extends object> {
	public constructor(private readonly parts: OpenerParts<T>) {}

	/** Opens a key. Errors: those of `driver.load`. Yields. */
	public open(wish: OpenWish): Result<OpenProfile<T>> {
		const problem = keyError(this.parts.name, wish.key);
		if (problem !== undefined) return err(problem);
		this.parts.begin();
		const started = this.parts.platform.clock();
		const waited = this.waitForKey(wish, started + wish.localSeconds);
		if (!waited.success) return waited;
		if (waited.value !== undefined) return ok(waited.value);
		const slot = this.parts.slots.reserve(wish.key);
		const opened = this.openIn(
			slot,
			wish,
			started + math.max(wish.localSeconds, this.parts.settings.lockWaitSeconds),
		);
		if (!opened.success) {
			this.parts.slots.free(wish.key, slot);
		} else {
			slot.profile = opened.value;
			this.parts.autosave.add(opened.value);
			// The beats may have failed while the lock was on its way.
			opened.value.withdrawPresence();
			slot.signalChange();
		}
		// Requests that came meanwhile are acted upon once whoever loads it has it in hand.
		this.parts.platform.task.defer(() => this.parts.link.requests?.settled(wish.key));
		return opened;
	}

	/** The open, active profile of a key. */
	public active(key: string): OpenProfile<T> | undefined {
		const profile = this.parts.slots.get(key)?.profile;
		return profile !== undefined && profile.active && !profile.adopting ? profile : undefined;
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
			const slot = this.parts.slots.get(key);
			if (slot === undefined) {
				const taken = this.takenError(key);
				return taken === undefined ? ok(undefined) : err(taken);
			}
			const { profile } = slot;
			if (profile?.isAdoptable() === true) {
				const seconds = math.max(deadline - this.parts.platform.clock(), LAST_ATTEMPT_SECONDS);
				if (profile.adopt(seconds)) return this.adopted(profile, wish);
				continue;
			}
			if (profile !== undefined && profile !== hurried && profile.isLeaving()) {
				// One with an unsettled trade never goes on, but its lock is let go of without the rest of a pause.
				hurried = profile;
				if (profile.isBlocked()) profile.writer.hurry();
			}
			const left = deadline - this.parts.platform.clock();
			const isOpen = profile !== undefined && profile.active && !profile.adopting;
			if (left <= 0 || isOpen) return err(this.takenError(key)!);
			slot.waitForChange(left);
		}
	}

	/** What this server does with the key, as an error; undefined where it does nothing. */
	public takenError(key: string): BatonError | undefined {
		const slot = this.parts.slots.get(key);
		if (slot === undefined) return this.parts.lockless.takenError(key);
		const { profile } = slot;
		const state = profile === undefined ? "being loaded" : profile.active ? "open" : "being released";
		const message = `Baton: "${key}" in store "${this.parts.name}" is ${state} on this server; use driver.get for an open one`;
		return new BatonError("already_loaded", message, { store: this.parts.name, key });
	}

	private adopted(profile: OpenProfile<T>, wish: OpenWish): Result<OpenProfile<T>> {
		this.parts.metrics.report("lock.adopted", 1);
		// It is that of whoever asked now: a request of another server ends only a player's, and that player has left.
		profile.player = wish.player;
		if (wish.userIds !== undefined) profile.userIds = wish.userIds;
		// Once whoever is back has it in hand; and no message may hold up the load.
		this.parts.platform.task.defer(() => this.parts.link.requests?.settled(wish.key));
		const unwanted = this.unwanted(wish);
		// Another rejoin may wait for what becomes of it; it must see it leaving, not open.
		if (unwanted !== undefined) this.parts.platform.task.spawn(() => profile.release());
		this.parts.slots.get(wish.key)?.signalChange();
		return unwanted === undefined ? ok(profile) : err(unwanted);
	}

	private openIn(slot: Slot<T>, wish: OpenWish, deadline: number): Result<OpenProfile<T>> {
		const { key, userIds } = wish;
		this.parts.link.handoff?.awaitFirstBeat(FIRST_BEAT_SECONDS);
		const acquired = this.parts.acquirer.acquire({
			key,
			userIds,
			waitsForLock: wish.waitsForLock,
			deadline,
			unwanted: () => this.unwanted(wish),
			abandons: wish.abandons,
			park: (seconds) => slot.park(seconds),
			watch:
				wish.waitsForLock && this.parts.link.handoff !== undefined
					? new HolderWatch(
							this.parts.platform,
							this.parts.link.handoff,
							this.parts.name,
							key,
							() => this.unwanted(wish) === undefined,
						)
					: undefined,
		});
		if (!acquired.success) return acquired;
		const { lock, record } = acquired.value;
		const gated = this.parts.gate.fromRecord(key, record);
		if (!gated.success) {
			this.parts.acquirer.giveBack(key, lock.token);
			return gated;
		}
		let place = slot;
		const profile: OpenProfile<T> = new OpenProfile(
			{
				store: this.parts.name,
				platform: this.parts.platform,
				backend: this.parts.backend,
				storeClock: this.parts.storeClock,
				markers: this.parts.markers,
				retry: this.parts.settings.retry,
				migrationNames: this.parts.gate.migrationNames,
				jobId: this.parts.jobId,
				presence: () => this.parts.link.handoff?.flag(),
				admit: (data) => this.parts.gate.admit(key, data),
				bytesOf: (data) => this.parts.gate.bytesOf(data),
				trades: this.parts.trades,
				onBlocked: () => this.parts.onBlocked(profile),
				metric: (name, value, tags) => this.parts.metrics.report(name, value, tags),
				onAttemptEnded: () => place.signalChange(),
				unwanted: () => this.unwantedAgain(profile),
				reopen: () => {
					const problem = this.unwantedAgain(profile) ?? this.takenError(key);
					if (problem !== undefined) return problem;
					place = this.parts.slots.reserve(key);
					place.profile = profile;
					this.parts.autosave.add(profile);
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

	private profileEnded(slot: Slot<T>, profile: OpenProfile<T>, lost: BatonError | undefined): void {
		this.parts.autosave.remove(profile);
		this.parts.metrics.report(lost === undefined ? "lock.released" : "lock.lost", 1);
		if (lost !== undefined) this.parts.onLost(profile);
		this.parts.slots.free(profile.key, slot);
		this.parts.link.requests?.lockEnded(profile.key, profile.writes.token());
	}

	/** Why a profile that was about to be released is not wanted back. */
	private unwantedAgain({ key, player }: OpenProfile<T>): BatonError | undefined {
		const isWanted = () => player === undefined || this.parts.platform.players.GetPlayers().includes(player);
		return this.unwanted({ key, player, isWanted });
	}

	private unwanted(wish: Pick<OpenWish, "key" | "player" | "isWanted">): BatonError | undefined {
		const { key, player } = wish;
		const details = { store: this.parts.name, key };
		if (this.parts.isClosing())
			return new BatonError("profile_closed", `Baton: driver "${this.parts.name}" is closing`, details);
		if (wish.isWanted()) return undefined;
		const message = `Baton: player ${player?.Name} left before "${key}" of store "${this.parts.name}" was loaded`;
		return new BatonError("player_left", message, details);
	}
}

/** What is wrong with a key, as an error; undefined where nothing is. */
export function keyError(store: string, key: string): BatonError | undefined {
	const problem = checkKey(store, key);
	if (problem === undefined) return undefined;
	return new BatonError("invalid_key", `Baton: ${problem}. Nothing was read or written.`, { store });
}
