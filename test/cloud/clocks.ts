import { Scheduler } from "./scheduler";

/** The clocks of one server: a monotonic one that counts from an arbitrary start, and a wall clock that may be wrong. */
export class Clocks {
	private shift: number;
	/** By how much the wall clock goes wrong in a second, and since when. */
	private rate = 0;
	private driftsSince = 0;

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
		const { now } = this.scheduler;
		return this.startTime + now + this.shift + this.rate * (now - this.driftsSince);
	}

	/** From now on the wall clock gains `rate` seconds in a second, or loses them. */
	public drift(rate: number): void {
		const { now } = this.scheduler;
		this.shift += this.rate * (now - this.driftsSince);
		this.rate = rate;
		this.driftsSince = now;
	}

	/** Moves the wall clock by `seconds`, forwards or back. */
	public step(seconds: number): void {
		this.shift += seconds;
	}
}
