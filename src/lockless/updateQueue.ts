import { BatonError } from "../errors";
import { DeepReadonly } from "../record/deepReadonly";
import { Lanes } from "./lanes";
import { Flushed } from "./flush";

/** A game's update: from the data to the next data. */
export type Change<T extends object> = (data: DeepReadonly<T>) => DeepReadonly<T> | T;

/** An update that is not known to be stored. */
export interface Queued<T extends object> {
	readonly change: Change<T>;
	/** Stamp of the first flush that carried it; undefined before. */
	number?: number;
	/** Why it was dropped, where it was. */
	failed?: BatonError;
}

/** One write that was sent: what it carried, and what its transform came to when it ran last, if it did. */
export interface Sent<T extends object> {
	readonly stamp: number;
	/** In seconds on the server's clock. */
	readonly at: number;
	readonly carried: ReadonlyArray<Queued<T>>;
	/** Set by every run of the transform that would write, also by one that comes after the caller heard an error. */
	written?: Flushed;
}

/** An update that was dropped, since the data that are stored by now refuse it. */
export interface Dropped<T extends object> {
	readonly update: Queued<T>;
	readonly problem: BatonError;
}

/**
 * The updates of one opening of a lockless profile that are not known to be stored, and the numbers by which a record
 * tells which of them it holds.
 *
 * Every write has a stamp: the store's time in milliseconds, or one more than the stamp before it. An update's number is
 * the stamp of the first write that carried it, and the record keeps the stamp of the last write that applied some. So
 * an update is in the record exactly if its number is at or below that stamp, however late or often a write lands; and
 * the stamp tells how old the entry is, also where its updates had waited for a day.
 */
export class UpdateQueue<T extends object> {
	private items: ReadonlyArray<Queued<T>> = [];
	/** The writes whose effect is not known, oldest first. */
	private unanswered: ReadonlyArray<Sent<T>> = [];
	private last = 0;

	/** @param writer Names this opening in every record it writes. */
	public constructor(private readonly writer: string) {}

	/** Those that are not known to be stored, oldest first. */
	public list(): ReadonlyArray<Queued<T>> {
		return this.items;
	}

	public push(change: Change<T>): void {
		this.items = [...this.items, { change }];
	}

	/**
	 * Begins a write of everything that is queued. `milliseconds` is the store's time, `now` the server's clock in seconds.
	 * Pass it to {@link answered} once it is.
	 */
	public send(milliseconds: number, now: number): Sent<T> {
		this.last = math.max(math.floor(milliseconds), this.last + 1);
		for (const item of this.items) {
			if (item.number === undefined) item.number = this.last;
		}
		const sent: Sent<T> = { stamp: this.last, at: now, carried: this.items };
		this.unanswered = [...this.unanswered, sent];
		return sent;
	}

	/**
	 * What is stored under these lanes is queued no more. Returns the updates that the data refused when they came to be
	 * stored, however long ago that was.
	 */
	public seen({ Flushed, FlushFloor }: Lanes): ReadonlyArray<Dropped<T>> {
		const entry = Flushed?.[this.writer];
		if (FlushFloor !== undefined) this.last = math.max(this.last, FlushFloor);
		if (entry === undefined) return [];
		const dropped = new Array<Dropped<T>>();
		// The write of that stamp has landed, and the one whose stamp it found, and so on.
		for (let at: number | undefined = entry; at !== undefined;) {
			const stamp: number = at;
			at = undefined;
			const landed = this.unanswered.find((sent) => sent.stamp === stamp);
			if (landed?.written === undefined) break;
			for (const { index, problem } of landed.written.refused) {
				dropped.push({ update: landed.carried[index], problem });
			}
			at = landed.written.before;
		}
		this.items = this.items.filter(({ number }) => number === undefined || number > entry);
		return dropped;
	}

	/** A write was answered as one that has changed nothing. */
	public answered(sent: Sent<T>): void {
		this.unanswered = this.unanswered.filter((other) => other !== sent);
	}

	/** A write was answered that leaves none of those before it anything to apply later. */
	public settle(): void {
		this.unanswered = [];
	}

	/** Nothing of this writer has landed, nor will below `floor`: everything gets a new number. */
	public renumber(floor: number): void {
		this.last = math.max(this.last, floor);
		this.unanswered = [];
		for (const item of this.items) {
			item.number = undefined;
		}
	}

	/** Drops and returns what a write carried that was sent at `time` on the server's clock or before and not answered. */
	public expire(time: number): ReadonlyArray<Queued<T>> {
		const over = new Set<Queued<T>>();
		for (const { at, carried } of this.unanswered) {
			if (at > time) continue;
			for (const update of carried) over.add(update);
		}
		const expired = this.items.filter((item) => over.has(item));
		this.items = this.items.filter((item) => !over.has(item));
		this.unanswered = this.unanswered.filter(({ at }) => at > time);
		return expired;
	}
}
