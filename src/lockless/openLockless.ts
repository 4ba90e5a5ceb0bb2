import { Hold } from "../driver/hold";
import { AttemptOutcome, ProfileWriter, WriteKind, WriterHost } from "../driver/writer";
import { BatonError } from "../errors";
import { Decided } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { StoredRecord } from "../record/types";
import { err, ok, Result } from "../result";
import { Decisions } from "../transaction/decisions";
import { txTokens } from "../transaction/txLock";
import { noYield, valueOf } from "../util/noYield";
import { pausesOf, Retry } from "../util/retry";
import { sameData } from "../util/sameData";
import { Signal } from "../util/signal";
import { Waiter } from "../util/waiter";
import { Fetcher } from "./fetcher";
import { Flusher, FlushOutcome } from "./flusher";
import { closedProfile, droppedUpdate, keptBusy, unansweredFlush, undecidedOutcome } from "./locklessErrors";
import { LocklessHome } from "./locklessHome";
import { LocklessProfile } from "./locklessProfile";
import { Change, Dropped, Queued, UpdateQueue } from "./updateQueue";

/** How long one flush waits for transactions of other servers, in seconds: longer than any one of them lasts. */
const WAIT_SECONDS = 120;
/** How long a flush may be unanswered, in seconds, before its updates are given up as unknown (rule 6.6). */
const UNANSWERED_SECONDS = 3600;
/** How often a fetch reads anew since a flush was answered meanwhile. */
const LOOKS = 5;

/** How a transaction wants a profile's lock. */
export interface LockOptions {
	/** Seconds after which others may take it; left out where it is the usual time. */
	readonly expires?: number;
	readonly retry: Retry;
	/** Whether to wait for another transaction's lock. */
	readonly waits: boolean;
	/** On the platform's clock: nobody is waited for any longer. */
	readonly deadline: number;
	/** Asked after every pause: whether the lock is still wanted. Does not yield. */
	readonly goesOn: () => boolean;
}

/** A {@link LocklessProfile} with the side that its driver and transactions see. */
export class OpenLockless<T extends object> implements LocklessProfile<T>, WriterHost {
	public data?: DeepReadonly<T>;
	public active = true;
	public readonly onChanged: Signal<[data: DeepReadonly<T>, previous: DeepReadonly<T> | undefined]>;
	public readonly onSaved: Signal<[]>;
	public readonly writer: ProfileWriter;
	/** No lock of it wants renewing. */
	public readonly writes = { lastWritten: 0 };

	/**
	 * Set while the outcome of a transaction of this server is not known: nothing is flushed, since old data must not be
	 * written over what may be committed.
	 */
	public undecided = false;
	/** What the record held when {@link lock} took it, exactly. */
	public snapshot!: DeepReadonly<T>;
	/** The turn of that lock. */
	public lockTurn = 0;

	/** What the store is known to hold, in this server's format. */
	private base?: DeepReadonly<T>;
	/** Counts the bases, so that a read that began under an earlier one is told. */
	private bases = 0;
	/** Names this opening in the records that it writes. */
	private readonly name: string;
	private readonly queue: UpdateQueue<T>;
	private readonly decisions = new Decisions();
	private readonly flusher: Flusher<T>;
	private readonly fetcher: Fetcher<T>;
	private held?: Hold;
	private updating = false;
	private ended = false;
	/** Whether the record has an entry of this writer. */
	private hasEntry = false;
	/** Those that pause between two tries. */
	private parked: ReadonlyArray<Waiter<true>> = [];
	/** What the next read of the record answers, and whether one is under way. */
	private nextFetch?: Waiter<Result<DeepReadonly<T>>>;
	private fetching = false;

	public constructor(
		public readonly home: LocklessHome<T>,
		public readonly key: string,
		/** User ids for every write; undefined keeps the stored ones. */
		public userIds: ReadonlyArray<number> | undefined,
	) {
		const { platform, retry } = home;
		this.onChanged = new Signal(platform.task);
		this.onSaved = new Signal(platform.task);
		this.name = platform.http.GenerateGUID(false);
		this.queue = new UpdateQueue(this.name);
		this.flusher = new Flusher(
			home,
			key,
			this.name,
			this.queue,
			this.decisions,
			(update, data) => this.run(update.change, data),
			(record) => this.seen(record),
		);
		this.fetcher = new Fetcher(
			home,
			key,
			this.decisions,
			(met) => this.flusher.judge(met),
			(seconds) => this.park(seconds),
		);
		this.writer = new ProfileWriter(platform, this, retry);
	}

