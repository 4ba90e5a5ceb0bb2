import { Platform } from "../platform/platform";
import { Result } from "../result";
import { answerWithin } from "./answerWithin";
import { Answer, Backend, Transform } from "./backend";

/** Which store an update goes to. */
export interface UpdateTarget {
	readonly store: string;
	readonly platform: Pick<Platform, "task">;
	readonly backend: Backend;
}

/** An update that answers within `seconds`; without an answer it is a failed one. Yields; does not throw. */
export function updateWithin<R>(
	{ store, platform, backend }: UpdateTarget,
	key: string,
	seconds: number,
	transform: Transform<R>,
): Result<Answer<R>> {
	const call = { store, platform, key, what: "the update" };
	return answerWithin(call, seconds, () => backend.update(key, transform));
}
