import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, ok, Result } from "../result";
import { BackOff } from "../util/backOff";
import { Retry } from "../util/retry";
import { Waiter } from "../util/waiter";
import { Hold } from "./hold";

/** One write of a profile: everything, the lock's time only, everything and give up the lock, give up the lock only. */
export type WriteKind = "save" | "touch" | "release" | "releaseOnly";

/** How one attempt ended. */
export type AttemptOutcome =
	/** Answered: it is stored. */
	| { readonly kind: "written" }
	/** Answered: the lock is no longer ours, nothing was written. */
	| { readonly kind: "lost"; readonly error: BatonError }
	/** Not known to be stored; `isDefinite` where no quick try can change that. */
	| { readonly kind: "failed"; readonly error: BatonError; readonly isDefinite?: boolean }
	/** Ended without an outcome, since a trade or transaction has the profile to itself now: it is made again after that. */
	| { readonly kind: "interrupted" };

type Failed = Extract<AttemptOutcome, { readonly kind: "failed" }>;

/** The profile behind a {@link ProfileWriter}. */
export interface WriterHost {
	/** Makes one attempt; yields. The writer makes sure that attempts never overlap. */
	attempt(kind: WriteKind): AttemptOutcome;
	/** Whether the profile has data that is not known to be stored. */
	isDirty(): boolean;
	/** Whether the stored lock may say something about this server that is no longer so. */
	isFlaggedWrongly(): boolean;
	/** A write keeps failing: told once in a row of failures, when the quick tries are over. */
	onFailing(kind: WriteKind, error: BatonError): void;
	/** What a release answers that was called off, since the player is back. */
	calledOffError(): BatonError;
	/** Whether only the lock may be written. */
	isBlocked(): boolean;
	/** A trade or transaction that has the profile to itself so that no attempt starts meanwhile. */
	pausedBy(): Hold | undefined;
	/** An attempt has ended, however. */
	onAttemptEnded(): void;
	/** An attempt failed, of whatever number. */
	onRetry(kind: WriteKind, error: BatonError): void;
	/** The release landed, or `lost` tells that there is nothing more to release. The writer does no more. */
	onEnded(lost: BatonError | undefined): void;
}

type Reply = Waiter<Result<undefined>>;

/** Somebody who waits for a save or for the release. */
interface Asked {
	readonly reply: Reply;
	readonly isRelease: boolean;
	/** Failed tries so far that would have answered it. */
	tries: number;
}

/** How often the store may refuse a release's data before the lock is given up without them. */
const REJECTIONS_BEFORE_RELEASE_ONLY = 2;

/**
 * The one thread that writes a profile: saves never overlap and never reorder, what is asked for meanwhile becomes one
 * more save, and a write that failed is tried until it lands or the server ends.
 */
export class ProfileWriter {
	/** Woken and replaced whenever an attempt has ended. */
	public attemptEnded: Waiter<true>;
	private readonly backOff: BackOff;
	private asked = new Array<Asked>();
	private touchWanted = false;
	private retrying = false;
	private leaving = false;
	private running = false;
	private inFlight = false;
	private ended = false;
	private reported = false;
	private skipsPause = false;
	private rejections = 0;
	private lastFailed = false;

	public constructor(
		private readonly platform: Platform,
		private readonly host: WriterHost,
		retry?: Retry,
	) {
		this.backOff = new BackOff(platform, retry);
		this.attemptEnded = new Waiter(platform);
	}

	/** Whether a request is at the store right now; a back-off pause is none. */
	public isRunning(): boolean {
		return this.inFlight;
	}

	/** Whether the last attempt failed. */
	public hasFailed(): boolean {
		return this.lastFailed && !this.inFlight;
	}

	/** Whether a write is under way, at the store or between two tries. */
	public isWorking(): boolean {
		return this.running;
	}

	/** Stores the data as of now; the waiter gets the answer, an error once the quick tries are over. Does not yield. */
	public save(): Reply {
		return this.ask(false);
	}

	/**
	 * Saves unsaved data, or renews the lock's time, with nobody waiting for it; a write that is under way and leaves
	 * nothing unsaved will do. Does not yield.
	 */
	public keepUp(): void {
		this.touchWanted = true;
		this.start();
	}

	/** The same, and not later: it cuts a pause short and gets all the quick tries. Does not yield. */
	public renewNow(): void {
		this.touchWanted = true;
		this.hurry();
		this.start();
	}

	/** Stores the data and gives up the lock; from now on nothing else is written. Does not yield. */
	public release(): Reply {
		this.leaving = true;
		return this.ask(true);
	}

	/** The release is called off: the data are saved instead, at once. Does not yield. */
	public resume(): void {
		this.leaving = false;
		this.rejections = 0;
		const calledOff = this.asked.filter((each) => each.isRelease);
		this.asked = this.asked.filter((each) => !each.isRelease);
		this.retrying = true;
		this.hurry();
		this.start();
		for (const { reply } of calledOff) reply.resolve(err(this.host.calledOffError()));
	}

	/** The data can no longer be saved: whoever waits for that is told so. Does not yield. */
	public refuseSaves(cause: BatonError): void {
		const refused = this.asked.filter((each) => !each.isRelease);
		this.asked = this.asked.filter((each) => each.isRelease);
		for (const { reply } of refused) reply.resolve(err(cause));
	}

