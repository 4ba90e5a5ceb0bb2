import { Result } from "../result";

/** What the store knows about a record besides its value. */
export interface RecordInfo {
	/** Unix seconds of the last write on the store's own clock; undefined where the store has none. */
	readonly updatedTime?: number;
	readonly userIds: ReadonlyArray<number>;
	readonly metadata: object;
}

/** A record as read. */
export interface ReadRecord {
	readonly value: unknown;
	readonly info: RecordInfo;
}

/** What a transform decides: write this, or keep what is stored; either way it reports `R` to its caller. */
export type Change<R> =
	| {
			readonly write: unknown;
			readonly userIds: ReadonlyArray<number>;
			readonly metadata: object;
			readonly report: R;
	  }
	| { readonly write?: undefined; readonly report: R };

/**
 * Decides a change from what is stored. Pure: no yield, no clock, no service, no state outside; the store may run it
 * any number of times, and also after the caller heard an error. `value` is undefined where nothing is stored.
 */
export type Transform<R> = (value: unknown, info: RecordInfo | undefined) => Change<R>;

/** What an answered update tells. */
export interface Answer<R> {
	/** What the last run of the transform reported. */
	readonly report: R;
	readonly wrote: boolean;
	/** Whether an earlier run of the transform, of the same update, wanted to write, so that this may have landed before. */
	readonly mayHaveWritten?: boolean;
	/** Unix seconds on the store's clock of the write, where it wrote and the store has a clock. */
	readonly updatedTime?: number;
}

/** One stored version of a record. */
export interface RecordVersion {
	readonly version: string;
	/** Unix seconds. */
	readonly createdTime: number;
	readonly deleted: boolean;
}

/**
 * One store of records. All members yield. An error of `update` or `remove` says nothing about whether the change
 * landed, or will land later; the caller's transforms must be able to tell. None of them retries; none of them throws.
 */
export interface Backend {
	/** `DataStore`, `Memory`, `Http`. */
	readonly name: string;
	/** Whether `RecordInfo.updatedTime` is there. */
	readonly hasStoreTime: boolean;
	/** Applies `transform` to the record atomically. */
	update<R>(key: string, transform: Transform<R>): Result<Answer<R>>;
	/** Reads the record; `fresh` bypasses any read cache. Undefined where nothing is stored. */
	read(key: string, fresh: boolean): Result<ReadRecord | undefined>;
	/** Deletes the record; absent where the backend cannot. */
	remove?(key: string): Result<undefined>;
	/** The record's versions, newest first; absent where the backend keeps none. */
	listVersions?(key: string, limit: number): Result<ReadonlyArray<RecordVersion>>;
	/** The record as it was at `unixSeconds`. */
	readAt?(key: string, unixSeconds: number): Result<ReadRecord | undefined>;
}
