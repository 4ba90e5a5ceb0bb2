import { Platform } from "../platform/platform";
import { Result } from "../result";
import { untilAnswered } from "../util/untilAnswered";
import { answerWithin } from "./answerWithin";
import { UpdateTarget } from "./updateWithin";

/** How long a removal that failed is tried on in the background, in seconds. */
const REMOVAL_SECONDS = 300;

/**
 * Removes a record that nobody can need, where the backend can: one try, and where that fails, more in the background. A
 * removal that lands late or twice finds nothing. Yields, `seconds` at most.
 */
export function removeSoon(target: UpdateTarget & { readonly platform: Platform }, key: string, seconds: number): void {
	const { store, platform, backend } = target;
	if (backend.remove === undefined) return;
	const attempt = (): Result<undefined> =>
		answerWithin({ store, platform, key, what: "the removal" }, seconds, () => backend.remove!(key));
	const removed = attempt();
	if (removed.success || removed.error.retryable === false) return;
	platform.task.spawn(() => untilAnswered(platform, REMOVAL_SECONDS, attempt));
}
