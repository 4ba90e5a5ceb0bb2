import { BatonError } from "../errors";
import { DeepReadonly } from "../record/deepReadonly";
import { Result } from "../result";
import { Subscribable } from "../util/signal";

/**
 * A loaded record under this server's session lock. Its data is deep-frozen: `update` swaps it for the next one. It is
 * saved every `autosaveSeconds` while it has unsaved changes, and for the last time when it is released.
 */
export interface Profile<T extends object> {
	/** The record's key in the driver's store. */
	readonly key: string;
	/** The current data, deep-frozen; the last good data once the profile is closed. */
	readonly data: DeepReadonly<T>;
	/** Whether this server may still change it: false from the release, or from the moment the lock is found lost. */
	readonly active: boolean;
	/** The player it belongs to, where a player's load opened it; the newest one after a rejoin. */
	readonly player?: Player;
	/** User ids that go with every write, for the right to erasure; undefined keeps those that are stored. */
	readonly userIds?: ReadonlyArray<number>;
	/** Fired after an update that changed the data. */
	readonly onChanged: Subscribable<[data: DeepReadonly<T>, previous: DeepReadonly<T>]>;
	/** Fired when a save was answered as stored. */
	readonly onSaved: Subscribable<[]>;
	/** Fired when the release was answered: the record is free for other servers. */
	readonly onReleased: Subscribable<[]>;
	/**
	 * Fired when another server asks for the record. Only for a profile without a player: a player's is released at once,
	 * since the player has joined there. The game may `release` it; it is not ended otherwise.
	 */
	readonly onReleaseRequested: Subscribable<[requesterJobId: string]>;
	/** Fired once, when the lock is found to be another server's: nothing was written, unsaved changes are lost. */
	readonly onLockLost: Subscribable<[BatonError]>;

	/**
	 * Replaces the data by what `change` returns; the same reference means unchanged. The new data is checked (storable,
	 * within the size limit, the driver's `check`) and deep-frozen, so that no later save can fail on it. Does not save.
	 *
	 * `change` must not yield or call methods of this profile; an error it throws is thrown on with nothing changed. May
	 * yield while a trade or transaction holds the profile.
	 *
	 * Errors: `invalid_data` (with `path`; the profile keeps its data and stays usable), `released`, `lock_lost`,
	 * `tx_unknown` while it is not known whether a transaction of it is committed, `unresolved_transaction` where a trade of
	 * it was left unfinished.
	 */
	update(change: (data: DeepReadonly<T>) => DeepReadonly<T> | T): Result<DeepReadonly<T>>;

	/**
	 * Stores the data as of this call. Yields until it is stored; without unsaved changes it answers at once. Calls made
	 * while a save runs share one more save.
	 *
	 * Errors: `roblox` when the store still fails after 1, 2, 4 and 8 s (it goes on trying in the background: nothing is
	 * lost while the server lives), `lock_lost`, `released`, `tx_unknown` and `unresolved_transaction` as in {@link update}
	 * (whether the data of this call are stored is then for the retry, or the next load, to find out).
	 */
	save(): Result<undefined>;

	/**
	 * Waits for a trade or transaction that has the profile, runs the `onReleasing` handlers, stores the data and gives up
	 * the lock. Yields until that is stored. Calls made meanwhile share it; on a released profile it does nothing.
	 *
	 * Errors: `roblox` when the store still fails after 1, 2, 4 and 8 s (it goes on trying in the background until it
	 * lands or the server ends), `lock_lost`, `unknown_outcome` (the release was sent and not answered, and another
	 * server has the record since), `tx_unknown` (the lock is given up, and what was not stored before the transaction is
	 * only if that is committed).
	 */
	release(): Result<undefined>;

	/**
	 * Takes the record back after a release, on this same profile: for a teleport that failed after
	 * `driver.releaseForTeleport`. It asks nobody and steals nothing: it works only if no server has written the record
	 * since. Until then, and where it fails, `update` answers `released`. Yields.
	 *
	 * Errors: `lock_lost` when another server had the record since (the player's session ends), `already_loaded` when the
	 * key is loaded anew here, `player_left`, `profile_closed`, `roblox` when the store fails for the whole ladder (it is
	 * released again), `tx_unknown` and `unresolved_transaction` where it was released with an open outcome: load it anew.
	 */
	reacquire(): Result<undefined>;

	/**
	 * Calls `handler` before the last save, on leave, shutdown and handoff alike: the last chance to update. It must not
	 * yield; an error of it is reported and holds up nothing. Returns a function that takes it off again.
	 */
	onReleasing(handler: (profile: Profile<T>) => void): () => void;
}
