import { BatonError } from "../errors";
import { holderOf } from "../record/holding";
import { StoredLock } from "../record/types";

/** The key is under a live session lock. */
export function locklessLocked(store: string, key: string, lock: StoredLock): BatonError {
	const message =
		`Baton: the lockless profile "${key}" of store "${store}" cannot be written: server ${lock.JobId} holds it under a ` +
		`session lock. Nothing was written; its updates stay queued until that server has released it.`;
	return new BatonError("lockless_locked", message, { store, key, holder: holderOf(lock) });
}

/** Transactions of other servers have kept the key for longer than any one of them may. */
export function keptBusy(store: string, key: string): BatonError {
	const message =
		`Baton: transactions of other servers kept the lockless profile "${key}" of store "${store}" for the whole wait. ` +
		`Nothing was written; its updates stay queued.`;
	return new BatonError("busy", message, { store, key, retryable: true });
}

/** A transaction's token was given back before it was used. */
export function lockGivenBack(store: string, key: string): BatonError {
	const message = `Baton: the transaction lock of "${key}" in store "${store}" was given back before it was answered. Nothing was written.`;
	return new BatonError("tx_lock_lost", message, { store, key });
}

/** Without the store's time no write can be numbered. */
export function unknownStoreTime(store: string, key: string): BatonError {
	const message = `Baton: the lockless profile "${key}" of store "${store}" was not written: the store's time could not be learned`;
	return new BatonError("roblox", message, { store, key, kind: "retryable", retryable: true });
}

/** The outcome of a transaction of this server is not known yet. */
export function undecidedOutcome(store: string, key: string): BatonError {
	const message =
		`Baton: whether the last transaction of the lockless profile "${key}" of store "${store}" is committed is not known ` +
		`yet. Nothing was written; its updates stay queued until a retry finds out.`;
	return new BatonError("tx_unknown", message, { store, key });
}

/** A flush was sent and not answered for as long as updates are kept for. */
export function unansweredFlush(store: string, key: string, count: number): BatonError {
	const message =
		`Baton: ${count} updates of the lockless profile "${key}" of store "${store}" were sent over an hour ago, and no ` +
		`answer came: whether they are stored is not known, and they are not sent again`;
	return new BatonError("unknown_outcome", message, { store, key });
}

/** An update that the data refused which are stored by now. */
export function droppedUpdate(store: string, key: string, cause: BatonError): BatonError {
	const message =
		`Baton: an update of the lockless profile "${key}" of store "${store}" was dropped, since it does not go with what ` +
		`other servers have stored meanwhile: ${cause.message}`;
	return new BatonError("invalid_data", message, { store, key, path: cause.path, cause });
}

/** The profile is closed. */
export function closedProfile(store: string, key: string): BatonError {
	const message = `Baton: the lockless profile "${key}" of store "${store}" is closed; open it anew with driver.lockless`;
	return new BatonError("profile_closed", message, { store, key });
}
