import { ImportLegacy } from "./importLegacy";
import { keepingOut } from "./keepOut";
import { shapeOf } from "./shape";
import { StoredRecord } from "./types";

/** What is taken back. */
export interface GiveBackRequest {
	/** The acquisition's token. */
	readonly token: string;
	/**
	 * Data and migrations of the record that the acquisition makes where nothing is stored; given where its outcome is not
	 * known. Then that record is made here, already released, so that the acquisition finds its stamp when it lands later.
	 */
	readonly fresh?: {
		readonly defaults: unknown;
		readonly migrations: ReadonlyArray<string>;
		readonly importLegacy?: ImportLegacy<unknown>;
	};
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
	if (shape.kind === "nothing" && fresh !== undefined) {
		const { defaults, migrations, importLegacy } = fresh;
		const meta = { Turn: 1, Migrations: migrations, ReleasedToken: token };
		return { write: keepingOut({ Data: defaults, Meta: meta }, importLegacy), cleared: false };
	}
	if (shape.kind !== "record") return { keep: "notThere" };
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
