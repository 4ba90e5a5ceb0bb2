import { LockHolder } from "../errors";
import { LostReason, WriteId, isUnresolved, standingOf } from "./holding";
import { StoredPending, StoredRecord } from "./types";

/** The game's data with the names of the migrations it has been through. */
export interface DataPart {
	readonly data: unknown;
	readonly migrations: ReadonlyArray<string>;
}

/** Everything a save goes by. */
export interface SaveRequest extends WriteId {
	/** Unix seconds by this server's wall clock. */
	readonly time: number;
	/** Whether this server provably beats; undefined where it does not beat at all. */
	readonly presence?: boolean;
	/** What to write; left out by a touch, which only refreshes the lock. */
	readonly part?: DataPart;
}

/** Why a save or release left the record as it is. */
export type Kept =
	/** This very write has landed: a success. */
	| { readonly keep: "mine" }
	/** A later write of this session has landed. */
	| { readonly keep: "superseded" }
	/** This session's release has landed. A success for the release itself. */
	| { readonly keep: "released" }
	| { readonly keep: "lost"; readonly why: LostReason; readonly holder?: LockHolder }
	/** A trade or transaction is to be resolved before data is written. */
	| { readonly keep: "unresolved"; readonly pending?: StoredPending; readonly pointer?: unknown };

export type SaveDecision = { readonly write: StoredRecord } | ({ readonly write?: undefined } & Kept);

/**
 * Writes data and migrations under the session lock, and refreshes the lock. Everything else of the record, the
 * transactions' lanes above all, stays as stored.
 *
 * Harmless when it crashes, runs again or lands late: it changes only a record under its own token and turn and with a
 * lower number, or under the lock that it adopts, which is then gone, so it lands once, never over a later write of the
 * session, and never in another session.
 */
export function save(value: unknown, request: SaveRequest): SaveDecision {
	const standing = standingOf(value, request);
	if (standing.kind === "lost") return { keep: "lost", why: standing.why, holder: standing.holder };
	if (standing.kind !== "accept" && standing.kind !== "adopt") return { keep: standing.kind };
	const { token, turn, adopts } = request;
	const lock = standing.kind === "accept" ? standing.lock : { JobId: adopts!.jobId, Token: token, Turn: turn };
	const decision = withPart(standing.record, request.part);
	if (decision.write === undefined) return decision;
	const record = decision.write;
	return {
		write: {
			...record,
			Lock: { ...lock, Seq: request.seq, Time: request.time, Presence: request.presence },
			Meta: { ...record.Meta, Turn: turn, ReleasedToken: undefined },
		},
	};
}

/** The record with the data of a write, where it has any; refused while a trade or transaction is unresolved. Pure. */
export function withPart(record: StoredRecord, part: DataPart | undefined): SaveDecision {
	if (part === undefined) return { write: record };
	if (isUnresolved(record)) {
		return { keep: "unresolved", pending: record.Pending, pointer: record.Meta.PendingTransaction };
	}
	return { write: { ...record, Data: part.data, Meta: { ...record.Meta, Migrations: part.migrations } } };
}
