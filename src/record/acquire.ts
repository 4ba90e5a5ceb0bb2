import { Decided, settleDecided } from "./decided";
import { importedFrom, LegacyRules } from "./importLegacy";
import { keepingOut } from "./keepOut";
import { compareMigrations } from "./migrations";
import { Claim, Ownership, ownershipOf } from "./ownership";
import { shapeOf } from "./shape";
import { StoredLock, StoredPending, StoredRecord } from "./types";

/** Everything an acquisition goes by. */
export interface AcquireRequest extends LegacyRules {
	/** Who asks, under a token made for this acquisition alone, and what it knows about time and life. */
	readonly claim: Claim;
	/** Unix seconds by this server's wall clock. */
	readonly time: number;
	/** Whether this server provably beats; undefined where it does not beat at all. */
	readonly presence?: boolean;
	/** Data of a record that does not exist yet, storable. */
	readonly defaults: unknown;
	/** Names of this server's migrations, in order. */
	readonly migrations: ReadonlyArray<string>;
	/**
	 * Token of an orphan lock of this server that the caller has just seen and that nothing here owns. Named, so that
	 * an acquire that lands late cannot take the lock of a session that began after it was sent.
	 */
	readonly takeOrphan?: string;
	/** Token of a trade's pointer to clear, since its journal is lost for good. */
	readonly abandons?: string;
	/** Transactions whose markers were asked, and which the record may carry as `Pending`. */
	readonly decided?: ReadonlyArray<Decided>;
}

/** A lock that was taken from its holder, and why it could be. */
export interface TakenLock {
	readonly lock: StoredLock;
	readonly verdict: "orphan" | "stale" | "stopped";
}

/** The lock that a write by this ownership takes away; undefined where there is none, or it is the asker's. Pure. */
export function takenFrom(owner: Ownership): TakenLock | undefined {
	if (owner.verdict === "free" || owner.verdict === "mine" || owner.verdict === "held") return undefined;
	return { lock: owner.lock, verdict: owner.verdict };
}

/** The lock was written. */
export interface Acquired {
	readonly write: StoredRecord;
	/** The record is new: nothing was stored. */
	readonly created: boolean;
	/** The record is new, made from a value of another kind. */
	readonly imported: boolean;
	readonly took?: TakenLock;
	/** The holder of the other library's lock that the imported value was under, dead by its age. */
	readonly tookLegacy?: string;
}

/** The record was left as it is. */
export type NotAcquired = { readonly write?: undefined } & (
	| {
			/** An earlier run of this acquisition has landed: it holds the lock, and this is the record. */
			readonly keep: "mine";
			readonly record: StoredRecord;
	  }
	/** This very token was released already. */
	| { readonly keep: "released" }
	| {
			readonly keep: "held";
			readonly lock: StoredLock;
			/** It might be old enough, but this server has no store time to tell. */
			readonly needsStoreTime: boolean;
			/** It is old enough, but its holder's presence is to be read first. */
			readonly needsPresence: boolean;
	  }
	/** Not yet a record: a server on another library has it open. `needsStoreTime` as above. */
	| { readonly keep: "legacy"; readonly holder: string; readonly needsStoreTime: boolean }
	/** A lock of this server that nothing here owns; ask again with `takeOrphan`, or clear it. */
	| { readonly keep: "orphan"; readonly lock: StoredLock }
	| {
			/** A trade or transaction is to be resolved first; the lock could be taken. */
			readonly keep: "unresolved";
			readonly pending?: StoredPending;
			/** As stored; may be malformed. */
			readonly pointer?: unknown;
			readonly record: StoredRecord;
	  }
	/** `orphan`: a lock of this server that nothing here owns is on the record, to be cleared. */
	| {
			readonly keep: "outdated" | "mismatch";
			readonly stored: ReadonlyArray<string>;
			readonly orphan?: StoredLock;
	  }
	| { readonly keep: "invalid"; readonly reason: string }
);

export type AcquireDecision = Acquired | NotAcquired;

/** Under a fresh lock no write has been numbered yet. */
const FIRST_SEQ = 0;

