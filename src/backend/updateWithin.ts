import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, Result } from "../result";
import { withinSeconds } from "../util/timeLimit";
import { Answer, Backend, Transform } from "./backend";

/** Which store an update goes to. */
export interface UpdateTarget {
	readonly store: string;
	readonly platform: Pick<Platform, "task">;
	readonly backend: Backend;
}

/**
 * An update that answers within `seconds`: Roblox promises no bound, and a write that hangs must not hang whoever waits
 * for it. Without an answer it is a failed one: it may have landed, or may yet. Yields.
 */
export function updateWithin<R>(
	{ store, platform, backend }: UpdateTarget,
	key: string,
	seconds: number,
	transform: Transform<R>,
): Result<Answer<R>> {
	const answer = withinSeconds(platform, seconds, () => backend.update(key, transform));
	if (answer !== undefined) return answer;
	const message =
		`Baton: the update of "${key}" in store "${store}" was not answered within ${string.format("%.0f", seconds)} s; ` +
		`it may have landed, or may yet.`;
	return err(new BatonError("roblox", message, { store, key, kind: "retryable", retryable: true }));
}
