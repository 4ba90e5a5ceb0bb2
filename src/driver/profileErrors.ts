import { BatonError, LockHolder } from "../errors";
import { LostReason } from "../record/holding";
import { WriteKind } from "./writer";

/** Names a profile in what is said of it. */
export interface ProfileName {
	readonly store: string;
	readonly key: string;
}

/** What became of the changes of a profile that lost its lock. */
export type LastChanges =
	/** It was being taken back after a release: there were none. */
	| "none"
	/** A save of them was not answered: whoever took the lock may have found them. */
	| "unsure"
	| "stored"
	| "unsaved";

const LOST: Readonly<Record<Exclude<LostReason, "taken">, string>> = {
	unlocked: "another server held it meanwhile and has released it",
	gone: "the record was deleted",
	invalid: "another program wrote something that is not a Baton record",
};

const LAST: Readonly<Record<Exclude<LastChanges, "none">, string>> = {
	unsure: "A save before that was not answered: its changes are stored if it landed, else they are lost",
	stored: "Nothing was written now, and nothing is lost: all its changes were stored before",
	unsaved: "Nothing was written, and the changes since its last save are lost",
};

const named = ({ store, key }: ProfileName): string => `profile "${key}" of store "${store}"`;

/** The profile no longer has its session lock. */
export function lostLock(
	name: ProfileName,
	why: LostReason,
	holder: LockHolder | undefined,
	last: LastChanges,
): BatonError {
	const what = why === "taken" ? `server ${holder?.jobId} holds it now` : LOST[why];
	const message =
		last === "none"
			? `Baton: ${named(name)} cannot be taken back after its release: ${what}. What was released is stored; nothing ` +
				`was written now.`
			: `Baton: ${named(name)} lost its session lock: ${what}. ${LAST[last]}.`;
	return new BatonError("lock_lost", message, { ...name, holder });
}

/** A release was sent and not answered, and others had the record since. */
export function untoldRelease(name: ProfileName, holder: LockHolder | undefined): BatonError {
	const message =
		`Baton: the release of ${named(name)} was sent and not answered, and other servers had the record since. Its last ` +
		`changes are stored if that release landed, which can no longer be told.`;
	return new BatonError("unknown_outcome", message, { ...name, holder });
}

/** A save found that a later one of the same lock has landed. */
export function supersededSave(name: ProfileName): BatonError {
	const message = `Baton: a later save of ${named(name)} is stored; this one is sent again`;
	return new BatonError("roblox", message, { ...name, retryable: true });
}

/** The profile is closed. */
export function releasedProfile(name: ProfileName): BatonError {
	return new BatonError("released", `Baton: ${named(name)} was released and no longer belongs to this server`, name);
}

/** A release that had not landed is not made after all. */
export function calledOffRelease({ store, key }: ProfileName): BatonError {
	const message = `Baton: the release of "${key}" in store "${store}" was called off: its player is back on this server`;
	return new BatonError("already_loaded", message, { store, key });
}

/** What is warned of a write that keeps failing. */
export function failingWrite(name: ProfileName, kind: WriteKind, cause: BatonError): string {
	const unsaved = kind === "touch" ? "its lock cannot be renewed" : "its last changes are not stored yet";
	const outlook = cause.retryable === false ? "it is tried again at a slow rate" : "it is tried until it lands";
	return (
		`Baton: ${named(name)} cannot be saved, so ${unsaved}; nothing is lost while this server lives, and ${outlook}. ` +
		cause.message
	);
}

/** What is warned where the lock was given up without data that the store does not take. */
export function refusedData({ store, key }: ProfileName): string {
	return (
		`Baton: the store refuses the data of profile "${key}" of store "${store}" for good. Its lock was given up without ` +
		`them: the changes since its last save are lost, what was stored before is untouched.`
	);
}

/** What is warned where the lock was given up while a transaction was undecided. */
export function releasedUndecided(name: ProfileName): string {
	return (
		`Baton: ${named(name)} was released while the outcome of its transaction is not known, with changes from before it ` +
		`that were not stored: they are lost unless it is committed.`
	);
}

/** What is warned where a closing server waits no longer for a trade or transaction. */
export function cutShort(name: ProfileName): string {
	return (
		`Baton: ${named(name)} is in a trade or transaction that is not through, and the server closes: its lock is given ` +
		`up and its record left as stored. The next load finishes it; changes from before it that no write has stored are lost.`
	);
}

/** What is warned of a profile that goes on for a player who is back, and is not stored yet. */
export function goesOnUnsaved(name: ProfileName): string {
	return `Baton: ${named(name)} goes on here, but could not be saved yet; it is tried on`;
}

/** What is warned of an `onReleasing` handler that yielded or threw; `what` says which. */
export function badHandler(name: ProfileName, what: string): string {
	return `Baton: an onReleasing handler of ${named(name)} ${what}`;
}