function lockFor(request: AcquireRequest, turn: number): StoredLock {
	const { jobId, token } = request.claim;
	return { JobId: jobId, Token: token, Turn: turn, Seq: FIRST_SEQ, Time: request.time, Presence: request.presence };
}

function newRecord(request: AcquireRequest, data: unknown, keeps?: Readonly<Record<string, unknown>>): StoredRecord {
	const meta = { Turn: 1, Migrations: request.migrations };
	return keepingOut({ Data: data, Lock: lockFor(request, 1), Meta: meta }, request.importLegacy, keeps);
}

/** One write makes it a record, with its lock: a crash leaves the old form or the new one, and nothing between. */
function adopted(
	value: unknown,
	updatedTime: number | undefined,
	why: string,
	request: AcquireRequest,
): AcquireDecision {
	const imported = importedFrom(value, why, request);
	if (imported.data === undefined) return { keep: "invalid", reason: imported.reason };
	const { data, lock, keeps } = imported;
	const write = newRecord(request, data, keeps);
	if (lock === undefined) return { write, created: false, imported: true };
	const { storeNow, hasStoreTime, anyLock } = request.claim;
	const age = storeNow !== undefined && updatedTime !== undefined ? storeNow - updatedTime : undefined;
	const isDead = age !== undefined && age > lock.deadAfterSeconds;
	if (!isDead && anyLock !== true) {
		return { keep: "legacy", holder: lock.holder, needsStoreTime: hasStoreTime && age === undefined };
	}
	return { write, created: false, imported: true, tookLegacy: lock.holder };
}

function onRecord(record: StoredRecord, owner: Ownership, request: AcquireRequest): AcquireDecision {
	const state = compareMigrations(record.Meta.Migrations, request.migrations);
	if (state === "outdated" || state === "mismatch") {
		const orphan = owner.verdict === "orphan" ? owner.lock : undefined;
		return { keep: state, stored: record.Meta.Migrations, orphan };
	}
	if (owner.verdict === "held") {
		const { lock, needsStoreTime = false, needsPresence = false } = owner;
		return { keep: "held", lock, needsStoreTime, needsPresence };
	}
	if (owner.verdict === "orphan" && owner.lock.Token !== request.takeOrphan) {
		return { keep: "orphan", lock: owner.lock };
	}
	const pointer = record.Meta.PendingTransaction as unknown;
	const isAbandoned =
		request.abandons !== undefined && (pointer as { Token?: unknown } | undefined)?.Token === request.abandons;
	if (record.Pending !== undefined || (pointer !== undefined && !isAbandoned)) {
		return { keep: "unresolved", pending: record.Pending, pointer, record };
	}
	const turn = record.Meta.Turn + 1;
	// A record of before the driver knew of the other library is kept from it from now on.
	const kept = keepingOut(record, request.importLegacy);
	const write: StoredRecord = {
		...kept,
		Lock: lockFor(request, turn),
		Meta: { ...kept.Meta, Turn: turn, ReleasedToken: undefined, PendingTransaction: undefined },
	};
	return { write, created: false, imported: false, took: takenFrom(owner) };
}

/**
 * Takes the session lock of a record, or makes the record. Data and migrations of a record that is there stay as
 * stored: migrations run in memory, and their result is written by the first save.
 *
 * Harmless when it crashes, runs again or lands late: its token is its own, so a second run finds it in the lock and
 * writes nothing, one that comes after the release finds it in `ReleasedToken`, and any other late landing opens a
 * turn of its own, in which no older write has a place, and leaves an orphan that this server clears.
 */
export function acquire(value: unknown, updatedTime: number | undefined, request: AcquireRequest): AcquireDecision {
	const shape = shapeOf(value);
	if (shape.kind === "nothing") {
		return { write: newRecord(request, request.defaults), created: true, imported: false };
	}
	if (shape.kind === "other") return adopted(value, updatedTime, shape.reason, request);
	const record = settleDecided(shape.record, request.decided);
	const owner = ownershipOf(record.Lock, updatedTime, request.claim);
	if (owner.verdict === "mine") return { keep: "mine", record };
	if (record.Meta.ReleasedToken === request.claim.token) return { keep: "released" };
	return onRecord(record, owner, request);
}
