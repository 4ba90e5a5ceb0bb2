import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, Result } from "../result";
import { withinSeconds } from "../util/timeLimit";

/** Names a call of a backend, for its errors. */
export interface TimedCall {
	readonly store: string;
	readonly platform: Pick<Platform, "task">;
	readonly key: string;
	/** As in `the update`. */
	readonly what: string;
}

/**
 * What a backend answers within `seconds`: Roblox promises no bound, and a call that hangs must not hang whoever waits
 * for it. Without an answer it has failed, and what it asked for may have been done, or may yet; so it is where a
 * game's own backend throws, which it must not. Yields; does not throw.
 */
export function answerWithin<R>(
	{ store, platform, key, what }: TimedCall,
	seconds: number,
	call: () => Result<R>,
): Result<R> {
	const [fine, answer] = pcall(() => withinSeconds(platform, seconds, call));
	if (fine && answer !== undefined) return answer;
	const why = fine ? `was not answered within ${string.format("%.0f", seconds)} s` : `threw: ${answer}`;
	const message = `Baton: ${what} of "${key}" in store "${store}" ${why}; it may have landed, or may yet.`;
	return err(new BatonError("roblox", message, { store, key, kind: "retryable", retryable: true }));
}
