import { Platform } from "../platform/platform";
import { Waiter } from "./waiter";

/**
 * Runs every job in a thread of its own, all at once, and yields until the last has ended or `timeoutSeconds` have
 * passed; returns whether all ended. A job that throws is reported as a warning and counts as ended.
 */
export function runAll(
	platform: Pick<Platform, "task" | "warn">,
	jobs: ReadonlyArray<() => void>,
	timeoutSeconds?: number,
): boolean {
	if (jobs.isEmpty()) return true;
	const done = new Waiter<true>(platform);
	let left = jobs.size();
	for (const job of jobs) {
		platform.task.spawn(() => {
			const [worked, why] = pcall(job);
			if (!worked) platform.warn(`Baton: ${why}`);
			left -= 1;
			if (left === 0) done.resolve(true);
		});
	}
	return done.wait(timeoutSeconds) === true;
}
