import { TaskLibrary } from "../../src/platform/platform";
import { Scheduler } from "./scheduler";

/** What the threads of one server (or of the spec's body) run on. */
export interface Running {
	current: Runner | undefined;
	/** Real seconds: what servers' own code takes is measured by it; not where it is left out. */
	readonly cpuClock?: () => number;
}

/** Hears a thread's uncaught error. */
export type ThreadErrorHandler = (cause: unknown, traceback: string, thread: thread) => void;

/**
 * Resumes the threads of one server. A dead server's threads are never resumed; a paused server's are held until it goes
 * on. An uncaught error goes to `onError` with the thread's traceback.
 */
export class Runner {
	public alive = true;
	public paused = false;
	/** How often a thread was started or resumed. */
	public steps = 0;
	/** Real seconds that this server's threads have run, without what the cloud did for their calls. */
	public cpuSeconds = 0;
	/** On the CPU clock, since when a thread runs, moved on by what is not counted. */
	private countedFrom: number | undefined;
	private stopAt: number | undefined;
	private stop: (() => void) | undefined;
	private held = new Array<() => void>();

	public constructor(
		private readonly running: Running,
		private readonly onError: ThreadErrorHandler,
	) {}

	/** Whether the code that runs right now belongs to this server. */
	public isCurrent(): boolean {
		return this.running.current === this;
	}

	/** Runs `action` as this server: now, or after the pause, or never when it is dead. */
	public act(action: () => void): void {
		if (!this.alive) return;
		if (this.paused) {
			this.held.push(action);
			return;
		}
		const outer = this.running.current;
		this.running.current = this;
		action();
		this.running.current = outer;
	}

	/** Resumes a suspended thread; a thread that has ended meanwhile is left alone. */
	public resume<T extends Array<unknown>>(thread: thread, ...args: T): void {
		this.act(() => {
			if (coroutine.status(thread) !== "suspended") return;
			this.steps += 1;
			if (this.steps === this.stopAt) return this.stop?.();
			const isCounting = this.startCounting();
			const [success, cause] = coroutine.resume(thread, ...args);
			if (isCounting) this.stopCounting();
			if (!success) this.onError(cause, debug.traceback(thread), thread);
		});
	}

	/** Runs `callback` in a thread of its own. */
	public start<T extends Array<unknown>>(callback: (...args: T) => void, ...args: T): thread {
		const thread = coroutine.create(callback);
		this.resume(thread, ...args);
		return thread;
	}

	/** Runs `callback`, which may not yield, in a thread of its own, now; dead and paused servers are the caller's affair. */
	public callNow<T>(callback: () => T): CallbackOutcome<T> {
		const outer = this.running.current;
		this.running.current = this;
		const thread = coroutine.create(callback);
		const isCounting = this.startCounting();
		const [success, value] = coroutine.resume(thread);
		if (isCounting) this.stopCounting();
		this.running.current = outer;
		if (!success) return { kind: "threw", cause: value, traceback: debug.traceback(thread) };
		if (coroutine.status(thread) === "dead") return { kind: "returned", value: value as T };
		coroutine.close(thread);
		return { kind: "yielded" };
	}

	/** What the cloud does while a thread of this server calls it: not the server's time. `work` may not yield. */
	public uncounted<T>(work: () => T): T {
		const { cpuClock } = this.running;
		if (cpuClock === undefined || this.countedFrom === undefined) return work();
		const from = cpuClock();
		const result = work();
		this.countedFrom += cpuClock() - from;
		return result;
	}

	/** Whether the thread about to run is counted: one that another one starts is counted with that. */
	private startCounting(): boolean {
		const { cpuClock } = this.running;
		if (cpuClock === undefined || this.countedFrom !== undefined) return false;
		this.countedFrom = cpuClock();
		return true;
	}

	private stopCounting(): void {
		this.cpuSeconds += this.running.cpuClock!() - this.countedFrom!;
		this.countedFrom = undefined;
	}

	/** Calls `stop` instead of taking the `nth` step from now. */
	public stopBefore(nth: number, stop: () => void): void {
		this.stopAt = this.steps + nth;
		this.stop = stop;
	}

	/** Holds all resumptions until {@link goOn}. */
	public pause(): void {
		this.paused = true;
	}

	/** Does what was held, in order. */
	public goOn(): void {
		this.paused = false;
		const held = this.held;
		this.held = [];
		for (const action of held) this.act(action);
	}

	/** Ends all threads: none is resumed again. */
	public kill(): void {
		this.alive = false;
		this.held = [];
	}
}

/** How a callback that may not yield went. */
export type CallbackOutcome<T> =
	| { readonly kind: "returned"; readonly value: T }
	| { readonly kind: "threw"; readonly cause: unknown; readonly traceback: string }
	| { readonly kind: "yielded" };

/** Yields the running thread for good. */
export function sleepForever(): never {
	coroutine.yield();
	error("a thread that waits for nothing was resumed", 0);
}

const FRAME = 1 / 60;

/** The first frame at or after `due` and after `now`, on a grid of 1/60 s that begins at `phase`. */
export function frameAt(now: number, due: number, phase: number): number {
	const frame = math.ceil((due - phase) / FRAME - 1e-6);
	const earliest = math.floor((now - phase) / FRAME + 1e-6) + 1;
	return phase + math.max(frame, earliest) * FRAME;
}

/**
 * The `task` library of one server. With `frames`, waits end on the first frame of 1/60 s at or after they are due, as on
 * Roblox; without, exactly when due.
 */
export function createTaskLibrary(runner: Runner, scheduler: Scheduler, frames: boolean): TaskLibrary {
	const phase = scheduler.now;
	const dueAt = (seconds: number): number => {
		const due = scheduler.now + math.max(seconds, 0);
		return frames ? frameAt(scheduler.now, due, phase) : due;
	};
	const toThread = <T extends Array<unknown>>(target: thread | ((...args: T) => void)): thread =>
		typeIs(target, "thread") ? target : coroutine.create(target as Callback);
	// A server that died while this thread ran (it called for its own end) runs no further.
	const stopIfDead = (): void => {
		if (!runner.alive && runner.isCurrent()) sleepForever();
	};
	return {
		spawn: (target, ...args) => {
			const thread = toThread(target);
			if (coroutine.status(thread) === "dead") error("cannot resume dead coroutine", 2);
			runner.resume(thread, ...args);
			stopIfDead();
			return thread;
		},
		defer: (target, ...args) => {
			const thread = toThread(target);
			scheduler.defer(() => runner.resume(thread, ...args));
			return thread;
		},
		delay: (seconds, target, ...args) => {
			const thread = toThread(target);
			scheduler.at(dueAt(seconds), () => runner.resume(thread, ...args));
			return thread;
		},
		wait: (seconds = 0) => {
			const thread = coroutine.running();
			const start = scheduler.now;
			if (runner.alive) scheduler.at(dueAt(seconds), () => runner.resume(thread));
			coroutine.yield();
			return scheduler.now - start;
		},
		cancel: (thread) => {
			const status = coroutine.status(thread);
			if (status === "dead") return;
			if (status !== "suspended") error(`cannot cancel thread: it is ${status}`, 2);
			coroutine.close(thread);
		},
	};
}
