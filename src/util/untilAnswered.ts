import { Platform } from "../platform/platform";
import { Result } from "../result";

/** Pauses in seconds between the tries of a write whose answer others wait for; the last one repeats. */
const PAUSES = [0.25, 0.5, 1, 2];

/**
 * Repeats a call that can recognize its own earlier try until it is answered, `seconds` have passed or `goesOn` says that
 * no further try is to be sent. Yields.
 */
export function untilAnswered<T>(
	{ clock, task: taskLibrary }: Pick<Platform, "clock" | "task">,
	seconds: number,
	call: () => Result<T>,
	goesOn: () => boolean = () => true,
): Result<T> {
	const deadline = clock() + seconds;
	for (let tries = 0; ; tries++) {
		const answer = call();
		if (answer.success || answer.error.retryable === false) return answer;
		const pause = PAUSES[math.min(tries, PAUSES.size() - 1)];
		if (clock() + pause >= deadline) return answer;
		taskLibrary.wait(pause);
		if (!goesOn()) return answer;
	}
}
