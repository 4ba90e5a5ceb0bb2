import { CLOCK_KEY } from "../record/limits";
import { UpdateTarget, updateWithin } from "./updateWithin";

/** How long the write may go unanswered, in seconds. */
const WRITE_SECONDS = 5;

/**
 * Age is told by the store's clock alone, which only a write shows: makes a small one. Returns whether the time is known
 * now. Yields.
 */
export function learnStoreTime(target: UpdateTarget): boolean {
	updateWithin(target, CLOCK_KEY, WRITE_SECONDS, () => ({
		write: { Kind: CLOCK_KEY },
		userIds: [],
		metadata: {},
		report: undefined,
	}));
	return target.storeClock.now() !== undefined;
}
