import { Scheduler, SchedulerLike } from "../cloud/scheduler";
import { Platform } from "../platform/platform";
import { Signal } from "../util/signal";

/** Ends player sessions, once each, whichever driver asks first. */
export interface KernelSessions {
	/**
	 * Runs `endNow` in a thread of its own unless this player's session has ended before; returns whether it did. Does not
	 * yield.
	 */
	finish(player: Player, endNow: () => void): boolean;
}

/** Events that drivers share on a server. */
export interface KernelEvents {
	/** A trade ended while a participant's outcome was still unsettled. */
	readonly transactionEnded: Signal<[key: string, unsettled: boolean]>;
}

/** What a game framework hands to `driver.attach`, so that drivers run on its scheduler and share its sessions. */
export interface Kernel {
	readonly scheduler: SchedulerLike;
	readonly sessions: KernelSessions;
	readonly events: KernelEvents;
}

class PlainSessions implements KernelSessions {
	// Weak, and yet safe: whoever ends a session holds its player until PlayerRemoving.
	private readonly ended = new WeakSet<Player>();

	public constructor(private readonly platform: Platform) {}

	public finish(player: Player, endNow: () => void): boolean {
		if (this.ended.has(player)) return false;
		this.ended.add(player);
		this.platform.task.spawn(endNow);
		return true;
	}
}

/** A kernel of Baton's own parts. Does not yield. */
export function plainKernel(platform: Platform): Kernel {
	return {
		scheduler: new Scheduler(platform),
		sessions: new PlainSessions(platform),
		events: { transactionEnded: new Signal(platform.task) },
	};
}
