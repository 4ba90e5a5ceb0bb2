import { RobloxErrorKind } from "./backend/robloxErrors";

/**
 * Why a call failed, as a string to branch on:
 *
 * - `roblox`: a service failed; `retryable` tells whether the same call may work later. The outcome of a write is unknown.
 * - `profile_locked`: another server holds the session lock (`holder`; left out for one on another library). Nothing was written.
 * - `lock_lost`: the session lock passed to another server (`holder`, where known). This call wrote nothing; the message
 *   says so where an earlier one was not answered and may have.
 * - `already_loaded`: this server has the key open; use `driver.get`.
 * - `profile_closed`: the driver or the server is closing.
 * - `released`: the profile was released and no longer belongs to this server.
 * - `player_left`: the player left before the profile was ready.
 * - `invalid_data`: data failed the driver's `check`, or cannot be stored (`path`). Nothing was written.
 * - `invalid_key`: the key is empty, over 50 bytes, not valid UTF-8 or one that Baton keeps for itself. Nothing was read or written.
 * - `invalid_record`: the stored value is not a Baton record. It was left as it is.
 * - `outdated`: the record was written by a newer version of the game. Nothing was written, no lock was taken.
 * - `migration_mismatch`: the record's migrations are not a beginning of this driver's.
 * - `migration_failed`: a migration threw; the lock was given back.
 * - `unresolved_transaction`: the record carries an undecided trade or transaction that could not be finished.
 * - `unknown_outcome`: a write was sent whose effect could not be found out within its bound.
 * - `same_profile`: a trade needs two profiles.
 * - `busy`: another trade or transaction has one of the profiles. Nothing was written.
 * - `duplicate_id`: a trade of this id has committed already. Nothing was changed.
 * - `save_failed`: a participant of a trade could not be saved (`cause`); the trade is off, nobody's data changed.
 * - `trade_aborted`: another server finished the trade first, as aborted; nobody's data changed.
 * - `pending_recovery`: whether the trade is committed is not known; the next load of each participant finds out.
 * - `recovery_failed`: a record's unfinished trade could not be finished; it was left as it is.
 * - `tx_aborted`: a transaction was aborted, nobody's data changed; `cause` is the error of the participant that failed, and
 *   is left out where another server aborted it first.
 * - `tx_unknown`: whether a transaction is committed is not known yet. Its profiles take no changes until a retry finds out.
 * - `tx_lock_lost`: a transaction's lock on a lockless key had expired and went to another server. Nothing was written.
 * - `tx_marker_invalid`: a transaction's marker holds something else than its outcome; the record was left as it is.
 * - `lockless_locked`: a lockless key is under a live session lock (`holder`). Nothing was written.
 * - `not_found`: no such record or version.
 * - `unsupported`: the backend cannot do this.
 */
export type ErrorType =
	| "roblox"
	| "profile_locked"
	| "lock_lost"
	| "already_loaded"
	| "profile_closed"
	| "released"
	| "player_left"
	| "invalid_data"
	| "invalid_key"
	| "invalid_record"
	| "outdated"
	| "migration_mismatch"
	| "migration_failed"
	| "unresolved_transaction"
	| "unknown_outcome"
	| "same_profile"
	| "busy"
	| "duplicate_id"
	| "save_failed"
	| "trade_aborted"
	| "pending_recovery"
	| "recovery_failed"
	| "tx_aborted"
	| "tx_unknown"
	| "tx_lock_lost"
	| "tx_marker_invalid"
	| "lockless_locked"
	| "not_found"
	| "unsupported";

/** Who holds a session lock. */
export interface LockHolder {
	readonly jobId: string;
	readonly token: string;
	/** Unix seconds by the holder's wall clock when it last wrote the record. */
	readonly time: number;
}

/** What an error knows besides its type and message. */
export interface ErrorDetails {
	/** The driver's store, where the error is about one. */
	readonly store?: string;
	/** The record's key, where the error is about one. */
	readonly key?: string;
	/** The lock's holder (`profile_locked`, `lock_lost`). */
	readonly holder?: LockHolder;
	/** Where in the data the problem is, like `data.pets[3].name` (`invalid_data`). */
	readonly path?: string;
	/** Whether the same call may work later (`roblox`). */
	readonly retryable?: boolean;
	/** What kind of failure a service's error is (`roblox`). */
	readonly kind?: RobloxErrorKind;
	/** The error below this one. */
	readonly cause?: BatonError;
}

/** A typed error. `tostring(error)` is its message, which says what happened, to which key and store, and what to do. */
export class BatonError {
	public readonly type: ErrorType;
	public readonly message: string;
	public readonly store?: string;
	public readonly key?: string;
	public readonly holder?: LockHolder;
	public readonly path?: string;
	public readonly retryable?: boolean;
	public readonly kind?: RobloxErrorKind;
	public readonly cause?: BatonError;

	public constructor(errorType: ErrorType, message: string, details: ErrorDetails = {}) {
		this.type = errorType;
		this.message = message;
		this.store = details.store;
		this.key = details.key;
		this.holder = details.holder;
		this.path = details.path;
		this.retryable = details.retryable;
		this.kind = details.kind;
		this.cause = details.cause;
	}

	public toString(): string {
		return this.message;
	}
}
