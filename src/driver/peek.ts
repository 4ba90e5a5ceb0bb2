import { ReadRecord } from "../backend/backend";
import { Decided, Outcome, settleDecided } from "../record/decided";
import { shapeOf } from "../record/shape";
import { StoredPointer, StoredRecord } from "../record/types";
import { err, ok, Result } from "../result";
import { entryOf, isJournal, isSettled } from "../trade/journal";
import { isPointer } from "../trade/recovery";
import { unresolvedTransaction } from "./recordErrors";

/** How often a record is looked at that changes meanwhile. */
const LOOKS = 5;

/** How a peek reads; each has to pass every cache. */
export interface PeekReads {
	/** A record of the store. */
	readonly record: (key: string) => Result<ReadRecord | undefined>;
	/** A transaction's outcome; undefined while it is not decided. */
	readonly outcome: (id: string) => Result<Outcome | undefined>;
}

/**
 * The value of a key as a load would find it after recovery: a committed trade or transaction that is yet to reach the
 * record counts, any other leaves the data as stored. Undefined where nothing is stored. Only reads. Yields.
 *
 * Errors: `unresolved_transaction` where a trade's pointer leads nowhere, `tx_marker_invalid`, and those of the reads.
 */
export function peek(store: string, key: string, reads: PeekReads): Result<unknown> {
	let found = reads.record(key);
	for (let look = 0; look < LOOKS; look++) {
		if (!found.success) return found;
		const value = found.value?.value;
		const record = recordIn(value);
		if (record === undefined || !isOpen(record)) return ok(value);
		const settled = settle(store, key, record, reads);
		// What a decision says counts only if the record still waits for it: recovery may have been in between.
		const again = reads.record(key);
		if (!again.success) return again;
		if (waitsForSame(recordIn(again.value?.value), record)) return settled;
		found = again;
	}
	return err(unresolvedTransaction(store, key));
}

function recordIn(value: unknown): StoredRecord | undefined {
	const shape = shapeOf(value);
	return shape.kind === "record" ? shape.record : undefined;
}

function isOpen({ Pending, Meta }: StoredRecord): boolean {
	return Pending !== undefined || Meta.PendingTransaction !== undefined;
}

function settle(store: string, key: string, record: StoredRecord, reads: PeekReads): Result<StoredRecord> {
	const { Pending } = record;
	if (Pending !== undefined) {
		const outcome = reads.outcome(Pending.Id);
		if (!outcome.success) return outcome;
		const decided: Decided = { id: Pending.Id, outcome: outcome.value ?? "aborted" };
		return ok(settleDecided(record, [decided]));
	}
	const pointer = record.Meta.PendingTransaction;
	if (!isPointer(pointer)) return err(unresolvedTransaction(store, key));
	const journal = reads.record(pointer.Key);
	if (!journal.success) return journal;
	return settleTrade(store, key, record, pointer, journal.value?.value);
}

function settleTrade(
	store: string,
	key: string,
	record: StoredRecord,
	pointer: StoredPointer,
	journal: unknown,
): Result<StoredRecord> {
	const entry = isJournal(journal, pointer.Token) ? entryOf(journal, key) : undefined;
	if (!isJournal(journal, pointer.Token) || entry === undefined) return err(unresolvedTransaction(store, key));
	const applies = journal.State === "Committed" && !isSettled(journal, key);
	const meta = { ...record.Meta, PendingTransaction: undefined };
	return ok({ ...record, Data: applies ? entry.Data : record.Data, Meta: meta });
}

function waitsForSame(again: StoredRecord | undefined, before: StoredRecord): boolean {
	if (again === undefined || again.Pending?.Id !== before.Pending?.Id) return false;
	const now = again.Meta.PendingTransaction as unknown;
	const earlier = before.Meta.PendingTransaction as unknown;
	if (!isPointer(now) || !isPointer(earlier)) return typeOf(now) === typeOf(earlier);
	return now.Key === earlier.Key && now.Token === earlier.Token;
}
