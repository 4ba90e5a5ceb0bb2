import { CLOCK_KEY } from "../record/limits";
import { StoreClock } from "./storeClock";
import { UpdateTarget, updateWithin } from "./updateWithin";

/** How long the write may go unanswered, in seconds. */
const WRITE_SECONDS = 5;

/** A store whose time is wanted. */
export interface TimedStore extends UpdateTarget {
	readonly storeClock: StoreClock;
}

/**
 * Age is told by the store's clock alone, which only a write shows: makes a small one. Returns whether the time is known
 * now. Yields.
 */
export function learnStoreTime(timed: TimedStore): boolean {
	const answer = updateWithin(timed, CLOCK_KEY, WRITE_SECONDS, () => ({
		write: { Kind: CLOCK_KEY },
		userIds: [],
		metadata: {},
		report: undefined,
	}));
	if (answer.success) timed.storeClock.observe(answer.value.updatedTime);
	return timed.storeClock.now() !== undefined;
}
