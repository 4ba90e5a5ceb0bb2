import { Scheduler } from "../scheduler";
import { StoredVersion } from "./key-history";

/** Seconds that a read is good for. */
export const CACHE_SECONDS = 4;

interface Cached {
	/** Undefined: nothing was stored. */
	readonly version: StoredVersion | undefined;
	readonly until: number;
}

/** The read cache of one data store object on one server. */
export class ReadCache {
	private readonly entries = new Map<string, Cached>();

	public constructor(
		private readonly scheduler: Scheduler,
		private readonly cacheMissing: boolean,
	) {}

	public find(key: string): Cached | undefined {
		const cached = this.entries.get(key);
		if (cached === undefined || cached.until <= this.scheduler.now) return undefined;
		return cached;
	}

	/** Remembers what a key holds and starts its 4 seconds anew. */
	public put(key: string, version: StoredVersion | undefined): void {
		if (version === undefined && !this.cacheMissing) this.entries.delete(key);
		else this.entries.set(key, { version, until: this.scheduler.now + CACHE_SECONDS });
	}
}
