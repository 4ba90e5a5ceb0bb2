import { StoredRecord } from "./types";

/** How many ids a record keeps (seed "Transaction recovery"; oldest out by count). */
export const KEPT_IDS = 200;

/** The ids with one more, the oldest dropped beyond {@link KEPT_IDS}. Pure. */
export function withId(ids: ReadonlyArray<string> | undefined, id: string): ReadonlyArray<string> {
	const grown = [...(ids ?? []).filter((other) => other !== id), id];
	const surplus = grown.size() - KEPT_IDS;
	return surplus > 0 ? grown.filter((_, index) => index >= surplus) : grown;
}

/** Whether the record has seen a trade or transaction of this id committed. Pure. */
export function hasId(record: StoredRecord, id: string): boolean {
	return record.Meta.TransactionIds?.includes(id) === true;
}
