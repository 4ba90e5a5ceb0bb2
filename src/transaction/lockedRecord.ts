import { acceptedBy, HeldDecision, HeldRequest, underLock } from "../record/heldWrite";
import { isUnresolved } from "../record/holding";
import { DataPart } from "../record/save";
import { shapeOf } from "../record/shape";
import { hasId, withId } from "../record/transactionIds";
import { StoredPending } from "../record/types";

/**
 * Phase one on a session-locked record: its outcome beside its data, which stay as they are.
 *
 * Harmless when it crashes, runs again or lands late: token, turn and number fence it, and whoever meets the `Pending`
 * asks the marker, which says `aborted` where nobody has committed.
 */
export function prepareLocked(
	value: unknown,
	request: HeldRequest & { readonly pending: StoredPending },
): HeldDecision {
	const accepted = acceptedBy(value, request);
	if ("keep" in accepted) return accepted;
	const { record, lock } = accepted;
	if (isUnresolved(record)) return { keep: "unresolved" };
	return { write: { ...underLock(record, lock, request, record.Meta), Pending: request.pending } };
}

/**
 * A transaction that changes this record alone, in one write without a marker: the data, and the transaction's id, by
 * which it recognizes itself however late it is looked for.
 *
 * Harmless when it crashes, runs again or lands late: token, turn and number fence it.
 */
export function writeAloneLocked(
	value: unknown,
	request: HeldRequest & { readonly id: string; readonly part: DataPart },
): HeldDecision & { readonly isStamped?: boolean } {
	const shape = shapeOf(value);
	const isStamped = shape.kind === "record" && hasId(shape.record, request.id);
	const accepted = acceptedBy(value, request);
	// It may be another session that stored this id: under another lock, the record is not what is in memory here.
	if ("keep" in accepted && accepted.keep === "lost") return { ...accepted, isStamped };
	if (isStamped) return { keep: "mine" };
	if ("keep" in accepted) return accepted;
	const { record, lock } = accepted;
	if (isUnresolved(record)) return { keep: "unresolved" };
	const { data, migrations } = request.part;
	const TransactionIds = withId(record.Meta.TransactionIds, request.id);
	const meta = { ...record.Meta, Migrations: migrations, TransactionIds };
	return { write: { ...underLock(record, lock, request, meta), Data: data } };
}
