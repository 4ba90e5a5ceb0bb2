import { Platform } from "../platform/platform";

/** A one-shot event with a value: any number of threads wait for it, each with its own time limit. */
export class Waiter<T> {
	/** Whether `resolve` was called. Only `resolve` changes it. */
	public resolved = false;
	private value?: T;
	private waiting: Array<Waiting> = [];

	public constructor(private readonly platform: Pick<Platform, "task">) {}

	/**
	 * The value, or undefined when `timeoutSeconds` pass first. Yields until then; at once when already resolved. Without a
	 * limit it waits for ever.
	 */
	public wait(timeoutSeconds?: number): T | undefined {
		if (this.resolved) return this.value;
		if (timeoutSeconds !== undefined && timeoutSeconds <= 0) return undefined;
		const { task: taskLibrary } = this.platform;
		const mine: Waiting = { thread: coroutine.running() };
		this.waiting.push(mine);
		if (timeoutSeconds !== undefined) {
			mine.timer = taskLibrary.delay(timeoutSeconds, () => {
				mine.timer = undefined;
				this.waiting = this.waiting.filter((other) => other !== mine);
				wake(taskLibrary, mine.thread);
			});
		}
		coroutine.yield();
		return this.value;
	}

	/** Wakes every waiting thread, in the order of waiting. The first value counts; later ones are ignored. Does not yield. */
	public resolve(value: T): void {
		if (this.resolved) return;
		this.resolved = true;
		this.value = value;
		const { task: taskLibrary } = this.platform;
		const woken = this.waiting;
		this.waiting = [];
		for (const { timer } of woken) {
			if (timer !== undefined) taskLibrary.cancel(timer);
		}
		for (const { thread: sleeper } of woken) wake(taskLibrary, sleeper);
	}
}

interface Waiting {
	readonly thread: thread;
	timer?: thread;
}

/** A thread that was cancelled while it waited stays dead. */
function wake(taskLibrary: Platform["task"], sleeper: thread): void {
	if (coroutine.status(sleeper) === "suspended") taskLibrary.spawn(sleeper);
}
