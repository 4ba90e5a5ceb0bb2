import { Platform } from "../platform/platform";
import { Waiter } from "../util/waiter";

/** How often and how patiently a service is called. */
export interface RetryOptions {
	/** Further attempts after the first. */
	readonly retries: number;
	/** The pause before the first further attempt, in seconds; it doubles with each. */
	readonly retrySeconds: number;
	/** A call without an answer for this many seconds counts as failed. It may still have worked, or work later. */
	readonly timeoutSeconds: number;
}

/** What became of the attempts. `reason` is the service's own text. */
export type Attempted<T> =
	| { readonly success: true; readonly value: T; readonly attempts: number }
	| { readonly success: false; readonly reason: string; readonly attempts: number };

type Answer<T> = { readonly success: true; readonly value: T } | { readonly success: false; readonly reason: string };

/** Steers the attempts of one call. */
export interface AttemptHooks<T> {
	/** Runs before each attempt, outside its time limit; may yield. A reason it returns ends the attempts. */
	readonly before?: () => string | undefined;
	/** Whether another attempt can help; by default always. */
	readonly isRetryable?: (reason: string) => boolean;
	/** Hears the value of a call that answered after its time was up. */
	readonly onLate?: (value: T) => void;
}

/** Calls a service once in a thread of its own, so that a call that hangs cannot hang the caller. Yields. */
function attemptOnce<T>(
	platform: Pick<Platform, "task">,
	timeoutSeconds: number,
	call: () => T,
	onLate?: (value: T) => void,
): Answer<T> {
	const answer = new Waiter<Answer<T>>(platform);
	let gaveUp = false;
	platform.task.spawn(() => {
		const [success, value] = pcall(call);
		if (!gaveUp) answer.resolve(success ? { success, value } : { success: false, reason: tostring(value) });
		else if (success && onLate !== undefined) onLate(value);
	});
	const heard = answer.wait(timeoutSeconds);
	if (heard !== undefined) return heard;
	gaveUp = true;
	return { success: false, reason: `no answer within ${timeoutSeconds} s` };
}

/** Calls a service until it answers or the attempts are used up. Yields; never throws. */
export function attempt<T>(
	platform: Pick<Platform, "task">,
	options: RetryOptions,
	call: () => T,
	hooks: AttemptHooks<T> = {},
): Attempted<T> {
	let pause = options.retrySeconds;
	let attempts = 0;
	while (true) {
		const obstacle = hooks.before !== undefined ? hooks.before() : undefined;
		if (obstacle !== undefined) return { success: false, reason: obstacle, attempts };
		attempts += 1;
		const answer = attemptOnce(platform, options.timeoutSeconds, call, hooks.onLate);
		if (answer.success) return { success: true, value: answer.value, attempts };
		const mends = hooks.isRetryable === undefined || hooks.isRetryable(answer.reason);
		if (!mends || attempts > options.retries) return { success: false, reason: answer.reason, attempts };
		platform.task.wait(pause);
		pause *= 2;
	}
}
