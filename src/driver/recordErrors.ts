import { BatonError, ErrorType } from "../errors";
import { holderOf } from "../record/holding";
import { StoredLock } from "../record/types";

function untouched(kind: ErrorType, store: string, key: string, what: string): BatonError {
	return new BatonError(kind, `Baton: "${key}" in store "${store}" ${what}. It was left untouched.`, { store, key });
}

/** The record is under another server's lock. */
export function lockedElsewhere(store: string, key: string, lock: StoredLock): BatonError {
	if (lock.Tx === true) {
		const busy =
			`Baton: "${key}" in store "${store}" is locked by a transaction of server ${lock.JobId} and was left untouched. ` +
			`Such a lock lasts for seconds: try again.`;
		return new BatonError("profile_locked", busy, { store, key, holder: holderOf(lock) });
	}
	const message =
		`Baton: profile is locked by another server (${lock.JobId}): "${key}" in store "${store}" was left untouched. ` +
		`Try again once that server has released it.`;
	return new BatonError("profile_locked", message, { store, key, holder: holderOf(lock) });
}

/** A server on the library that the game moves over from has the record open. */
export function lockedByLegacy(store: string, key: string, library: string, holder: string): BatonError {
	const message =
		`Baton: profile is locked by a server that is still on ${library} (${holder}): "${key}" in store "${store}" was left ` +
		`untouched. Try again: it moves over once that server has let go of it, or counts as dead.`;
	return new BatonError("profile_locked", message, { store, key });
}

/** The stored value is not Baton's. */
export function invalidRecord(store: string, key: string, reason: string): BatonError {
	const advice = "Give the driver an importLegacy function that turns it into data, or use another key";
	return untouched("invalid_record", store, key, `holds something that is not a Baton record: ${reason}. ${advice}`);
}

/** The record carries a trade or transaction whose outcome is not decided. */
export function unresolvedTransaction(store: string, key: string): BatonError {
	return untouched("unresolved_transaction", store, key, "carries a trade or transaction that is not finished");
}

/** The record's migrations are not a beginning of this server's. */
export function foreignFormat(
	store: string,
	key: string,
	state: "outdated" | "mismatch",
	stored: ReadonlyArray<string>,
	known: ReadonlyArray<string>,
): BatonError {
	const names = `it went through [${stored.join(", ")}], this server knows [${known.join(", ")}]`;
	return state === "outdated"
		? untouched("outdated", store, key, `was written by a newer version of the game (${names}); update this server`)
		: untouched(
				"migration_mismatch",
				store,
				key,
				`went through other migrations than this game has (${names}); never rename, reorder or remove one`,
			);
}

/** The lock that this load took was given back before it was answered. */
export function givenBack(store: string, key: string): BatonError {
	const message = `Baton: the lock of "${key}" in store "${store}" was given back before the load was through; load it again`;
	return new BatonError("roblox", message, { store, key, retryable: true });
}
