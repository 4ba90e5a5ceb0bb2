import { Hold } from "../driver/hold";
import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, Result } from "../result";
import { noYield, valueOf } from "../util/noYield";
import { Waiter } from "../util/waiter";

/** A profile that a trade or transaction can have to itself. */
export interface Holdable {
	/** Why nothing can begin with it; undefined where something can. */
	holdError(): BatonError | undefined;
	/** Takes it; undefined where something else has it. */
	takeHold(): Hold | undefined;
	/** The trade or transaction that took it is through. */
	letGo(): void;
}

/**
 * Runs `body` while it has all of `profiles` to itself, or none is taken: so those that cross never wait for each other.
 * Yields. Throws what `body` throws. Errors: why a profile is closed, `busy` for the one that is taken, those of `body`.
 */
export function whileHeld<P extends Holdable, R>(
	platform: Platform,
	profiles: ReadonlyArray<P>,
	busy: (profile: P) => BatonError,
	body: (holds: ReadonlyArray<Hold>) => Result<R>,
): Result<R> {
	for (const profile of profiles) {
		const closed = profile.holdError();
		if (closed !== undefined) return err(closed);
	}
	const holds = new Array<Hold>();
	for (const profile of profiles) {
		const hold = profile.takeHold();
		if (hold === undefined) {
			holds.forEach((_, index) => profiles[index].letGo());
			return err(busy(profile));
		}
		holds.push(hold);
	}
	const ended = new Waiter<() => Result<R>>(platform);
	// In a thread of its own: one that the game cancels half-way would leave them held for good.
	platform.task.spawn(() => {
		const [fine, result] = pcall(() => body(holds));
		for (const profile of profiles) profile.letGo();
		ended.resolve(() => (fine ? result : error(result, 0)));
	});
	return ended.wait()!();
}

/**
 * Runs the game's own function, which decides about held profiles and may not use them otherwise. Does not yield. Calls
 * `undo`, which may, and throws where the function throws or yields; `what` names it, as in `a trade's function`.
 */
export function whileDeciding<R>(
	platform: Platform,
	holds: ReadonlyArray<Hold>,
	what: string,
	decide: () => R,
	undo?: () => void,
): R {
	for (const hold of holds) hold.deciding = true;
	const ran = noYield(decide, platform.task.cancel);
	for (const hold of holds) hold.deciding = false;
	if (!ran.ok) undo?.();
	return valueOf(ran, what, 0);
}
