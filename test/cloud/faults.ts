import { ServiceName } from "./latency";

/**
 * What a fault does to the call it hits:
 *
 * - `failBefore`: nothing is applied, the caller hears an error. `drop` does the same to a call, and loses a delivery.
 * - `loseAnswer`: applied, but the caller hears an error.
 * - `landLate`: the caller hears an error; `seconds` (5) later it is applied, after its server's death too.
 * - `conflict`: `times` (1) runs of the transform are thrown away, as if another server had written in between.
 * - `rerun`: the transform runs `times` (1) more times although nothing conflicts.
 * - `loseCommit`: applied, then the transform runs again on the new value, as an engine does that missed the commit.
 * - `duplicate`: applied and answered; applied once more `seconds` (1) later. Doubles a delivery.
 * - `stale`: a cached read, or a list of versions, shows what was stored `seconds` (4) ago.
 * - `hang`: never answered and not applied; with `lands`, applied.
 * - `crashBefore`, `crashAfter`: the calling server dies right before, right after it is applied.
 * - `throttle`: the caller hears that the request was throttled.
 * - `delay`: takes `seconds` (10) longer: on the way to the service, or between a transform and its commit (`stage`
 *   `apply`, usual with `durableOnly`), or on the way back (`respond`).
 */
export type FaultEffect =
	| "failBefore"
	| "loseAnswer"
	| "landLate"
	| "conflict"
	| "loseCommit"
	| "rerun"
	| "stale"
	| "hang"
	| "crashBefore"
	| "crashAfter"
	| "throttle"
	| "drop"
	| "duplicate"
	| "delay";

/** A call's way to the service, the time until it is applied, the way back. */
export type DelayStage = "arrive" | "apply" | "respond";

/** A fault: which calls it hits, and what it does to them. */
export interface Fault {
	readonly service: ServiceName;
	/** `UpdateAsync`, `PublishAsync`, … or `Deliver` for the delivery of a message to one subscriber. */
	readonly op?: string;
	/** Data store, topic or map. */
	readonly store?: string;
	readonly key?: string;
	/** How the keys begin that it hits. */
	readonly keyPrefix?: string;
	readonly server?: { readonly name: string };
	/** Counts and hits only calls that change something stored. */
	readonly durableOnly?: boolean;
	/** The first call it hits, counted from 1 among those that match. */
	readonly nth?: number;
	/** How many calls it hits from there: all; for the two crashes, one. */
	readonly count?: number;
	readonly effect: FaultEffect;
	readonly seconds?: number;
	/**
	 * A `landLate` or `duplicate` lands right after so many more durable writes of its store instead, once for each number.
	 */
	readonly afterWrites?: ReadonlyArray<number>;
	readonly times?: number;
	/** The error text that the caller hears. */
	readonly message?: string;
	/** A call that `hang`s is applied. */
	readonly lands?: boolean;
	/** What a `delay` delays. */
	readonly stage?: DelayStage;
	/** In force from and until these virtual seconds only; an outage is one until then. */
	readonly from?: number;
	readonly until?: number;
	/** Hits a matching call with this probability only (seeded). */
	readonly chance?: number;
	/** Asked before each hit; false spares the call. */
	readonly decides?: (point: FaultPoint) => boolean;
}

export interface FaultHandle {
	remove(): void;
	/** How many calls it has hit. */
	readonly hits: number;
	/** How many calls matched, hit or not. */
	readonly seen: number;
}

/** A call as faults see it. */
export interface FaultPoint {
	readonly service: ServiceName;
	readonly op: string;
	readonly store?: string;
	readonly key?: string;
	readonly server: string;
	/** False when the call is made, true when it is about to change something stored. */
	readonly durable: boolean;
}

class ActiveFault implements FaultHandle {
	public hits = 0;
	public seen = 0;

	public constructor(
		public readonly fault: Fault,
		private readonly forget: (active: ActiveFault) => void,
	) {}

	public remove(): void {
		this.forget(this);
	}

	public hit(point: FaultPoint, now: number, random: () => number, free: boolean): boolean {
		const fault = this.fault;
		if (fault.service !== point.service || (fault.durableOnly === true) !== point.durable) return false;
		if (fault.op !== undefined && fault.op !== point.op) return false;
		if (fault.store !== undefined && fault.store !== point.store) return false;
		if (fault.key !== undefined && fault.key !== point.key) return false;
		const { keyPrefix } = fault;
		if (keyPrefix !== undefined && point.key?.sub(1, keyPrefix.size()) !== keyPrefix) return false;
		if (fault.server !== undefined && fault.server.name !== point.server) return false;
		if (now < (fault.from ?? 0) || now >= (fault.until ?? math.huge)) return false;
		this.seen += 1;
		if (!free || this.seen < (fault.nth ?? 1)) return false;
		const crash = fault.effect === "crashBefore" || fault.effect === "crashAfter";
		if (this.hits >= (fault.count ?? (crash ? 1 : math.huge))) return false;
		if (fault.chance !== undefined && random() >= fault.chance) return false;
		if (fault.decides?.(point) === false) return false;
		this.hits += 1;
		return true;
	}
}

/** A write on its way until others have landed. */
interface Awaiting {
	readonly store?: string;
	left: number;
	readonly action: () => void;
}

/** The faults of one world. */
export class Faults {
	private active = new Array<ActiveFault>();
	private awaiting = new Array<Awaiting>();

	public constructor(
		private readonly now: () => number,
		private readonly random: () => number,
	) {}

	/** Puts a fault in force until it is removed. */
	public add(fault: Fault): FaultHandle {
		const active = new ActiveFault(fault, (gone) => {
			this.active = this.active.filter((other) => other !== gone);
		});
		this.active.push(active);
		return active;
	}

	/** Runs `action` right after `writes` more durable writes of `store`. */
	public afterWrites(store: string | undefined, writes: number, action: () => void): void {
		this.awaiting.push({ store, left: writes, action });
	}

	/** Something was written in `store`; what waited for it follows. */
	public noteWrite(store: string | undefined): void {
		const due = new Array<Awaiting>();
		for (const each of this.awaiting) {
			if (each.store !== store) continue;
			each.left -= 1;
			if (each.left === 0) due.push(each);
		}
		if (due.isEmpty()) return;
		this.awaiting = this.awaiting.filter((each) => each.left > 0);
		for (const { action } of due) action();
	}

	/** How many landings still wait for other writes. */
	public awaited(): number {
		return this.awaiting.size();
	}

	/** Ends all faults. */
	public clear(): void {
		this.active = [];
	}

	/** The first fault that hits this call; each fault counts for itself the calls that match it. */
	public match(point: FaultPoint): Fault | undefined {
		let hit: Fault | undefined;
		for (const active of this.active) {
			if (active.hit(point, this.now(), this.random, hit === undefined)) hit = active.fault;
		}
		return hit;
	}
}
