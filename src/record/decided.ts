import { StoredRecord } from "./types";

/** How a transaction ended, as its marker says. */
export type Outcome = "committed" | "aborted";

/** A transaction whose outcome is durable, for records that may still carry it as `Pending`. */
export interface Decided {
	readonly id: string;
	readonly outcome: Outcome;
}

/**
 * The record as transactions leave it that are decided: a `Pending` that one of them names is applied, with its own
 * migrations, or dropped. Any other stays. Pure.
 */
export function settleDecided(record: StoredRecord, decided: ReadonlyArray<Decided> = []): StoredRecord {
	const { Pending } = record;
	const known = Pending !== undefined ? decided.find(({ id }) => id === Pending.Id) : undefined;
	if (Pending === undefined || known === undefined) return record;
	if (known.outcome === "aborted") return { ...record, Pending: undefined };
	const meta = { ...record.Meta, Migrations: Pending.Migrations };
	return { ...record, Data: Pending.Data, Pending: undefined, Meta: meta };
}
