import { Scheduler } from "./scheduler";

/** The clocks of one server: a monotonic one that counts from an arbitrary start, and a wall clock that may be wrong. */
export class Clocks {
	private shift: number;

	public constructor(
		private readonly scheduler: Scheduler,
		private readonly startTime: number,
		private readonly monotonicStart: number,
		skew: number,
	) {
		this.shift = skew;
	}

	/** `os.clock`: seconds. */
	public monotonic(): number {
		return this.monotonicStart + this.scheduler.now;
	}

	/** Unix seconds by this server's wall clock. */
	public wall(): number {
		return this.startTime + this.scheduler.now + this.shift;
	}

	/** Moves the wall clock by `seconds`, forwards or back. */
	public step(seconds: number): void {
		this.shift += seconds;
	}
}
