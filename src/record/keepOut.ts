import { formatOf, ImportLegacy } from "./importLegacy";
import { StoredRecord } from "./types";

/**
 * The record with what keeps servers on the old library away from it, where the driver has such a format and the record
 * does not carry it yet. `keeps` are fields that its old form had. Pure.
 */
export function keepingOut(
	record: StoredRecord,
	importLegacy: ImportLegacy<unknown> | undefined,
	keeps: Readonly<Record<string, unknown>> = {},
): StoredRecord {
	const format = formatOf(importLegacy);
	if (format === undefined || record.Meta.KeepsOut === format.library) return record;
	const { library, keepOut } = format;
	const { Lock, Pending, Meta } = record;
	// Named, since one that is left out would else let a field of that name in.
	return { ...keepOut, ...keeps, ...record, Lock, Pending, Meta: { ...Meta, KeepsOut: library } };
}
