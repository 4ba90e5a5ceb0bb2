import { Platform } from "../platform/platform";
import { Condition } from "../util/condition";

/** What a closing driver has to know of its trades: its server's presence key outlasts what may still land. */
export class OpenTrades {
	private running = 0;
	private isUnanswered = false;
	private readonly ended: Condition;

	public constructor(platform: Pick<Platform, "task" | "clock">) {
		this.ended = new Condition(platform, () => this.running === 0);
	}

	/** A trade begins. Does not yield. */
	public begin(): void {
		this.running += 1;
	}

	/** It is through: nothing of it is at the store, or will be sent, that a lock depends on. Does not yield. */
	public end(): void {
		this.running -= 1;
		if (this.running === 0) this.ended.tell();
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
		this.ended.waitUntil(deadline);
	}
}
