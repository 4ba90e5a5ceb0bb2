import { Platform } from "../platform/platform";

/** How long this server has met the same thing on a record: by its own clock, so that no two clocks are compared. */
export class Sighting {
	private seen?: { readonly id: string | number; readonly at: number };

	public constructor(private readonly platform: Pick<Platform, "clock">) {}

	/** Seconds since `id` was first met, with nothing else met in between; 0 the first time. Does not yield. */
	public secondsOf(id: string | number): number {
		const now = this.platform.clock();
		if (this.seen?.id !== id) this.seen = { id, at: now };
		return now - this.seen.at;
	}
}
