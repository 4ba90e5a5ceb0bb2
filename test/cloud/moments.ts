import { DelayStage } from "./faults";
import { Scheduler } from "./scheduler";
import { TraceCall } from "./trace";

/** What a moment belongs to: a call, or the delivery of a message to one server. */
export type MomentCall = Pick<TraceCall, "server" | "service" | "op" | "store" | "key">;

/** Decides itself when moments come, whatever the latency. */
export interface MomentGate {
	/** Takes over a moment, and runs `action` when it likes; false leaves it to the latency. May not yield. */
	readonly hold: (call: MomentCall, stage: DelayStage, action: () => void) => boolean;
}

/** When calls arrive, are applied and are answered, and when messages are delivered: after their latency, or by a gate. */
export class Moments {
	/** Undefined where the latency decides. */
	public gate?: MomentGate;

	public constructor(private readonly scheduler: Scheduler) {}

	/** Runs `action` after `seconds`, or when the gate says so. */
	public after(call: MomentCall, stage: DelayStage, seconds: number, action: () => void): void {
		if (this.gate?.hold(call, stage, action) !== true) this.scheduler.after(seconds, action);
	}
}
