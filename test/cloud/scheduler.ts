/** More events at one moment, or rounds of deferred calls, are a loop that waits for nothing. */
const MAX_EVENTS_AT_ONCE = 1000000;
const MAX_ROUNDS = 100000;

/** Something that happens at a virtual time. Clear `action` to call it off. */
export interface ScheduledEvent {
	readonly at: number;
	readonly order: number;
	action: (() => void) | undefined;
}

/**
 * The discrete-event scheduler: a virtual clock that jumps from event to event. Events of one moment run in the order
 * in which they were scheduled. A binary heap keeps the next event at the top.
 */
export class Scheduler {
	/** Virtual seconds since the start. */
	public now = 0;
	/** How many events have run. */
	public steps = 0;
	private readonly heap = new Array<ScheduledEvent>();
	private order = 0;
	private stepsThisMoment = 0;
	private deferred = new Array<() => void>();

	/** Runs `action` at the virtual time `at`, or now when that has passed. */
	public at(at: number, action: () => void): ScheduledEvent {
		this.order += 1;
		const event: ScheduledEvent = { at: math.max(at, this.now), order: this.order, action };
		this.heap.push(event);
		this.raise(event);
		return event;
	}

	/** Runs `action` after `seconds`. */
	public after(seconds: number, action: () => void): ScheduledEvent {
		return this.at(this.now + seconds, action);
	}

	/** Runs `action` at the end of the current resumption cycle, in order of the calls. */
	public defer(action: () => void): void {
		this.deferred.push(action);
	}

	/** Runs the next event and what it deferred; false when there is none. */
	public step(): boolean {
		for (;;) {
			const event = this.pop();
			if (event === undefined) return false;
			const action = event.action;
			if (action !== undefined) {
				this.stepsThisMoment = event.at > this.now ? 0 : this.stepsThisMoment + 1;
				if (this.stepsThisMoment > MAX_EVENTS_AT_ONCE) error(`time stands still at ${this.now} s`, 0);
				this.now = event.at;
				this.steps += 1;
				action();
				this.settle();
				return true;
			}
		}
	}

	/** Runs everything that was deferred. */
	public settle(): void {
		let rounds = 0;
		while (this.deferred.size() > 0) {
			rounds += 1;
			if (rounds > MAX_ROUNDS) error(`deferred calls defer each other without end, at ${this.now} s`, 0);
			const batch = this.deferred;
			this.deferred = [];
			for (const action of batch) action();
		}
	}

	/** The time of the next event. */
	public nextAt(): number | undefined {
		return this.heap[0]?.at;
	}

	private raise(event: ScheduledEvent): void {
		const heap = this.heap;
		let index = heap.size() - 1;
		while (index > 0) {
			const parent = (index - 1) >> 1;
			const above = heap[parent];
			if (above.at < event.at || (above.at === event.at && above.order < event.order)) break;
			heap[index] = above;
			index = parent;
		}
		heap[index] = event;
	}

	private pop(): ScheduledEvent | undefined {
		const heap = this.heap;
		const top = heap[0];
		const last = heap.pop();
		if (last === undefined || last === top) return top;
		const size = heap.size();
		let index = 0;
		for (;;) {
			let child = index * 2 + 1;
			if (child >= size) break;
			if (child + 1 < size && before(heap[child + 1], heap[child])) child += 1;
			if (!before(heap[child], last)) break;
			heap[index] = heap[child];
			index = child;
		}
		heap[index] = last;
		return top;
	}
}

function before(a: ScheduledEvent, b: ScheduledEvent): boolean {
	return a.at < b.at || (a.at === b.at && a.order < b.order);
}
