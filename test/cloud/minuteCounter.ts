/** Counts what is limited by the minute. A minute is one of the virtual clock: all counts begin anew every 60 s. */
export class MinuteCounter {
	private minute = 0;
	private counts = new Map<string, number>();

	public constructor(private readonly now: () => number) {}

	/** Counts `amount` for `what` and answers true, or counts nothing if that would pass `limit` in this minute. */
	public take(what: string, limit: number, amount = 1): boolean {
		const count = this.countOf(what) + amount;
		if (count > limit) return false;
		this.counts.set(what, count);
		return true;
	}

	/** What was counted for `what` in this minute. */
	public countOf(what: string): number {
		const minute = math.floor(this.now() / 60);
		if (minute !== this.minute) {
			this.minute = minute;
			this.counts = new Map();
		}
		return this.counts.get(what) ?? 0;
	}
}
