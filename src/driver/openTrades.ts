import { Platform } from "../platform/platform";
import { Waiter } from "../util/waiter";

/** What a closing driver has to know of its trades: its server's presence key outlasts what may still land. */
export class OpenTrades {
	private running = 0;
	private isUnanswered = false;
	private ended?: Waiter<true>;

	public constructor(private readonly platform: Pick<Platform, "task" | "clock">) {}

	/** A trade begins. Does not yield. */
	public begin(): void {
		this.running += 1;
	}

	/** It is through: nothing of it is at the store, or will be sent, that a lock depends on. Does not yield. */
	public end(): void {
		this.running -= 1;
		if (this.running === 0) this.ended?.resolve(true);
	}

	/** A write of a journal was never answered, and no later one can keep it from landing. Does not yield. */
	public noteUnanswered(): void {
		this.isUnanswered = true;
	}

	/** Whether a trade runs. */
	public isRunning(): boolean {
		return this.running > 0;
	}

	/** Whether a write of an ended trade may land yet. */
	public mayLand(): boolean {
		return this.isUnanswered;
	}

	/** Yields until no trade runs, or `deadline` on the platform's clock has passed. */
	public waitUntilThrough(deadline: number): void {
		while (this.running > 0) {
			const left = deadline - this.platform.clock();
			if (left <= 0) return;
			if (this.ended === undefined || this.ended.resolved) this.ended = new Waiter(this.platform);
			this.ended.wait(left);
		}
	}
}
