import { TakenLock, takenFrom } from "../record/acquire";
import { acceptedBy, HeldKept, HeldRequest, underLock } from "../record/heldWrite";
import { isUnresolved } from "../record/holding";
import { Claim, ownershipOf } from "../record/ownership";
import { DataPart } from "../record/save";
import { shapeOf } from "../record/shape";
import { hasId } from "../record/transactionIds";
import { StoredLock, StoredMeta, StoredPointer, StoredRecord } from "../record/types";
import { JournalEntry } from "./journal";

/** Everything a participant's writes under its session lock go by. */
export interface HolderRequest extends HeldRequest {
	readonly pointer: StoredPointer;
}

/** Why a participant's record stays as it is. */
export type ParticipantKept =
	| HeldKept
	/** A prepare that recovery has ruled out: the journal's decision was made without it. */
	| { readonly keep: "refused" }
	/** The trade's id is among those that the record has seen committed. */
	| { readonly keep: "duplicate" };

export type ParticipantDecision = { readonly write: StoredRecord } | ({ readonly write?: undefined } & ParticipantKept);

function isPointer(stored: StoredPointer | undefined, pointer: StoredPointer): boolean {
	return typeIs(stored, "table") && stored.Key === pointer.Key && stored.Token === pointer.Token;
}

/**
 * Writes 2 and 3: stores a participant's current data and points it at the journal.
 *
 * Harmless when it crashes, runs again or lands late: token, turn and number fence it, the data are those from before
 * the trade, and whoever loads the record asks the journal first. One that recovery has ruled out writes nothing, also
 * when the journal is gone.
 */
export function prepareTrade(
	value: unknown,
	request: HolderRequest & { readonly id: string; readonly part: DataPart },
): ParticipantDecision {
	const standing = acceptedBy(value, request);
	if ("keep" in standing) return standing;
	const { record, lock } = standing;
	const { Meta } = record;
	if (Meta.RefusedTransaction === request.pointer.Token) return { keep: "refused" };
	if (hasId(record, request.id)) return { keep: "duplicate" };
	if (isUnresolved(record)) return { keep: "unresolved" };
	const meta: StoredMeta = { ...Meta, Migrations: request.part.migrations, PendingTransaction: request.pointer };
	return { write: { ...underLock(record, lock, request, meta), Data: request.part.data } };
}

/** How a trade went for one participant: the data and ids that it gets, or undefined where the trade is off. */
export type TradeOutcome = { readonly data: unknown; readonly ids: ReadonlyArray<string> } | undefined;

/**
 * Writes 5 and 6: ends the trade on a participant's record under its session lock. On an abort the data stay as
 * prepared. A record that never got its pointer is written all the same: the higher number keeps a late prepare off.
 *
 * Harmless when it crashes, runs again or lands late: the decision is durable before it is sent, so whoever comes first
 * writes the same outcome.
 */
export function settleTrade(
	value: unknown,
	request: HolderRequest & { readonly outcome: TradeOutcome },
): ParticipantDecision {
	const standing = acceptedBy(value, request);
	if ("keep" in standing) return standing;
	const { record, lock } = standing;
	const { outcome, pointer } = request;
	const points = isPointer(record.Meta.PendingTransaction, pointer);
	if (isUnresolved(record) && !points) return { keep: "unresolved" };
	const meta: StoredMeta = {
		...record.Meta,
		PendingTransaction: undefined,
		TransactionIds: outcome !== undefined ? outcome.ids : record.Meta.TransactionIds,
	};
	const data = outcome !== undefined ? outcome.data : record.Data;
	return { write: { ...underLock(record, lock, request, meta), Data: data } };
}

/** Everything recovery's write of a participant goes by. */
export interface RecoverRequest {
	readonly claim: Claim;
	readonly pointer: StoredPointer;
	/** The participant's entry where the trade is committed and not settled for it; undefined keeps its data. */
	readonly entry?: JournalEntry;
}

/** How recovery's write of a participant ended. */
export type RecoverDecision =
	| { readonly write: StoredRecord; readonly took?: TakenLock }
	/** The pointer is gone: somebody has settled it. */
	| { readonly write?: undefined; readonly keep: "settled" }
	/** Another server holds the record under the load's own rule. */
	| { readonly write?: undefined; readonly keep: "owned"; readonly lock: StoredLock };

/**
 * Settles a participant from the journal, by whoever may load its record. The stopped or stale lock that it passed is
 * removed, so that nothing of that session lands after it; turn and number stay.
 *
 * Harmless when it crashes, runs again or lands late: it needs the very pointer that it settles, and clears it.
 */
export function recoverParticipant(
	value: unknown,
	updatedTime: number | undefined,
	request: RecoverRequest,
): RecoverDecision {
	const shape = shapeOf(value);
	if (shape.kind !== "record") return { keep: "settled" };
	const { record } = shape;
	if (!isPointer(record.Meta.PendingTransaction, request.pointer)) return { keep: "settled" };
	const owner = ownershipOf(record.Lock, updatedTime, request.claim);
	if (owner.verdict === "held") return { keep: "owned", lock: owner.lock };
	const { entry } = request;
	const meta: StoredMeta = {
		...record.Meta,
		PendingTransaction: undefined,
		ReleasedToken: undefined,
		TransactionIds: entry !== undefined ? entry.Seen : record.Meta.TransactionIds,
	};
	const data = entry !== undefined ? entry.Data : record.Data;
	return { write: { ...record, Data: data, Lock: undefined, Meta: meta }, took: takenFrom(owner) };
}

/**
 * How the look at a peer ended: it still points at the journal; it is done and can no longer be prepared; or it was
 * written since it was `seen`, and has to be looked at again.
 */
export type FenceDecision =
	{ readonly write: StoredRecord } | { readonly write?: undefined; readonly keep: "fenced" | "points" | "moved" };

/**
 * Rules a pointerless peer out of a journal whose decision was made without it: a prepare that lands later writes
 * nothing. Whoever holds the peer's lock merges the stamp with its next save. `seen` is the peer's record from before
 * this update was sent.
 *
 * Harmless when it crashes, runs again or lands late: it only says what is decided, and never over the stamp of a later
 * trade, whose own holder has written the record since it was seen.
 */
export function fencePeer(value: unknown, pointer: StoredPointer, seen: unknown): FenceDecision {
	const shape = shapeOf(value);
	// Without a record there is no lock that a prepare could land under.
	if (shape.kind !== "record") return { keep: "fenced" };
	const { record } = shape;
	if (isPointer(record.Meta.PendingTransaction, pointer)) return { keep: "points" };
	if (record.Meta.RefusedTransaction === pointer.Token) return { keep: "fenced" };
	if (!isUnmoved(record, seen)) return { keep: "moved" };
	return { write: { ...record, Meta: { ...record.Meta, RefusedTransaction: pointer.Token } } };
}

/** Whether no holder has written the record since. */
function isUnmoved({ Lock, Meta }: StoredRecord, seen: unknown): boolean {
	const before = shapeOf(seen);
	if (before.kind !== "record") return false;
	const { Lock: earlier, Meta: meta } = before.record;
	return Meta.Turn === meta.Turn && Lock?.Token === earlier?.Token && Lock?.Seq === earlier?.Seq;
}
