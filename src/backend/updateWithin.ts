import { Platform } from "../platform/platform";
import { Result } from "../result";
import { answerWithin } from "./answerWithin";
import { Answer, Backend, Transform } from "./backend";
import { StoreClock } from "./storeClock";

/** Which store an update goes to. */
export interface UpdateTarget {
	readonly store: string;
	readonly platform: Pick<Platform, "task">;
	readonly backend: Backend;
	/** Takes note of every answered write. */
	readonly storeClock: StoreClock;
}

/** An update that answers within `seconds`; without an answer it is a failed one. Yields; does not throw. */
export function updateWithin<R>(
	{ store, platform, backend, storeClock }: UpdateTarget,
	key: string,
	seconds: number,
	transform: Transform<R>,
): Result<Answer<R>> {
	const call = { store, platform, key, what: "the update" };
	const answer = answerWithin(call, seconds, () => backend.update(key, transform));
	// Before anything else can yield: the store's time is this one plus the server's own time since.
	if (answer.success) storeClock.observe(answer.value.updatedTime);
	return answer;
}
