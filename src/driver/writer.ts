import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, ok, Result } from "../result";
import { BackOff } from "../util/backOff";
import { Waiter } from "../util/waiter";

/** One write of a profile: everything, the lock's time only, everything and give up the lock, give up the lock only. */
export type WriteKind = "save" | "touch" | "release" | "releaseOnly";

/** How one attempt ended. */
export type AttemptOutcome =
	/** Answered: it is stored. */
	| { readonly kind: "written" }
	/** Answered: the lock is no longer ours, nothing was written. */
	| { readonly kind: "lost"; readonly error: BatonError }
	/** Not known to be stored. */
	| { readonly kind: "failed"; readonly error: BatonError };

/** The profile behind a {@link ProfileWriter}. */
export interface WriterHost {
	/** Makes one attempt; yields. The writer makes sure that attempts never overlap. */
	attempt(kind: WriteKind): AttemptOutcome;
	/** Whether the profile has data that is not known to be stored. */
	isDirty(): boolean;
	/** A write keeps failing: told once in a row of failures, when the quick tries are over. */
	onFailing(kind: WriteKind, error: BatonError): void;
	/** What a release answers that was called off, since the player is back. */
	calledOffError(): BatonError;
	/** An attempt has ended, however. */
	onAttemptEnded(): void;
	/** An attempt failed, of whatever number. */
	onRetry(kind: WriteKind, error: BatonError): void;
	/** The release landed, or `lost` tells that there is nothing more to release. The writer does no more. */
	onEnded(lost: BatonError | undefined): void;
}

type Reply = Waiter<Result<undefined>>;

/** How often the store may refuse a profile's data before its lock is given up without them. */
const REJECTIONS_BEFORE_RELEASE_ONLY = 2;

/**
 * The one thread that writes a profile: saves never overlap and never reorder, what is asked for meanwhile becomes one
 * more save, and a write that failed is tried until it lands or the server ends.
 */
export class ProfileWriter {
	/** Woken and replaced whenever an attempt has ended. */
	public attemptEnded: Waiter<true>;
	private readonly backOff: BackOff;
	private saveReplies = new Array<Reply>();
	private releaseReplies = new Array<Reply>();
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
	) {
		this.backOff = new BackOff(platform);
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

	/** Stores the data as of now; the waiter gets the answer, an error once the quick tries are over. Does not yield. */
	public save(): Reply {
		const reply: Reply = new Waiter(this.platform);
		this.saveReplies.push(reply);
		// Somebody waits for this one: it gets the whole ladder, also while an earlier save has fallen to the slow rate.
		this.urge();
		return reply;
	}

	/** Saves unsaved data, or renews the lock's time, with nobody waiting for it. Does not yield. */
	public keepUp(): void {
		this.touchWanted = true;
		this.start();
	}

	/** Stores the data and gives up the lock; from now on nothing else is written. Does not yield. */
	public release(): Reply {
		const reply: Reply = new Waiter(this.platform);
		this.releaseReplies.push(reply);
		this.leaving = true;
		this.urge();
		return reply;
	}

	/** The release is called off: the data are saved instead, at once. Does not yield. */
	public resume(): void {
		this.leaving = false;
		this.rejections = 0;
		const calledOff = this.releaseReplies;
		this.releaseReplies = [];
		this.retrying = true;
		this.skipsPause = true;
		this.urge();
		for (const reply of calledOff) reply.resolve(err(this.host.calledOffError()));
	}

	/** Cuts a back-off pause short. */
	public hurry(): void {
		this.backOff.hurry();
	}

	/** The server closes: pauses are short from now on. */
	public close(): void {
		this.backOff.close();
	}

	/** Somebody new waits: the quick tries begin anew, with the attempt under way, if any, as the first. */
	private urge(): void {
		this.backOff.reset();
		this.backOff.hurry();
		this.start();
	}

	private start(): void {
		if (this.running || this.ended) return;
		this.running = true;
		this.platform.task.spawn(() => {
			while (!this.ended && this.hasWork()) this.step();
			this.running = false;
		});
	}

	private hasWork(): boolean {
		return this.leaving || this.touchWanted || this.retrying || !this.saveReplies.isEmpty();
	}

	private step(): void {
		const kind = this.nextKind();
		const saves = this.saveReplies;
		this.saveReplies = [];
		this.touchWanted = false;
		const outcome = this.attempt(kind);
		if (outcome.kind === "lost") return this.finish(outcome.error, [...saves, ...this.releaseReplies]);
		if (outcome.kind === "written") {
			this.backOff.reset();
			this.reported = false;
			this.retrying = false;
			this.rejections = 0;
			if (kind === "release" || kind === "releaseOnly")
				return this.finish(undefined, [...saves, ...this.releaseReplies]);
			for (const reply of saves) reply.resolve(ok(undefined));
			return;
		}
		this.retrying = true;
		const retryable = outcome.error.retryable !== false;
		if (!retryable) this.rejections += 1;
		this.host.onRetry(kind, outcome.error);
		if (this.backOff.failed(retryable)) {
			if (!this.reported) {
				this.reported = true;
				this.host.onFailing(kind, outcome.error);
			}
			const releases = this.releaseReplies;
			this.releaseReplies = [];
			for (const reply of [...saves, ...releases]) reply.resolve(err(outcome.error));
		} else {
			this.saveReplies = [...saves, ...this.saveReplies];
		}
		this.skipsPause = false;
		this.signalAttempt();
		// Whoever heard of the failure may want another try at once.
		if (!this.skipsPause) this.backOff.pause();
	}

	private nextKind(): WriteKind {
		if (!this.leaving) return this.host.isDirty() ? "save" : "touch";
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
		if (!this.lastFailed) this.signalAttempt();
		return outcome;
	}

	private signalAttempt(): void {
		const waking = this.attemptEnded;
		this.attemptEnded = new Waiter(this.platform);
		waking.resolve(true);
		this.host.onAttemptEnded();
	}

	private finish(lost: BatonError | undefined, replies: ReadonlyArray<Reply>): void {
		this.ended = true;
		const late = [...this.saveReplies, ...this.releaseReplies];
		this.host.onEnded(lost);
		for (const reply of [...replies, ...late]) reply.resolve(lost === undefined ? ok(undefined) : err(lost));
	}
}
