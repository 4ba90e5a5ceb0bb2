import { ReadRecord } from "../backend/backend";
import { unresolvedTransaction } from "../driver/recordErrors";
import { shapeOf } from "../record/shape";
import { StoredPointer, StoredRecord } from "../record/types";
import { err, ok, Result } from "../result";
import { entryOf, isJournal, isSettled } from "./journal";
import { isPointer } from "./recovery";

/** How often a record is looked at whose pointer changes meanwhile. */
const LOOKS = 5;

/**
 * The value of a key as a load would find it after recovery: a committed trade that is yet to reach the record counts,
 * any other leaves the data as stored. Undefined where nothing is stored. Only reads, with `read`, which has to pass every
 * cache. Yields.
 *
 * Errors: `unresolved_transaction` where the pointer leads nowhere, and those of `read`.
 */
export function peekTrade(
	store: string,
	key: string,
	read: (key: string) => Result<ReadRecord | undefined>,
): Result<unknown> {
	let found = read(key);
	for (let look = 0; look < LOOKS; look++) {
		if (!found.success) return found;
		const value = found.value?.value;
		const pointer = pointerIn(value);
		if (pointer === undefined) return ok(value);
		if (!isPointer(pointer)) break;
		const journal = read(pointer.Key);
		if (!journal.success) return journal;
		// What the journal says counts only if the record still points at it: recovery may have been in between.
		const again = read(key);
		if (!again.success) return again;
		if (isSame(pointerIn(again.value?.value), pointer)) {
			const settled = resolved(again.value!.value as StoredRecord, key, pointer, journal.value?.value);
			return settled !== undefined ? ok(settled) : err(unresolvedTransaction(store, key));
		}
		found = again;
	}
	return err(unresolvedTransaction(store, key));
}

function resolved(
	record: StoredRecord,
	key: string,
	pointer: StoredPointer,
	journal: unknown,
): StoredRecord | undefined {
	if (!isJournal(journal, pointer.Token)) return undefined;
	const entry = entryOf(journal, key);
	if (entry === undefined) return undefined;
	const applies = journal.State === "Committed" && !isSettled(journal, key);
	return {
		...record,
		Data: applies ? entry.Data : record.Data,
		Meta: { ...record.Meta, PendingTransaction: undefined },
	};
}

function pointerIn(value: unknown): unknown {
	const shape = shapeOf(value);
	return shape.kind === "record" ? shape.record.Meta.PendingTransaction : undefined;
}

function isSame(stored: unknown, pointer: StoredPointer): boolean {
	return isPointer(stored) && stored.Key === pointer.Key && stored.Token === pointer.Token;
}
