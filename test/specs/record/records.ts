import { Claim } from "../../../src/record/ownership";
import { AcquireRequest } from "../../../src/record/acquire";
import { StoredLock, StoredMeta, StoredRecord } from "../../../src/record/types";

/** A stored session lock of server S1 under t1; `change` replaces fields. */
export function lock(change: Partial<StoredLock> = {}): StoredLock {
	return { JobId: "S1", Token: "t1", Turn: 1, Seq: 0, Time: 1000, ...change };
}

/** A stored record with data `{ n: 1 }` and no lock; `change` replaces fields. */
export function record(change: Partial<StoredRecord> = {}, meta: Partial<StoredMeta> = {}): StoredRecord {
	return { Data: { n: 1 }, Meta: { Turn: 1, Migrations: [], ...meta }, ...change };
}

/** What server S2 knows that asks under t2 at 1000 s; `change` replaces fields. */
export function claim(change: Partial<Claim> = {}): Claim {
	return {
		jobId: "S2",
		token: "t2",
		storeNow: 1000,
		hasStoreTime: true,
		wallNow: 1000,
		ttlSeconds: 180,
		skewSeconds: 60,
		...change,
	};
}

/** S2's acquisition under t2; `change` replaces fields. */
export function acquisition(change: Partial<AcquireRequest> = {}): AcquireRequest {
	return { claim: claim(), time: 1000, defaults: { n: 0 }, migrations: [], ...change };
}
