import { TakenLock } from "../record/acquire";
import { BatonError } from "../errors";
import { Decided, settleDecided } from "../record/decided";
import { isUnresolved } from "../record/holding";
import { importedFrom, LegacyRules } from "../record/importLegacy";
import { keepingOut } from "../record/keepOut";
import { compareMigrations } from "../record/migrations";
import { Claim, Ownership, ownershipOf } from "../record/ownership";
import { shapeOf } from "../record/shape";
import { StoredLock, StoredPending, StoredRecord } from "../record/types";
import { Result } from "../result";
import { laneOf, lanesAfter } from "./lanes";

/** One queued update. */
export interface NumberedUpdate {
	/** Number of the first flush that carried it; those that began together share it. */
	readonly number: number;
	/** The next data, checked and frozen, or why there are none. Pure; does not yield. */
	readonly apply: (data: unknown) => Result<unknown>;
}

/** Everything one write of a lockless profile goes by: a flush, the removal of its entry, or a transaction's lock. */
export interface FlushRequest extends LegacyRules {
	/** Who asks, and what it knows about time and life; `token` is that of the lock to take, or empty where none is. */
	readonly claim: Claim;
	/** Unix seconds by this server's wall clock. */
	readonly time: number;
	/** One opening of a lockless profile; never reused. */
	readonly writer: string;
	/** This attempt's own number: higher than every one that this writer has used before. */
	readonly stamp: number;
	/** All that are unanswered, in the order of their making. */
	readonly updates: ReadonlyArray<NumberedUpdate>;
	/** Transactions whose markers were asked, and which the record may carry as `Pending`. */
	readonly decided: ReadonlyArray<Decided>;
	/** Data of a record that does not exist yet, storable. */
	readonly defaults: unknown;
	/** Names of this server's migrations, in order. */
	readonly migrations: ReadonlyArray<string>;
	/** A record's data in this server's format, checked and frozen. Pure. */
	readonly gate: (record: StoredRecord) => Result<unknown>;
	/** Token of an orphan lock of this server that the caller has just seen and that nothing here owns. */
	readonly takeOrphan?: string;
	/** Takes the transaction lock; `expires` in seconds where it is not the usual time. */
	readonly lock?: { readonly expires?: number };
	/** Removes the writer's entry: nothing it sent is unanswered, and it will write no more. */
	readonly closes?: boolean;
}

/** An update that the stored data refused: it is dropped, and no other with it. */
export interface RefusedUpdate {
	/** Its place in the request. */
	readonly index: number;
	readonly problem: BatonError;
}

/** The record was written. */
export interface Flushed {
	readonly write: StoredRecord;
	/** Its data in this server's format, checked and frozen. */
	readonly data: unknown;
	readonly refused: ReadonlyArray<RefusedUpdate>;
	/** The writer's entry that was found. */
	readonly before?: number;
	/** The lock that was cleared or replaced, and why it could be. */
	readonly took?: TakenLock;
}

/** The record, where there is one, was left as it is. */
export type NotFlushed = { readonly write?: undefined; readonly record?: StoredRecord } &
	/** There is nothing to apply, clear or lock. */
	(
		| { readonly keep: "clean"; readonly data: unknown }
		/** An earlier run has landed: the lock is the asker's, and this is its snapshot. */
		| { readonly keep: "mine"; readonly data: unknown }
		/** The asker's token was released already. */
		| { readonly keep: "released" }
		/** Under a session lock. */
		| {
				readonly keep: "locked";
				readonly lock: StoredLock;
				/** It is old enough, but its holder's presence is to be read first. */
				readonly needsPresence: boolean;
		  }
		/** Under another transaction's lock, which ends or expires within seconds. */
		| { readonly keep: "busy"; readonly lock: StoredLock }
		/** A lock of this server that nothing here owns; ask again with `takeOrphan`. */
		| { readonly keep: "orphan"; readonly lock: StoredLock }
		/** A trade or transaction is to be resolved first. */
		| {
				readonly keep: "unresolved";
				readonly pending?: StoredPending;
				/** As stored; may be malformed. */
				readonly pointer?: unknown;
				readonly updatedTime?: number;
		  }
		/** The lane was closed under the writer's feet, or never began: nothing of it has landed, nor will. Number anew. */
		| { readonly keep: "renumber"; readonly floor: number }
		| { readonly keep: "outdated" | "mismatch"; readonly stored: ReadonlyArray<string> }
		| { readonly keep: "invalid"; readonly reason: string }
		/** The stored data do not pass. */
		| { readonly keep: "refused"; readonly problem: BatonError }
	);

export type FlushDecision = Flushed | NotFlushed;

/** What is stored, as a record: the one that is there, or one yet to be made. */
interface Base {
	readonly record: StoredRecord;
	readonly isStored: boolean;
	/** A decided transaction was settled in it. */
	readonly isCleaned: boolean;
}

