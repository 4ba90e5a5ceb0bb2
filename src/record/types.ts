/**
 * The stored form of a profile: one record per key. Field names are the wire format and never change; the TypeScript
 * API above is camelCase. At most one of `Pending` and `Meta.PendingTransaction` is set. Other fields are only there under
 * `Meta.KeepsOut`, and stay as stored.
 */
export interface StoredRecord {
	/** The game's data, in the format that `Meta.Migrations` names. */
	readonly Data: unknown;
	readonly Lock?: StoredLock;
	readonly Pending?: StoredPending;
	readonly Meta: StoredMeta;
}

/** Who may write the record: a session lock, or with `Tx` the short lock of a transaction over a lockless key. */
export interface StoredLock {
	/** The server that holds it. */
	readonly JobId: string;
	/** A GUID, fresh for every acquisition. */
	readonly Token: string;
	/** Which acquisition of this key it is; equals `Meta.Turn` when written. */
	readonly Turn: number;
	/** Number of the last write under this lock; a write names a higher one or changes nothing. */
	readonly Seq: number;
	/** Unix seconds by the holder's wall clock. */
	readonly Time: number;
	/** True while the holder provably beats its presence key. */
	readonly Presence?: boolean;
	readonly Tx?: boolean;
	/** With `Tx`: seconds after which others may take it, from when they first see it; left out where it is the usual time. */
	readonly Expires?: number;
}

/** A transaction's prepared outcome, not yet decided. */
export interface StoredPending {
	readonly Id: string;
	readonly Data: unknown;
	readonly Migrations: ReadonlyArray<string>;
	/** The server that decides it. */
	readonly JobId: string;
	/** Seconds that lockless readers give it, from when they first see it; left out where it is the usual time. */
	readonly Expires?: number;
}

export interface StoredMeta {
	/** How many locks this key has had; grows by one with every acquisition and survives release. */
	readonly Turn: number;
	/** Names of the migrations that `Data` has been through, in order. */
	readonly Migrations: ReadonlyArray<string>;
	/** A trade's pointer to its journal. */
	readonly PendingTransaction?: StoredPointer;
	/** Ids of committed trades, and of transactions and purchases that changed this record alone; at most 200, oldest out. */
	readonly TransactionIds?: ReadonlyArray<string>;
	/** Token of a journal that a prepare must not point at any more. */
	readonly RefusedTransaction?: string;
	/** Token of the lock that was released last, until the next write. */
	readonly ReleasedToken?: string;
	/** Highest applied update per lockless writer. */
	readonly Flushed?: Readonly<Record<string, number>>;
	readonly FlushFloor?: number;
	/** The library whose fields stand beside Baton's, so that its servers leave the record alone. */
	readonly KeepsOut?: string;
}

export interface StoredPointer {
	readonly Key: string;
	readonly Token: string;
}
