import { RollingSum } from "./key-history";
import { RequestKind, StoreErrors } from "./errors";
import { Scheduler, ScheduledEvent } from "../scheduler";
import { World } from "../world";

/** Requests that wait for budget, per kind. */
export const QUEUE_LENGTH = 30;
/** Kilobytes a minute that one key may be read and written, over all servers. */
export const READ_KILOBYTES = 25 * 1024;
export const WRITE_KILOBYTES = 4 * 1024;

/** Requests that come back at so many a minute, up to a minute's worth. */
class Bucket {
	private level: number;
	private filledAt: number;

	public constructor(
		private readonly scheduler: Scheduler,
		private readonly perMinute: () => number,
		burst: number,
		private readonly ticks: boolean,
	) {
		this.level = perMinute() + burst;
		this.filledAt = scheduler.now;
	}

	public available(): number {
		this.fill();
		return this.level;
	}

	public take(count: number): void {
		this.fill();
		this.level -= count;
	}

	/** Credits the time so far at the present rate. */
	public fill(): void {
		const now = this.ticks ? math.floor(this.scheduler.now) : this.scheduler.now;
		const passed = now - this.filledAt;
		if (passed <= 0) return;
		this.filledAt = now;
		const rate = this.perMinute();
		// A startup burst beyond the cap is not taken away.
		if (this.level < rate) this.level = math.min(rate, this.level + (rate / 60) * passed);
	}

	/** Seconds until one request fits. */
	public secondsToOne(): number {
		const seconds = ((1 - this.available()) / this.perMinute()) * 60;
		const exact = math.max(seconds, 0.001);
		return this.ticks ? math.ceil(this.scheduler.now + exact) - this.scheduler.now : exact;
	}
}

/** Requests a minute of the whole experience: a base, and so many for each player online. */
const experienceRates: Readonly<Record<RequestKind, readonly [base: number, perPlayer: number]>> = {
	StandardRead: [300, 40],
	StandardWrite: [300, 20],
	StandardList: [300, 2],
	StandardRemove: [300, 40],
};

/** Requests a minute of one server, per kind. */
const serverRates: Readonly<Record<RequestKind, readonly [base: number, perPlayer: number]>> = {
	StandardRead: [60, 40],
	StandardWrite: [60, 40],
	StandardList: [5, 2],
	StandardRemove: [60, 40],
};

/** The same under the former rules. */
const formerRates: typeof serverRates = {
	StandardRead: [60, 10],
	StandardWrite: [60, 10],
	StandardList: [5, 2],
	StandardRemove: [60, 10],
};

const kinds: ReadonlyArray<RequestKind> = ["StandardRead", "StandardWrite", "StandardList", "StandardRemove"];

/** The budget that all servers share; over it, calls fail. */
export class ExperienceBudget {
	private readonly buckets = new Map<RequestKind, Bucket>();

	public constructor(private readonly world: World) {
		for (const kind of kinds) {
			const [base, perPlayer] = experienceRates[kind];
			const rate = (): number => base + perPlayer * world.playersOnline();
			this.buckets.set(kind, new Bucket(world.scheduler, rate, 0, world.switches.budgetTicks));
		}
	}

	/** Takes one request, or throws that the experience is throttled. */
	public take(kind: RequestKind, errors: StoreErrors): void {
		if (!this.world.switches.limits || this.world.switches.budgetRules === "former") return;
		const bucket = this.bucket(kind);
		if (bucket.available() < 1) error(errors.experienceThrottled(kind), 0);
		bucket.take(1);
	}

	/** How many requests are left. */
	public left(kind: RequestKind): number {
		return math.floor(this.bucket(kind).available());
	}

	/** Credits the time so far, before the number of players changes. */
	public fill(): void {
		for (const kind of kinds) this.bucket(kind).fill();
	}

	private bucket(kind: RequestKind): Bucket {
		return this.buckets.get(kind) as Bucket;
	}
}