	public fetch(): Result<DeepReadonly<T>> {
		const closed = this.closedError();
		if (closed !== undefined) return err(closed);
		// One that is under way may have read before this call.
		const asked = this.nextFetch ?? new Waiter<Result<DeepReadonly<T>>>(this.home.platform);
		this.nextFetch = asked;
		if (!this.fetching) this.home.platform.task.spawn(() => this.fetchAll());
		return asked.wait()!;
	}

	public update(change: Change<T>): Result<undefined> {
		if (!typeIs(change, "function"))
			error("Baton: profile.update takes a function from the data to the next data", 2);
		if (this.updating) error("Baton: profile.update was called inside the function given to profile.update", 2);
		if (this.held?.deciding === true) error("Baton: profile.update was called inside a transaction's function", 2);
		const closed = this.closedError();
		if (closed !== undefined) return err(closed);
		const before = this.data;
		if (before === undefined) {
			this.queue.push(change);
			return ok(undefined);
		}
		this.updating = true;
		const ran = noYield(() => change(before), this.home.platform.task.cancel);
		this.updating = false;
		const changed = valueOf(ran, "the function given to profile.update", 3);
		// What the function started may have closed it meanwhile.
		const closedMeanwhile = this.closedError();
		if (closedMeanwhile !== undefined) return err(closedMeanwhile);
		const admitted = this.home.admit(changed);
		if (!admitted.success) return admitted;
		// Also where it changed nothing: on a newer base it may.
		this.queue.push(change);
		this.show(admitted.value);
		return ok(undefined);
	}

	public save(): Result<undefined> {
		if (this.held?.deciding === true) error("Baton: profile.save was called inside a transaction's function", 2);
		const closed = this.closedError();
		if (closed !== undefined) return err(closed);
		if (this.undecided) return err(this.undecidedError());
		if (!this.isDirty()) return ok(undefined);
		const asked = this.queue.list();
		return answerFor(asked, this.writer.save().wait()!);
	}

	public close(): Result<undefined> {
		this.active = false;
		for (let hold = this.hold(); hold !== undefined; hold = this.hold()) hold.wait();
		if (this.ended) return ok(undefined);
		const asked = this.queue.list();
		return answerFor(asked, this.writer.release().wait()!);
	}

	// For the driver.

	/** Whether it has something to write. */
	public isDirty(): boolean {
		return !this.queue.list().isEmpty() || !this.decisions.isEmpty();
	}

	/** How many updates are not known to be stored. */
	public countQueued(): number {
		return this.queue.list().size();
	}

	/** Whether everything of it was written for the last time. */
	public hasEnded(): boolean {
		return this.ended;
	}

	/** The server closes: pauses end at once, and are short from now on. Does not yield. */
	public hurry(): void {
		this.writer.close();
		this.unpark();
	}

	/**
	 * The server closes and waits no longer for a transaction of it: what is queued is flushed. A transaction that is not
	 * through is fenced by its own lock, or has its outcome decided by that flush. Does not yield.
	 */
	public cutHold(): void {
		this.hold()?.cut();
	}

	// For transactions.

	/** The transaction that has the profile to itself. */
	public hold(): Hold | undefined {
		return this.held?.lasts() === true ? this.held : undefined;
	}

	/** Takes the profile for a transaction; undefined where another has it, it is closed, or an outcome is unknown. */
	public takeHold(): Hold | undefined {
		if (this.hold() !== undefined || this.undecided || this.closedError() !== undefined) return undefined;
		this.held = new Hold(this.home.platform);
		// A flush that waits for somebody else's lock must not go on beside the transaction.
		this.unpark();
		return this.held;
	}

	/** The transaction that took it is through. */
	public letGo(): void {
		this.held?.finish();
	}

	/** Why it takes no more changes; undefined while it does. */
	public closedError(): BatonError | undefined {
		return this.active ? undefined : closedProfile(this.home.store, this.key);
	}

	/** Why no transaction can begin; undefined where one can. Throws inside an update's function. */
	public holdError(): BatonError | undefined {
		if (this.updating) error("Baton: a transaction was begun inside the function given to profile.update", 4);
		return this.closedError() ?? (this.undecided ? this.undecidedError() : undefined);
	}

	/** Yields until no write is at the store; while it is held, none starts. */
	public awaitWrites(): void {
		while (this.writer.isRunning()) this.writer.attemptEnded.wait();
	}

