import { DeepReadonly } from "../record/deepReadonly";
import { Result } from "../result";
import { Subscribable } from "../util/signal";

/**
 * A record without a session lock, which any number of servers change at the same time: each queues its updates, and a
 * flush applies them to whatever is stored then. For what many servers share, such as a guild. Flushed every
 * `flushSeconds` while something is queued, and for the last time when it is closed.
 */
export interface LocklessProfile<T extends object> {
	/** The record's key in the driver's store. */
	readonly key: string;
	/**
	 * The data as last fetched or flushed, with the queued updates on top, deep-frozen; undefined before the first `fetch`
	 * or flush. Other servers may have changed the record since.
	 */
	readonly data?: DeepReadonly<T>;
	/** Whether it takes updates: false from `close` on. */
	readonly active: boolean;
	/** User ids that go with every write, for the right to erasure; undefined keeps those that are stored. */
	readonly userIds?: ReadonlyArray<number>;
	/** Fired when `data` changed, by an update here or by what was found stored; `previous` is undefined the first time. */
	readonly onChanged: Subscribable<[data: DeepReadonly<T>, previous: DeepReadonly<T> | undefined]>;
	/** Fired when a flush was answered as stored. */
	readonly onSaved: Subscribable<[]>;

	/**
	 * Reads what is stored now, past every cache, and gives it with the queued updates on top; the defaults where nothing is
	 * stored. Writes nothing. A transaction of another server that is not decided yet is waited for, up to `txTtl`. Yields.
	 *
	 * Errors: `invalid_record`, `outdated`, `migration_mismatch`, `migration_failed`, `invalid_data`,
	 * `unresolved_transaction`, `tx_marker_invalid`, `roblox`, `profile_closed`.
	 */
	fetch(): Result<DeepReadonly<T>>;

	/**
	 * Queues a change of the data. Does not yield, and does not write.
	 *
	 * `change` runs again on every newer base that is found, here or in a flush, so it must depend on the data alone, and
	 * must not yield. Data that were fetched already are changed at once: what `change` throws is thrown on, and what does
	 * not pass the driver's checks is refused, with nothing queued. A newer base may still refuse it: then it is dropped
	 * with a warning, and `save` says so. Throws inside another update's function or a transaction's own.
	 *
	 * Errors: `invalid_data` (with `path`), `profile_closed`.
	 */
	update(change: (data: DeepReadonly<T>) => DeepReadonly<T> | T): Result<undefined>;

	/**
	 * Stores what is queued as of this call. Yields until it is stored; with nothing queued it answers at once. Calls made
	 * while a flush runs share one more. A transaction of another server that has the key is waited for.
	 *
	 * Errors: `roblox` when the store still fails after the quick tries and `lockless_locked` when another server has the
	 * key under a session lock (both are tried on in the background: nothing is lost while the server lives),
	 * `invalid_data` when what is stored by now refuses one of the updates (the others are stored), `unknown_outcome` when
	 * a flush was not answered for an hour (it is not sent again), `tx_unknown` while the outcome of a transaction of this
	 * server is not known, `busy` when transactions kept the key for minutes, `invalid_record`, `outdated`,
	 * `migration_mismatch`, `migration_failed`, `recovery_failed`, `tx_marker_invalid`, `profile_closed`.
	 */
	save(): Result<undefined>;

	/**
	 * Takes no more updates and flushes for the last time. Yields until that is stored; calls made meanwhile share it, and
	 * on a closed profile it does nothing. Errors: those of `save`; then it is tried on in the background until it lands or
	 * the server ends.
	 */
	close(): Result<undefined>;
}
