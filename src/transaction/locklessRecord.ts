import { settleDecided, Decided } from "../record/decided";
import { DataPart } from "../record/save";
import { shapeOf } from "../record/shape";
import { hasId, withId } from "../record/transactionIds";
import { StoredLock, StoredPending, StoredRecord } from "../record/types";

/** Which lock of a lockless key a transaction writes under. */
export interface TxLock {
	readonly token: string;
	/** The lock's turn, as it was taken. */
	readonly turn: number;
}

/** How a transaction's write of a lockless key ended. */
export type LocklessDecision =
	| { readonly write: StoredRecord }
	/** This very write has landed: a success. */
	| { readonly write?: undefined; readonly keep: "mine" }
	/** The lock is not ours any more: to `holder`, where somebody has it. */
	| { readonly write?: undefined; readonly keep: "lost"; readonly holder?: StoredLock };

/** The record while the lock is ours, or why it is not. */
function underOurs(value: unknown, { token, turn }: TxLock): { readonly record: StoredRecord } | LocklessDecision {
	const shape = shapeOf(value);
	if (shape.kind !== "record") return { keep: "lost" };
	const { record } = shape;
	const { Lock } = record;
	if (Lock?.Token === token && Lock.Turn === turn) return { record };
	return { keep: "lost", holder: Lock };
}

/** Ended by its own write: one that lands later finds the stamp, and so does an acquire of the same lock. */
function unlocked(record: StoredRecord, token: string): StoredRecord {
	return { ...record, Lock: undefined, Meta: { ...record.Meta, ReleasedToken: token } };
}

/**
 * Phase one on a lockless key: its outcome beside its data, and the lock given back, in one write.
 *
 * Harmless when it crashes, runs again or lands late: it needs the lock that it ends, and whoever meets the `Pending` asks
 * the marker.
 */
export function prepareLockless(
	value: unknown,
	request: TxLock & { readonly pending: StoredPending },
): LocklessDecision {
	const { pending, token } = request;
	const shape = shapeOf(value);
	if (shape.kind === "record" && shape.record.Pending?.Id === pending.Id) return { keep: "mine" };
	const ours = underOurs(value, request);
	if ("keep" in ours || "write" in ours) return ours;
	return { write: { ...unlocked(ours.record, token), Pending: pending } };
}

/**
 * A transaction that changes this key alone, in one write without a marker: the data, the transaction's id, by which it
 * recognizes itself, and the lock given back.
 *
 * Harmless when it crashes, runs again or lands late: it needs the lock that it ends.
 */
export function writeAloneLockless(
	value: unknown,
	request: TxLock & { readonly id: string; readonly part: DataPart },
): LocklessDecision {
	const { id, part, token } = request;
	const shape = shapeOf(value);
	if (shape.kind === "record" && hasId(shape.record, id)) return { keep: "mine" };
	const ours = underOurs(value, request);
	if ("keep" in ours || "write" in ours) return ours;
	const record = unlocked(ours.record, token);
	const TransactionIds = withId(record.Meta.TransactionIds, id);
	return {
		write: { ...record, Data: part.data, Meta: { ...record.Meta, Migrations: part.migrations, TransactionIds } },
	};
}

/**
 * Gives the lock back of a participant that was not changed, which confirms that it was ours until now.
 *
 * Harmless when it crashes, runs again or lands late: it needs the lock that it ends, and a second run finds the stamp.
 */
export function confirmLockless(value: unknown, lock: TxLock): LocklessDecision {
	const shape = shapeOf(value);
	const record = shape.kind === "record" ? shape.record : undefined;
	const { ReleasedToken, Turn } = record?.Meta ?? {};
	if (record !== undefined && record.Lock === undefined && ReleasedToken === lock.token && Turn === lock.turn)
		return { keep: "mine" };
	const ours = underOurs(value, lock);
	if ("keep" in ours || "write" in ours) return ours;
	return { write: unlocked(ours.record, lock.token) };
}

/** How the end of a transaction on a lockless key left the record: nothing of it is there afterwards. */
export type EndDecision = { readonly write: StoredRecord } | { readonly write?: undefined; readonly keep: "done" };

/**
 * Ends a transaction that is off (`aborted`), or gives a lock back under which nothing was prepared: neither its lock nor
 * its `Pending` stays, and where nobody has the record, its token is stamped, so that an acquire of the lock that lands
 * later writes nothing. Data stay as they are.
 *
 * Harmless when it crashes, runs again or lands late: it touches only what has the transaction's own token or id.
 */
export function endLockless(
	value: unknown,
	{ token, aborted }: { readonly token: string; readonly aborted?: Decided },
): EndDecision {
	const shape = shapeOf(value);
	if (shape.kind !== "record") return { keep: "done" };
	const record = settleDecided(shape.record, aborted !== undefined ? [aborted] : []);
	const isOurs = record.Lock?.Token === token;
	if (isOurs || (record.Lock === undefined && record.Meta.ReleasedToken !== token && record.Pending === undefined)) {
		return { write: unlocked(record, token) };
	}
	return record === shape.record ? { keep: "done" } : { write: record };
}