	/**
	 * Flushes, takes the transaction lock and reads what it locked, all in one update: {@link snapshot} and
	 * {@link lockTurn}. Call it under a hold, once no write is at the store. Yields.
	 *
	 * `token` is a transaction's own from before the first try: delete it from {@link txTokens} once it was given back. After
	 * any error it has to be, for a try may have landed, or may yet. Errors: those of `save`.
	 */
	public lock(token: string, { expires, retry, waits, deadline, goesOn }: LockOptions): Result<"taken" | "busy"> {
		const { platform } = this.home;
		txTokens(platform).add(token);
		const wish = { lock: { token, expires }, waits, deadline, goesOn };
		let ran = this.flush(wish);
		for (const pause of pausesOf(retry)) {
			if (ran.success || ran.error.type !== "roblox" || ran.error.retryable === false) break;
			platform.task.wait(pause);
			if (!goesOn()) break;
			ran = this.flush(wish);
		}
		if (!ran.success) return ran;
		const outcome = ran.value;
		if (outcome.kind === "busy") return ok("busy");
		if (outcome.kind !== "done" || outcome.record === undefined) return err(keptBusy(this.home.store, this.key));
		this.snapshot = outcome.data;
		this.lockTurn = outcome.record.Meta.Turn;
		return ok("taken");
	}

	/**
	 * A transaction of this server is decided, and the record may still carry it: it is named in every write from now on.
	 * `onClean` is called once an answered write has left nothing of it, `onGivenUp` where no further write will be made.
	 */
	public noteDecided(decided: Decided, onClean: () => void, onGivenUp: () => void): void {
		if (this.ended) onGivenUp();
		else this.decisions.note(decided, onClean, onGivenUp);
	}

	/** The record holds these data, or will once a noted transaction is applied. Does not yield. */
	public rebase(data: DeepReadonly<T>): void {
		// What it held when it ended stays what it shows.
		if (this.ended) return;
		this.base = data;
		this.bases += 1;
		this.replay();
	}

	// For the writer.

	/** Two flushes must not run side by side, and taking a lock is one. */
	public pausedBy(): Hold | undefined {
		return this.hold();
	}

	public attempt(kind: WriteKind): AttemptOutcome {
		if (kind === "touch") return { kind: "written" };
		if (kind === "releaseOnly") return this.giveUp();
		if (this.isDirty()) {
			if (this.undecided) return { kind: "failed", error: this.undecidedError(), isDefinite: true };
			const deadline = this.home.platform.clock() + WAIT_SECONDS;
			const flushed = this.flush({ waits: true, deadline });
			if (!flushed.success) {
				const { error: cause } = flushed;
				return { kind: "failed", error: cause, isDefinite: isDefinite(cause) };
			}
			if (flushed.value.kind !== "done") return { kind: "interrupted" };
		}
		if (kind === "release") this.removeEntry();
		return { kind: "written" };
	}

	public isFlaggedWrongly(): boolean {
		return false;
	}

	public isBlocked(): boolean {
		return false;
	}

	public onFailing(_kind: WriteKind, cause: BatonError): void {
		const { store, platform, metric } = this.home;
		platform.warn(
			`Baton: the lockless profile "${this.key}" of store "${store}" cannot be flushed, so ${this.countQueued()} updates ` +
				`are not stored yet; they stay queued and are tried on while this server lives. ${cause.message}`,
		);
		metric("save.failing", 1, { kind: "flush" });
	}

	public calledOffError(): BatonError {
		return closedProfile(this.home.store, this.key);
	}

	public onAttemptEnded(): void {}

	public onRetry(_kind: WriteKind, cause: BatonError): void {
		this.home.metric("save.failed", 1, { kind: "flush", type: cause.type });
	}

	public onEnded(): void {
		this.ended = true;
		this.decisions.giveUp();
		this.home.onEnded();
	}

	/** The store refuses what is queued for good: it is given up, loudly. */
	private giveUp(): AttemptOutcome {
		const { store, platform } = this.home;
		const left = this.queue.list();
		const message =
			`Baton: the store refuses the data of the lockless profile "${this.key}" of store "${store}" for good. It is closed, ` +
			`and its ${left.size()} queued updates are lost; what was stored before is untouched.`;
		const problem = new BatonError("roblox", message, { store, key: this.key, kind: "rejected", retryable: false });
		for (const update of left) update.failed = problem;
		if (!left.isEmpty()) platform.warn(message);
		return { kind: "written" };
	}

	private flush(wish: {
		readonly lock?: { readonly token: string; readonly expires?: number };
		readonly closes?: boolean;
		readonly waits: boolean;
		readonly deadline: number;
		/** Of a lock; a flush gives way to a transaction of this server. */
		readonly goesOn?: () => boolean;
	}): Result<FlushOutcome<T>> {
		this.expire();
		const goesOn = wish.goesOn ?? (() => this.hold() === undefined);
		const park = (seconds: number): boolean => {
			if (!goesOn()) return false;
			this.park(seconds);
			return goesOn();
		};
		const [oldest] = this.queue.list();
		const flushed = this.flusher.run({ ...wish, park }, this.userIds);
		if (!flushed.success || flushed.value.kind !== "done") return flushed;
		this.rebase(flushed.value.data);
		// An earlier try may have written.
		if (flushed.value.wrote || this.queue.list()[0] !== oldest) this.onSaved.fire();
		return flushed;
	}