/** A request for one unit of each of `kinds`; it queues under the last one. */
interface Waiting {
	readonly kinds: ReadonlyArray<RequestKind>;
	readonly proceed: () => void;
}

/** One server's budget: over it, requests queue; over the queue, they fail. */
export class ServerBudget {
	private readonly buckets = new Map<RequestKind, Bucket>();
	private readonly queues = new Map<RequestKind, Array<Waiting>>();
	private readonly wakeUps = new Map<RequestKind, ScheduledEvent>();

	public constructor(
		private readonly world: World,
		playerCount: () => number,
		private readonly warn: (message: string) => void,
	) {
		const { startupBurst, budgetTicks, budgetRules } = world.switches;
		const rates = budgetRules === "former" ? formerRates : serverRates;
		for (const kind of kinds) {
			const [base, perPlayer] = rates[kind];
			const rate = (): number => base + perPlayer * playerCount();
			this.buckets.set(kind, new Bucket(world.scheduler, rate, startupBurst, budgetTicks));
			this.queues.set(kind, []);
		}
	}

	/** Lets a request through now, or later from the queue, or refuses it. Takes one of each kind it needs. */
	public admit(
		needed: ReadonlyArray<RequestKind>,
		key: string,
		errors: StoreErrors,
		proceed: () => void,
		refuse: (text: string) => void,
	): void {
		if (!this.world.switches.limits) return proceed();
		const last = needed[needed.size() - 1];
		const queue = this.queues.get(last) as Array<Waiting>;
		if (queue.isEmpty() && this.tryTake(needed)) return proceed();
		if (last === "StandardList" || queue.size() >= QUEUE_LENGTH) return refuse(errors.serverThrottled(last));
		this.warn(
			`DataStore request was added to queue. If request queue fills, further requests will be dropped. Try sending fewer requests.Key = ${key}`,
		);
		queue.push({ kinds: needed, proceed });
		this.wake(last);
	}

	/** Gives back one request that was not used after all. */
	public giveBack(kind: RequestKind): void {
		this.bucket(kind).take(-1);
	}

	/** How many requests are left. */
	public left(kind: RequestKind): number {
		return math.max(math.floor(this.bucket(kind).available()), 0);
	}

	/** Credits the time so far, before the number of players changes. */
	public fill(): void {
		for (const kind of kinds) this.bucket(kind).fill();
	}

	private tryTake(needed: ReadonlyArray<RequestKind>): boolean {
		for (const kind of needed) if (this.bucket(kind).available() < 1) return false;
		for (const kind of needed) this.bucket(kind).take(1);
		return true;
	}

	private wake(kind: RequestKind): void {
		if (this.wakeUps.has(kind)) return;
		const queue = this.queues.get(kind) as Array<Waiting>;
		const first = queue[0];
		if (first === undefined) return;
		let seconds = 0;
		for (const needed of first.kinds) seconds = math.max(seconds, this.bucket(needed).secondsToOne());
		this.wakeUps.set(
			kind,
			this.world.scheduler.after(seconds, () => {
				this.wakeUps.delete(kind);
				this.drain(queue);
				this.wake(kind);
			}),
		);
	}

	private drain(queue: Array<Waiting>): void {
		while (queue.size() > 0 && this.tryTake(queue[0].kinds)) queue.shift()?.proceed();
	}

	private bucket(kind: RequestKind): Bucket {
		return this.buckets.get(kind) as Bucket;
	}
}

/** Size of a value as throughput counts it: whole kilobytes, at least one. */
export function kilobytes(bytes: number): number {
	return math.max(math.ceil(bytes / 1024), 1);
}

/** Seconds until `bytes` may be read or written; 0 when they may now. */
export function throughputWait(sum: RollingSum, now: number, bytes: number, limit: number): number {
	return sum.waitFor(now, kilobytes(bytes), limit);
}
