import { Backend } from "../backend/backend";
import { StoreClock } from "../backend/storeClock";
import { Platform } from "../platform/platform";
import { Claim } from "../record/ownership";
import { LOCK_TTL_SECONDS, txTokens } from "../transaction/txLock";

/** What the claims of one driver have in common. */
export interface ClaimHome {
	readonly platform: Platform;
	readonly backend: Backend;
	readonly storeClock: StoreClock;
	readonly jobId: string;
	readonly ttlSeconds: number;
	readonly skewSeconds: number;
	readonly takesAnyLock: boolean;
}

/** What this server knows of time and of its own locks, for a write under `token` that begins now. Does not yield. */
export function claimNow(
	{ platform, backend, storeClock, jobId, ttlSeconds, skewSeconds, takesAnyLock }: ClaimHome,
	token: string,
): Claim {
	return {
		jobId,
		token,
		otherTokens: new Set([...txTokens(platform)]),
		storeNow: storeClock.now(),
		hasStoreTime: backend.hasStoreTime,
		wallNow: platform.time(),
		ttlSeconds,
		skewSeconds,
		anyLock: takesAnyLock,
		txTtlSeconds: LOCK_TTL_SECONDS,
	};
}