	/** The last write of this opening: nothing of it can land later, so nobody needs its entry any more. */
	private removeEntry(): void {
		if (!this.hasEntry || this.undecided) return;
		// One that stays is removed by whoever writes the record a day later.
		const deadline = this.home.platform.clock();
		this.flusher.run({ closes: true, waits: false, deadline, park: () => false }, this.userIds);
	}

	/** Updates that were sent an hour ago, without an answer, are not sent again: whether they are stored is not known. */
	private expire(): void {
		const { store, platform } = this.home;
		const over = this.queue.expire(platform.clock() - UNANSWERED_SECONDS);
		if (over.isEmpty()) return;
		const problem = unansweredFlush(store, this.key, over.size());
		for (const update of over) update.failed = problem;
		platform.warn(problem.message);
		this.replay();
	}

	/** What a record holds of this writer was learned. */
	private seen(record: StoredRecord): void {
		this.hasEntry = record.Meta.Flushed?.[this.name] !== undefined;
		for (const dropped of this.queue.seen(record.Meta)) this.reportDropped(dropped);
	}

	private reportDropped({ update, problem }: Dropped<T>): void {
		const { store, platform } = this.home;
		const cause = droppedUpdate(store, this.key, problem);
		update.failed = cause;
		platform.warn(cause.message);
	}

	private fetchAll(): void {
		this.fetching = true;
		for (let asked = this.nextFetch; asked !== undefined; asked = this.nextFetch) {
			this.nextFetch = undefined;
			asked.resolve(this.fetchOnce());
		}
		this.fetching = false;
	}

	private fetchOnce(): Result<DeepReadonly<T>> {
		for (let look = 0; look < LOOKS; look++) {
			const before = this.bases;
			const found = this.fetcher.read();
			const closed = this.closedError();
			if (closed !== undefined) return err(closed);
			if (!found.success) return found;
			// A write was answered meanwhile, and what was read may be older than that.
			if (before !== this.bases) continue;
			const { record, data } = found.value;
			if (record !== undefined) this.seen(record);
			this.rebase(data);
			break;
		}
		return ok(this.data!);
	}

	/** The queued updates once more, on the present base; those that it refuses change nothing. */
	private replay(): void {
		if (this.base === undefined) return;
		let data = this.base;
		for (const { change } of this.queue.list()) {
			const changed = this.run(change, data);
			if (changed.success) data = changed.value;
		}
		this.show(data);
	}

	/** An update on some base, checked. Does not yield. */
	private run(change: Change<T>, data: DeepReadonly<T>): Result<DeepReadonly<T>> {
		const outer = this.updating;
		this.updating = true;
		const ran = noYield(() => change(data), this.home.platform.task.cancel);
		this.updating = outer;
		if (ran.ok) return ran.value === data ? ok(data) : this.home.admit(ran.value);
		const { store } = this.home;
		const what = ran.yielded ? "its function yielded, which it may not" : `its function threw: ${ran.message}`;
		return err(new BatonError("invalid_data", what, { store, key: this.key }));
	}

	private show(data: DeepReadonly<T>): void {
		const previous = this.data;
		// What was read anew is another table, also where nothing has changed.
		if (sameData(previous, data)) return;
		this.data = data;
		this.onChanged.fire(data, previous);
	}

	private undecidedError(): BatonError {
		return undecidedOutcome(this.home.store, this.key);
	}

	/** Pauses until `seconds` have passed, or {@link unpark}. */
	private park(seconds: number): void {
		const parked = new Waiter<true>(this.home.platform);
		this.parked = [...this.parked, parked];
		parked.wait(seconds);
		this.parked = this.parked.filter((other) => other !== parked);
	}

	private unpark(): void {
		for (const parked of this.parked) parked.resolve(true);
	}
}

/** Whether no quick try can change it. */
function isDefinite(cause: BatonError): boolean {
	return cause.type !== "roblox" ? cause.type !== "busy" : cause.retryable === false;
}

/** The answer of a write for the updates that were queued before it. */
function answerFor<T extends object>(asked: ReadonlyArray<Queued<T>>, answer: Result<undefined>): Result<undefined> {
	const failed = asked.find((update) => update.failed !== undefined)?.failed;
	return answer.success && failed !== undefined ? err(failed) : answer;
}