function baseOf(
	value: unknown,
	request: FlushRequest,
): Base | { readonly record?: undefined; readonly reason: string } {
	const shape = shapeOf(value);
	if (shape.kind === "record") {
		const settled = settleDecided(shape.record, request.decided);
		// A record of before the driver knew of the other library is kept from it from its next write on.
		const record = keepingOut(settled, request.importLegacy);
		return { record, isStored: true, isCleaned: settled !== shape.record };
	}
	const fresh = (data: unknown, keeps?: Readonly<Record<string, unknown>>): Base => ({
		record: keepingOut(
			{ Data: data, Meta: { Turn: 0, Migrations: request.migrations } },
			request.importLegacy,
			keeps,
		),
		isStored: false,
		isCleaned: false,
	});
	if (shape.kind === "nothing") return fresh(request.defaults);
	const imported = importedFrom(value, shape.reason, request);
	if (imported.data === undefined) return { reason: imported.reason };
	const { data, lock, keeps } = imported;
	if (lock === undefined) return fresh(data, keeps);
	return { reason: `it is under the lock of ${lock.holder} of another library; load it once as a profile` };
}

/** Why an owner of the record keeps the asker from writing; undefined where nothing does. */
function refusalOf(owner: Ownership, takeOrphan: string | undefined): NotFlushed | undefined {
	if (owner.verdict === "held") {
		const { lock, needsPresence = false } = owner;
		return lock.Tx === true ? { keep: "busy", lock } : { keep: "locked", lock, needsPresence };
	}
	if (owner.verdict === "orphan" && owner.lock.Token !== takeOrphan) return { keep: "orphan", lock: owner.lock };
	return undefined;
}

/** The updates that the record does not hold yet, applied to its data one by one. */
function applied(data: unknown, above: number, updates: ReadonlyArray<NumberedUpdate>) {
	let current = data;
	let count = 0;
	const refused = new Array<RefusedUpdate>();
	updates.forEach((update, index) => {
		if (update.number <= above) return;
		count += 1;
		const outcome = update.apply(current);
		if (outcome.success) current = outcome.value;
		else refused.push({ index, problem: outcome.error });
	});
	return { data: current, count, refused };
}

function lockFor({ claim, time, lock }: FlushRequest, turn: number): StoredLock {
	const { jobId, token } = claim;
	return { JobId: jobId, Token: token, Turn: turn, Seq: 0, Time: time, Tx: true, Expires: lock?.expires };
}

/**
 * Applies a lockless profile's queued updates to what is stored, clears what decided transactions and stopped sessions
 * left there, and takes a transaction's lock if that is asked for: one write, so that the lock's holder has read exactly
 * what it locked.
 *
 * Harmless when it crashes, runs again or lands late: it passes over no live lock and nothing undecided, and an update
 * that has landed, or whose lane was closed since, is at or below the entry or the floor. With a lock it finds its own
 * token there, or released; landing later than that it takes a lock that nobody uses and that expires.
 */
export function flush(value: unknown, updatedTime: number | undefined, request: FlushRequest): FlushDecision {
	const base = baseOf(value, request);
	if (base.record === undefined) return { keep: "invalid", reason: base.reason };
	const decision = onBase(base, updatedTime, request);
	if (decision.write !== undefined) return decision;
	return { ...decision, record: base.isStored ? base.record : undefined };
}

function onBase({ record, isCleaned }: Base, updatedTime: number | undefined, request: FlushRequest): FlushDecision {
	const { claim, updates, writer, lock } = request;
	const { Meta } = record;
	const owner = ownershipOf(record.Lock, updatedTime, claim);
	if (owner.verdict === "mine") {
		const own = request.gate(record);
		return own.success ? { keep: "mine", data: own.value } : { keep: "refused", problem: own.error };
	}
	if (lock !== undefined && Meta.ReleasedToken === claim.token) return { keep: "released" };
	const state = compareMigrations(Meta.Migrations, request.migrations);
	if (state === "outdated" || state === "mismatch") return { keep: state, stored: Meta.Migrations };
	const refusal = refusalOf(owner, request.takeOrphan);
	if (refusal !== undefined) return refusal;
	if (isUnresolved(record)) {
		return { keep: "unresolved", pending: record.Pending, pointer: Meta.PendingTransaction, updatedTime };
	}
	const lane = laneOf(Meta, writer, updates[0]?.number);
	if ("floor" in lane) return { keep: "renumber", floor: lane.floor };
	const gated = request.gate(record);
	if (!gated.success) return { keep: "refused", problem: gated.error };
	const after = applied(gated.value, lane.above, updates);
	const before = Meta.Flushed?.[writer];
	const closes = request.closes === true && before !== undefined;
	const clears = isCleaned || owner.verdict !== "free";
	if (after.count === 0 && lock === undefined && !clears && !closes) {
		return { keep: "clean", data: gated.value };
	}
	const turn = lock !== undefined ? Meta.Turn + 1 : Meta.Turn;
	const lanes = lanesAfter(Meta, {
		writer,
		stamp: after.count > 0 ? request.stamp : undefined,
		closes,
		now: claim.storeNow !== undefined ? claim.storeNow * 1000 : undefined,
	});
	const written: StoredRecord = {
		...record,
		Data: after.data,
		Lock: lock !== undefined ? lockFor(request, turn) : undefined,
		Meta: {
			...Meta,
			Turn: turn,
			Migrations: request.migrations,
			ReleasedToken: undefined,
			Flushed: lanes.Flushed,
			FlushFloor: lanes.FlushFloor,
		},
	};
	const took =
		owner.verdict === "free" || owner.verdict === "held" ? undefined : { lock: owner.lock, verdict: owner.verdict };
	return { write: written, data: after.data, refused: after.refused, before, took };
}
