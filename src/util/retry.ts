import { Platform } from "../platform/platform";
import { Result } from "../result";

/** How often a call is tried, and how long the pauses between the tries are. */
export interface Retry {
	/** Tries in all, 1 or more. */
	readonly attempts: number;
	/** Pause in seconds after the first try; it doubles with every further one. */
	readonly base: number;
}

/** Seed "Transactions", Configuration: `retry_attempts` and `retry_base`. */
export const DEFAULT_RETRY: Retry = { attempts: 5, base: 1 };

/** The pauses in seconds between the tries. */
export function pausesOf({ attempts, base }: Retry): ReadonlyArray<number> {
	const pauses = new Array<number>();
	for (let tried = 1; tried < attempts; tried++) pauses.push(base * 2 ** (tried - 1));
	return pauses;
}

/**
 * Repeats a call that can recognize its own earlier try, until it is answered, a further try cannot help, or the tries
 * are used up, or `goesOn` says that no further try is to be sent. Yields.
 */
export function retried<T>(
	{ task: taskLibrary }: Pick<Platform, "task">,
	retry: Retry,
	call: () => Result<T>,
	goesOn: () => boolean = () => true,
): Result<T> {
	for (const pause of pausesOf(retry)) {
		const answer = call();
		if (answer.success || answer.error.retryable === false) return answer;
		taskLibrary.wait(pause);
		if (!goesOn()) return answer;
	}
	return call();
}
