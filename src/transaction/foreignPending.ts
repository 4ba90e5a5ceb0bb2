import { Platform } from "../platform/platform";
import { Outcome } from "../record/decided";
import { StoredPending } from "../record/types";
import { Result } from "../result";
import { retried, Retry } from "../util/retry";
import { Sighting } from "../util/sighting";
import { MarkerStore } from "./markerStore";

/** Seconds that lockless readers give a transaction's coordinator to finish (seed "Transactions", Configuration: `tx_ttl`). */
export const TX_TTL_SECONDS = 60;

/** What one reader needs to judge a `Pending`. */
export interface PendingHome {
	readonly platform: Platform;
	readonly markers: MarkerStore;
	/** Unix seconds on the store's clock, where they are known. */
	readonly storeNow: () => number | undefined;
}

/** A `Pending` that was met on a record, and when that record was last written by the store's clock. */
export interface MetPending {
	readonly pending: StoredPending;
	readonly updatedTime?: number;
}

/** How one lockless reader judges the `Pending`s that it meets: their markers decide, and in the end it has them decided. */
export class ForeignPending {
	private readonly sighting: Sighting;

	public constructor(private readonly home: PendingHome) {
		this.sighting = new Sighting(home.platform);
	}

	/**
	 * The outcome of a transaction that is not this server's own, once it is durable; undefined while its coordinator may
	 * still finish. `force` waits no longer: the transaction is aborted unless it is decided, which is safe at any time.
	 * Each request is tried as `retry` says. Yields. Errors: `roblox`, `tx_marker_invalid`.
	 */
	public outcomeOf({ pending, updatedTime }: MetPending, force: boolean, retry: Retry): Result<Outcome | undefined> {
		const { markers, platform } = this.home;
		if (force || this.isExpired(pending, updatedTime)) return markers.decide(pending.Id, "aborted", retry);
		return retried(platform, retry, () => markers.read(pending.Id));
	}

	private isExpired(pending: StoredPending, updatedTime: number | undefined): boolean {
		const ttl = pending.Expires ?? TX_TTL_SECONDS;
		if (this.sighting.secondsOf(pending.Id) >= ttl) return true;
		const now = this.home.storeNow();
		return now !== undefined && updatedTime !== undefined && now - updatedTime > ttl;
	}
}
