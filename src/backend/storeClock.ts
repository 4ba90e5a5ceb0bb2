/**
 * The store's time as this server can know it: that of the last answered write, plus the server's own monotonic time
 * since. A write is stamped before its answer comes back, so the figure is never ahead of the store, and a lock's age
 * by it is never too high. One for each backend.
 */
export class StoreClock {
	private latest?: { readonly storeTime: number; readonly at: number };

	/** @param clock The server's monotonic clock in seconds, `platform.clock`. */
	public constructor(private readonly clock: () => number) {}

	/** Takes note of an answered write; call it before anything else can yield. Undefined changes nothing. */
	public observe(updatedTime: number | undefined): void {
		if (updatedTime !== undefined) this.latest = { storeTime: updatedTime, at: this.clock() };
	}

	/** Unix seconds on the store's clock, or a little less; undefined before the first answered write. Does not yield. */
	public now(): number | undefined {
		const { latest } = this;
		return latest === undefined ? undefined : latest.storeTime + (this.clock() - latest.at);
	}
}
