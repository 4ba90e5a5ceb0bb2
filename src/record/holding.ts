import { LockHolder } from "../errors";
import { Decided, settleDecided } from "./decided";
import { shapeOf } from "./shape";
import { StoredLock, StoredRecord } from "./types";

/** Names one write of one session. */
export interface WriteId {
	readonly token: string;
	/** The lock's turn, as acquired. */
	readonly turn: number;
	/** One higher than that of this session's last attempt, answered or not. */
	readonly seq: number;
	/** Set until the first write under an adopted token is answered. */
	readonly adopts?: Adoption;
	/** The transactions of this profile that are decided and that its record may still carry as `Pending`. */
	readonly decided?: ReadonlyArray<Decided>;
}

/**
 * The session goes on from an earlier one of this server under a fresh token, which its first write brings to the
 * record: that write may find the earlier session's lock, or its release, and nothing later.
 */
export interface Adoption {
	readonly jobId: string;
	/** The earlier session's lock, and those of adoptions since that were never answered. */
	readonly from: ReadonlyArray<{ readonly token: string; readonly turn: number }>;
}

/**
 * How a session's write stands to what is stored: `accept` it; `adopt`, accept it as the first one under the fresh
 * token of an adoption; `mine`, this very write has landed; `superseded`, a later write of the session has; `released`,
 * the session's release has; or the lock is `lost`: to `holder`, where somebody has it, or with the whole record
 * (`gone`), or under a value that is no record (`invalid`). `record` is as the decided transactions leave it: whatever
 * is written clears them.
 */
export type Standing =
	| { readonly kind: "accept" | "mine" | "superseded"; readonly record: StoredRecord; readonly lock: StoredLock }
	| { readonly kind: "adopt"; readonly record: StoredRecord }
	| { readonly kind: "released" }
	| { readonly kind: "lost"; readonly why: LostReason; readonly holder?: LockHolder };

/** Who or what took the lock away. */
export type LostReason = "taken" | "unlocked" | "gone" | "invalid";

/** The lock's holder in the form of an error's details. */
export function holderOf(lock: StoredLock): LockHolder {
	return { jobId: lock.JobId, token: lock.Token, time: lock.Time };
}

/**
 * The fence of every write under a session lock: it takes place only where the stored lock has its token and turn and
 * a lower number, or has those of the session that it adopts. Pure; does not yield.
 */
export function standingOf(value: unknown, id: WriteId): Standing {
	const shape = shapeOf(value);
	if (shape.kind === "nothing") return { kind: "lost", why: "gone" };
	if (shape.kind === "other") return { kind: "lost", why: "invalid" };
	const record = settleDecided(shape.record, id.decided);
	const lock = record.Lock;
	const { ReleasedToken, Turn } = record.Meta;
	const isAdopted = (token: string | undefined, turn: number) =>
		id.adopts?.from.some((earlier) => earlier.token === token && earlier.turn === turn) === true;
	if (lock === undefined) {
		if (ReleasedToken === id.token && Turn === id.turn) return { kind: "released" };
		return isAdopted(ReleasedToken, Turn) ? { kind: "adopt", record } : { kind: "lost", why: "unlocked" };
	}
	if (isAdopted(lock.Token, lock.Turn)) return { kind: "adopt", record };
	if (lock.Token !== id.token || lock.Turn !== id.turn) return { kind: "lost", why: "taken", holder: holderOf(lock) };
	if (lock.Seq === id.seq) return { kind: "mine", record, lock };
	if (lock.Seq > id.seq) return { kind: "superseded", record, lock };
	return { kind: "accept", record, lock };
}

/** Whether the record carries a trade's or transaction's undecided outcome, which no write of data may pass over. */
export function isUnresolved(record: StoredRecord): boolean {
	return record.Pending !== undefined || record.Meta.PendingTransaction !== undefined;
}
