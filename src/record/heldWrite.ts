import { LockHolder } from "../errors";
import { LostReason, standingOf, WriteId } from "./holding";
import { StoredLock, StoredMeta, StoredRecord } from "./types";

/** Everything that a trade's or transaction's write under a session lock goes by. */
export interface HeldRequest extends WriteId {
	/** Unix seconds by this server's wall clock. */
	readonly time: number;
	/** Whether this server provably beats; undefined where it does not beat at all. */
	readonly presence?: boolean;
}

/** Why such a write left the record as it is. */
export type HeldKept =
	/** This very write has landed: a success. */
	| { readonly keep: "mine" }
	/** A later write of this session has landed. */
	| { readonly keep: "superseded" }
	| { readonly keep: "lost"; readonly why: LostReason; readonly holder?: LockHolder }
	/** Another trade or transaction is on the record, undecided. */
	| { readonly keep: "unresolved" };

export type HeldDecision = { readonly write: StoredRecord } | ({ readonly write?: undefined } & HeldKept);

/** The record that a held write may change, with its lock (none yet where it adopts); or why it may not. Pure. */
export function acceptedBy(
	value: unknown,
	request: HeldRequest,
): HeldKept | { readonly record: StoredRecord; readonly lock?: StoredLock } {
	const standing = standingOf(value, request);
	switch (standing.kind) {
		case "accept":
			return { record: standing.record, lock: standing.lock };
		case "adopt":
			return { record: standing.record };
		case "released":
			return { keep: "lost", why: "unlocked" };
		case "lost":
			return { keep: "lost", why: standing.why, holder: standing.holder };
		case "mine":
		case "superseded":
			return { keep: standing.kind };
	}
}

/** The record with the write's number in its lock, and what the write changes. Pure. */
export function underLock(
	record: StoredRecord,
	lock: StoredLock | undefined,
	{ token, turn, seq, time, presence, adopts }: HeldRequest,
	meta: StoredMeta,
): StoredRecord {
	const held = lock ?? { JobId: adopts!.jobId, Token: token, Turn: turn };
	return {
		...record,
		Lock: { ...held, Seq: seq, Time: time, Presence: presence },
		Meta: { ...meta, Turn: turn, ReleasedToken: undefined },
	};
}
