import { importedFrom, LegacyRules } from "./importLegacy";
import { keepingOut } from "./keepOut";
import { Shape, shapeOf } from "./shape";
import { StoredRecord } from "./types";

/** What is taken back. */
export interface GiveBackRequest {
	/** The acquisition's token. */
	readonly token: string;
	/**
	 * What the acquisition makes a record of where none is stored; given where its outcome is not known. Then that record is
	 * made here, already released, so that the acquisition finds its stamp when it lands later.
	 */
	readonly fresh?: FreshRules;
}

/** Data of a record that does not exist yet, this server's migrations, and what becomes of a value of another kind. */
export interface FreshRules extends LegacyRules {
	readonly defaults: unknown;
	readonly migrations: ReadonlyArray<string>;
}

/** The record that the acquisition would make, already released; undefined where it would make none. */
function released(value: unknown, shape: Shape, token: string, fresh: FreshRules): StoredRecord | undefined {
	const { defaults, migrations, importLegacy } = fresh;
	const imported =
		shape.kind === "other"
			? importedFrom(value, shape.reason, fresh)
			: { data: defaults, lock: undefined, keeps: undefined };
	// Under the other library's lock it stays as it is.
	if (imported.data === undefined || imported.lock !== undefined) return undefined;
	const meta = { Turn: 1, Migrations: migrations, ReleasedToken: token };
	return keepingOut({ Data: imported.data, Meta: meta }, importLegacy, imported.keeps);
}

/** How giving a lock back ended; without `write` nothing of that acquisition is on the record. */
export type GiveBackDecision =
	| { readonly write: StoredRecord; readonly cleared: boolean }
	| { readonly write?: undefined; readonly keep: "done" | "notThere" };

/**
 * Takes back an acquisition that is not wanted, by its token alone: its turn may never have been answered. The lock is
 * removed if it is there; where nobody holds the record, the token is stamped as released all the same, so that an
 * acquire that lands later finds it and writes nothing. Data, pointer and `Pending` stay as stored.
 *
 * Harmless when it crashes, runs again or lands late: no other acquisition has this token, and a second run finds the
 * stamp.
 */
export function giveBack(value: unknown, { token, fresh }: GiveBackRequest): GiveBackDecision {
	const shape = shapeOf(value);
	if (shape.kind !== "record") {
		const write = fresh !== undefined ? released(value, shape, token, fresh) : undefined;
		return write !== undefined ? { write, cleared: false } : { keep: "notThere" };
	}
	const { record } = shape;
	const lock = record.Lock;
	if (lock !== undefined && lock.Token !== token) return { keep: "notThere" };
	if (lock === undefined && record.Meta.ReleasedToken === token) return { keep: "done" };
	const write: StoredRecord = { ...record, Lock: undefined, Meta: { ...record.Meta, ReleasedToken: token } };
	return { write, cleared: lock !== undefined };
}

/**
 * Clears the lock of server `jobId` under a token that nothing there owns, as another server reported it; everything
 * else stays as stored. Unlike {@link giveBack} it writes nothing where that lock is not there.
 *
 * Harmless when it crashes, runs again or lands late: the token is nobody's.
 */
export function clearLock(value: unknown, token: string, jobId: string): GiveBackDecision {
	const shape = shapeOf(value);
	if (shape.kind !== "record") return { keep: "notThere" };
	const { record } = shape;
	if (record.Lock?.Token !== token || record.Lock.JobId !== jobId) return { keep: "notThere" };
	const write: StoredRecord = { ...record, Lock: undefined, Meta: { ...record.Meta, ReleasedToken: token } };
	return { write, cleared: true };
}