	/** Another write has found the lock lost: nothing more is written. Does not yield. */
	public abandon(lost: BatonError): void {
		if (!this.ended) this.finish(lost, []);
		this.backOff.hurry();
	}

	/** Cuts a back-off pause short, also one that is about to begin, and starts the ladder anew: somebody waits. */
	public hurry(): void {
		this.skipsPause = true;
		// An attempt under way is the first of the new ladder.
		this.backOff.reset();
		this.backOff.hurry();
	}

	/** The server closes: pauses are short from now on. */
	public close(): void {
		this.backOff.close();
	}

	/** Whoever waits gets the whole ladder, also while earlier tries have fallen to the slow rate. */
	private ask(isRelease: boolean): Reply {
		const reply: Reply = new Waiter(this.platform);
		this.asked.push({ reply, isRelease, tries: 0 });
		this.hurry();
		this.start();
		return reply;
	}

	private start(): void {
		if (this.running || this.ended) return;
		this.running = true;
		this.platform.task.spawn(() => {
			while (!this.ended && this.hasWork()) {
				const hold = this.host.pausedBy();
				if (hold !== undefined) hold.wait();
				else this.step();
			}
			this.running = false;
		});
	}

	private hasWork(): boolean {
		return this.leaving || this.touchWanted || this.retrying || !this.asked.isEmpty();
	}

	private step(): void {
		const kind = this.nextKind();
		const waiting = this.asked;
		this.asked = [];
		this.touchWanted = false;
		const outcome = this.attempt(kind);
		if (outcome.kind === "lost") {
			this.finish(outcome.error, waiting);
			// Only now: whoever waits for the attempt looks at what became of the profile.
			return this.signalAttempt();
		}
		if (outcome.kind === "interrupted") {
			this.retrying = true;
			this.asked = [...waiting, ...this.asked];
			return this.signalAttempt();
		}
		if (outcome.kind === "failed") return this.failed(kind, outcome, waiting);
		this.backOff.reset();
		this.reported = false;
		this.retrying = false;
		if (kind === "release" || kind === "releaseOnly") {
			this.finish(undefined, waiting);
			return this.signalAttempt();
		}
		this.signalAttempt();
		let stored = waiting;
		if (!this.leaving && !this.host.isDirty()) {
			// This write was what others have asked for meanwhile.
			stored = [...waiting, ...this.asked];
			this.asked = [];
			this.touchWanted = this.host.isFlaggedWrongly();
		}
		for (const { reply } of stored) reply.resolve(ok(undefined));
	}

	/** Answers those whose quick tries are over, and pauses. */
	private failed(kind: WriteKind, { error: cause, isDefinite }: Failed, waiting: ReadonlyArray<Asked>): void {
		this.retrying = true;
		const isOver = this.backOff.failed(cause.retryable !== false && isDefinite !== true);
		const answered = new Array<Asked>();
		const patient = new Array<Asked>();
		for (const each of waiting) {
			each.tries += 1;
			// Counted for each, so that somebody who asks again and again does not put the others' answers off.
			if (isOver || each.tries >= this.backOff.tries) answered.push(each);
			else patient.push(each);
		}
		this.skipsPause = false;
		this.asked = [...patient, ...this.asked];
		if (kind === "release" && cause.kind === "rejected") this.rejections += 1;
		this.host.onRetry(kind, cause);
		if ((isOver || !answered.isEmpty()) && !this.reported) {
			this.reported = true;
			this.host.onFailing(kind, cause);
		}
		this.signalAttempt();
		// After the signal, so that whoever acts on the answer waits for the next attempt, not for this one.
		for (const { reply } of answered) reply.resolve(err(cause));
		if (this.nextKind() === "releaseOnly" && kind === "release") return;
		// Whoever heard of the failure may want another try at once.
		if (!this.skipsPause) this.backOff.pause();
	}

	private nextKind(): WriteKind {
		if (!this.leaving) return this.host.isDirty() ? "save" : "touch";
		// The record points at a journal, which knows better than the copy in memory.
		if (this.host.isBlocked()) return "releaseOnly";
		// Data that the store refuses for good must not keep the lock for good (the loss is reported by the profile).
		return this.rejections >= REJECTIONS_BEFORE_RELEASE_ONLY ? "releaseOnly" : "release";
	}

	private attempt(kind: WriteKind): AttemptOutcome {
		this.inFlight = true;
		// A custom backend may throw although it must not: this thread has to live on, or nothing is ever saved again.
		const [fine, result] = pcall(() => this.host.attempt(kind));
		const outcome: AttemptOutcome = fine
			? result
			: {
					kind: "failed",
					error: new BatonError("roblox", `Baton: a save threw: ${result}`, { retryable: true }),
				};
		this.inFlight = false;
		this.lastFailed = outcome.kind === "failed";
		return outcome;
	}

	private signalAttempt(): void {
		const waking = this.attemptEnded;
		this.attemptEnded = new Waiter(this.platform);
		waking.resolve(true);
		this.host.onAttemptEnded();
	}

	private finish(lost: BatonError | undefined, waiting: ReadonlyArray<Asked>): void {
		this.ended = true;
		const all = [...waiting, ...this.asked];
		this.asked = [];
		this.host.onEnded(lost);
		for (const { reply } of all) reply.resolve(lost === undefined ? ok(undefined) : err(lost));
	}
}
