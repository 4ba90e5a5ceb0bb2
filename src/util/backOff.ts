import { Platform } from "../platform/platform";
import { DEFAULT_RETRY, pausesOf, Retry } from "./retry";
import { Waiter } from "./waiter";

/** The pause in seconds once the ladder is spent, and after an error that a quick retry cannot mend. */
const BACKGROUND_SECONDS = 30;
/** The longest pause in seconds while the server closes: it has 30 s in all. */
const CLOSING_SECONDS = 4;

/** The pauses between the tries of a write that has to land: a ladder, then a slow rate without end. */
export class BackOff {
	/** How many quick tries there are. */
	public readonly tries: number;
	private failures = 0;
	private closing = false;
	private pausing?: Waiter<true>;
	/** Pauses in seconds after the first failures in a row; they outlast a short outage of the store. */
	private readonly ladder: ReadonlyArray<number>;

	public constructor(
		private readonly platform: Pick<Platform, "task">,
		retry: Retry = DEFAULT_RETRY,
	) {
		this.ladder = pausesOf(retry);
		this.tries = retry.attempts;
	}

	/** Counts a failed try; returns whether the quick tries are over (always after one that is not `retryable`). */
	public failed(retryable: boolean): boolean {
		this.failures = retryable ? this.failures + 1 : math.max(this.failures, this.tries - 1) + 1;
		return this.failures >= this.tries;
	}

	/** Starts over at the ladder's first step. */
	public reset(): void {
		this.failures = 0;
	}

	/** Yields until the next try is due, or `hurry` is called. */
	public pause(): void {
		const pausing = new Waiter<true>(this.platform);
		this.pausing = pausing;
		const pause = this.ladder[math.max(this.failures, 1) - 1] ?? BACKGROUND_SECONDS;
		pausing.wait(this.closing ? math.min(pause, CLOSING_SECONDS) : pause);
		this.pausing = undefined;
	}

	/** Cuts a running pause short. */
	public hurry(): void {
		this.pausing?.resolve(true);
	}

	/** From now on no pause is longer than a closing server can afford. */
	public close(): void {
		this.closing = true;
		this.hurry();
	}
}
