import { Platform } from "../platform/platform";
import { Err, Result } from "../result";

/** How often a call is tried, and how long the pauses between the tries are. */
export interface Retry {
	/** Tries in all, 1 or more. */
	readonly attempts: number;
	/** Pause in seconds after the first try; it doubles with every further one. */
	readonly base: number;
}

/** Seed "Transactions", Configuration: `retry_attempts` and `retry_base`. */
export const DEFAULT_RETRY: Retry = { attempts: 5, base: 1 };

/** For whoever has pauses of its own between tries. */
export const ONE_TRY: Retry = { attempts: 1, base: 0 };

/** How long one try of a call may go unanswered, in seconds, where others wait for what comes of it. */
export const TRY_SECONDS = 10;

/** The pauses in seconds between the tries. */
export function pausesOf({ attempts, base }: Retry): ReadonlyArray<number> {
	const pauses = new Array<number>();
	for (let tried = 1; tried < attempts; tried++) pauses.push(base * 2 ** (tried - 1));
	return pauses;
}

/**
 * Repeats a call that can recognize its own earlier try, until it is answered, a further try cannot help, or the tries
 * are used up, or `goesOn` says that no further try is to be sent. Yields. An error that is not `retryable` says that no
 * try has landed, nor will.
 */
export function retried<T>(
	{ task: taskLibrary }: Pick<Platform, "task">,
	retry: Retry,
	call: () => Result<T>,
	goesOn: () => boolean = () => true,
): Result<T> {
	const pauses = pausesOf(retry);
	let unanswered: Err | undefined;
	for (let tried = 0; ; tried++) {
		const answer = call();
		if (answer.success) return answer;
		if (answer.error.retryable === false) return unanswered ?? answer;
		unanswered = answer;
		if (tried >= pauses.size()) return answer;
		taskLibrary.wait(pauses[tried]);
		if (!goesOn()) return answer;
	}
}
