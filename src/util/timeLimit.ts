import { Platform } from "../platform/platform";
import { Waiter } from "./waiter";

/**
 * Runs `call` in a thread of its own and gives its value, or undefined when it has not returned after `seconds`: it goes
 * on, and what it returns is dropped. An error of it is thrown here. Yields.
 */
export function withinSeconds<T extends defined>(
	platform: Pick<Platform, "task">,
	seconds: number,
	call: () => T,
): T | undefined {
	const ended = new Waiter<{ readonly fine: boolean; readonly value: unknown }>(platform);
	platform.task.spawn(() => {
		const [fine, value] = pcall(call);
		ended.resolve({ fine, value });
	});
	const heard = ended.wait(seconds);
	if (heard === undefined) return undefined;
	if (!heard.fine) error(heard.value, 0);
	return heard.value as T;
}
