import { asTransform } from "../record/asTransform";
import { Backend } from "../backend/backend";
import { StoreClock } from "../backend/storeClock";
import { updateWithin } from "../backend/updateWithin";
import { BatonError, LockHolder } from "../errors";
import { Platform } from "../platform/platform";
import { Decided } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { LostReason, WriteId } from "../record/holding";
import { release } from "../record/release";
import { Kept, save, SaveDecision } from "../record/save";
import { err, ok, Result } from "../result";
import { Decisions } from "../transaction/decisions";
import { MarkerStore } from "../transaction/markerStore";
import { noYield, valueOf } from "../util/noYield";
import { Retry } from "../util/retry";
import { Signal } from "../util/signal";
import { Waiter } from "../util/waiter";
import { GatedData } from "./dataGate";
import { Hold } from "./hold";
import { OpenTrades } from "./openTrades";
import { Attempt, HeldLock, isRelease, LockWrites } from "./lockWrites";
import { Profile } from "./profile";
import {
	badHandler,
	calledOffRelease,
	cutShort,
	failingWrite,
	goesOnUnsaved,
	lostLock,
	ProfileName,
	refusedData,
	releasedProfile,
	releasedUndecided,
	supersededSave,
	untoldRelease,
} from "./profileErrors";
import { unresolvedTransaction } from "./recordErrors";
import { AttemptOutcome, ProfileWriter, WriteKind, WriterHost } from "./writer";

/** How long one write may go unanswered, in seconds, before it is sent again. */
export const WRITE_SECONDS = 30;

/** What a profile needs of its driver. */
export interface ProfileHome<T extends object> {
	readonly store: string;
	readonly platform: Platform;
	readonly backend: Backend;
	readonly storeClock: StoreClock;
	/** The decisions of the driver's transactions. */
	readonly markers: MarkerStore;
	/** How often a write is tried before whoever waits hears of the failure. */
	readonly retry: Retry;
	readonly migrationNames: ReadonlyArray<string>;
	/** This server, as locks name it. */
	readonly jobId: string;
	/** Value of the lock's presence flag for a write that starts now. */
	readonly presence: () => boolean | undefined;
	/** Checks and freezes data that wants to enter a profile. */
	readonly admit: (data: unknown) => Result<DeepReadonly<T>>;
	/** An upper bound of the JSON size of data that were admitted, in bytes. */
	readonly bytesOf: (data: unknown) => number;
	readonly trades: OpenTrades;
	/** A trade ended while the outcome of this profile was not settled. */
	readonly onBlocked: (key: string) => void;
	readonly metric: (name: string, value: number, tags: Readonly<Record<string, string>>) => void;
	readonly onAttemptEnded: () => void;
	/** Why nobody here can go on with the profile: its player has left, or the driver closes. */
	readonly unwanted: () => BatonError | undefined;
	/** Gives the profile its key on this server back, after a release; or tells why not. */
	readonly reopen: () => BatonError | undefined;
	/** The profile is closed for good; `lost` says why where it was not released. */
	readonly onEnded: (lost: BatonError | undefined) => void;
}

type State = "active" | "leaving" | "released" | "reopening" | "lost";

/** A {@link Profile} with the side that its driver sees. */
export class OpenProfile<T extends object> implements Profile<T>, WriterHost {
	public data: DeepReadonly<T>;
	public active = true;
	/** While the one attempt of an adoption runs: it belongs to whoever asked for that, and to nobody else yet. */
	public adopting = false;
	/** Resolved when that attempt has ended. */
	private adoption?: Waiter<true>;
	public player?: Player;
	public readonly onChanged: Signal<[data: DeepReadonly<T>, previous: DeepReadonly<T>]>;
	public readonly onSaved: Signal<[]>;
	public readonly onReleased: Signal<[]>;
	public readonly onLockLost: Signal<[BatonError]>;
	public readonly onReleaseRequested: Signal<[requester: string]>;
	public writer: ProfileWriter;
	/** What was sent under its lock. */
	public readonly writes: LockWrites<T>;

	private readonly name: ProfileName;
	private state: State = "active";
	private lost?: BatonError;
	/** Ids of the trades that the record has seen committed. */
	public tradeIds: ReadonlyArray<string> = [];
	private held?: Hold;
	/** How many releases wait for what has it to itself. */
	private releasesToCome = 0;
	private blocked = false;
	/** Why it takes no changes while it is not known whether a transaction of it is committed. */
	private undecided?: BatonError;
	/** Its decided transactions that the record may still carry. */
	private readonly decisions = new Decisions();
	/** While it is taken back after a release, and nothing was changed since. */
	private returning = false;
	/** What calls of reacquire that come meanwhile share. */
	private takingBack?: Waiter<Result<undefined>>;
	private updating = false;
	/** While the onReleasing handlers run: they may still update. */
	private handling = false;
	private releasingHandlers: ReadonlyArray<(profile: Profile<T>) => void> = [];

	public constructor(
		public readonly home: ProfileHome<T>,
		public readonly key: string,
		/** User ids for every write; undefined keeps the stored ones. */
		public userIds: ReadonlyArray<number> | undefined,
		lock: HeldLock,
		{ data, isStored }: GatedData<T>,
	) {
		const { task: taskLibrary } = home.platform;
		this.data = data;
		this.name = { store: home.store, key };
		this.writes = new LockWrites(home.platform, home.jobId, lock, isStored ? data : undefined);
		this.onChanged = new Signal(taskLibrary);
		this.onSaved = new Signal(taskLibrary);
		this.onReleased = new Signal(taskLibrary);
		this.onLockLost = new Signal(taskLibrary);
		this.onReleaseRequested = new Signal(taskLibrary);
		this.writer = new ProfileWriter(home.platform, this, home.retry);
	}

	public update(change: (data: DeepReadonly<T>) => DeepReadonly<T> | T): Result<DeepReadonly<T>> {
		if (!typeIs(change, "function"))
			error("Baton: profile.update takes a function from the data to the next data", 2);
		if (this.updating) error("Baton: profile.update was called inside the function given to profile.update", 2);
		if (this.held?.deciding === true) {
			error("Baton: profile.update was called inside the function of a trade or transaction", 2);
		}
		for (let hold = this.pausedBy(); hold !== undefined; hold = this.pausedBy()) hold.wait();
		const closed = this.closedError();
		if (closed !== undefined) return err(closed);
		this.updating = true;
		const before = this.data;
		const ran = noYield(() => change(before), this.home.platform.task.cancel);
		this.updating = false;
		const changed = valueOf(ran, "the function given to profile.update", 3);
		// What the function started may have released it meanwhile.
		const closedMeanwhile = this.closedError();
		if (closedMeanwhile !== undefined) return err(closedMeanwhile);
		if (changed === this.data) return ok(this.data);
		const admitted = this.home.admit(changed);
		if (!admitted.success) return admitted;
		const previous = this.data;
		this.data = admitted.value;
		this.onChanged.fire(this.data, previous);
		return admitted;
	}

	public save(): Result<undefined> {
		if (this.held?.deciding === true) {
			error("Baton: profile.save was called inside the function of a trade or transaction", 2);
		}
		const closed = this.closedError();
		if (closed !== undefined) return err(closed);
		if (!this.isDirty()) return ok(undefined);
		return this.writer.save().wait()!;
	}

	public release(): Result<undefined> {
		// Nobody gets hold of it any more, not even a player who is back, while the release waits for a trade.
		if (this.hold() !== undefined) this.active = false;
		this.releasesToCome += 1;
		this.awaitHold();
		this.releasesToCome -= 1;
		if (this.state === "active") this.active = !this.blocked;
		if (this.state === "released") return this.releasedAnswer();
		if (this.state === "lost") return err(this.lost!);
		// The release would carry the data as of now, without what the handlers still to come write.
		if (this.handling) error("Baton: profile.release was called inside an onReleasing handler", 2);
		this.leave();
		const released = this.writer.release().wait()!;
		return released.success ? this.releasedAnswer() : released;
	}

	public reacquire(): Result<undefined> {
		if (this.takingBack !== undefined) return this.takingBack.wait()!;
		const shared = new Waiter<Result<undefined>>(this.home.platform);
		this.takingBack = shared;
		const taken = this.takeBack();
		this.takingBack = undefined;
		shared.resolve(taken);
		return taken;
	}

	public onReleasing(handler: (profile: Profile<T>) => void): () => void {
		this.releasingHandlers = [...this.releasingHandlers, handler];
		return () => {
			this.releasingHandlers = this.releasingHandlers.filter((other) => other !== handler);
		};
	}

	/** Yields until no write is at the store. */
	public awaitWrites(): void {
		while (this.writer.isRunning()) this.writer.attemptEnded.wait();
	}

	/** While it is held, no other write starts from now on, and no update is made. Yields until none is at the store. */
	public pauseWrites(): void {
		this.held!.pausesWrites = true;
		this.awaitWrites();
	}

	/** The trade or transaction for which writes and updates wait. */
	public pausedBy(): Hold | undefined {
		const hold = this.hold();
		return hold?.pausesWrites === true ? hold : undefined;
	}

	/** The trade or transaction that has the profile to itself. */
	public hold(): Hold | undefined {
		return this.held?.lasts() === true ? this.held : undefined;
	}

	/** Takes the profile for a trade or transaction; undefined where another has it, or it is closed or blocked. */
	public takeHold(): Hold | undefined {
		if (this.hold() !== undefined || this.closedError() !== undefined) return undefined;
		this.held = new Hold(this.home.platform);
		this.home.trades.begin();
		return this.held;
	}

	/** The trade or transaction that took it is through: whoever waited goes on. */
	public letGo(): void {
		this.held!.finish();
		this.home.trades.end();
	}

	/**
	 * The server closes and can wait no longer for the trade or transaction that has the profile: its release, which waits
	 * for that, goes on. It is metadata-only where a write of the trade was sent: what the record holds, pointer and
	 * `Pending` included, is for the next load to finish. Does not yield.
	 *
	 * That release and a write of the trade may both be at the store. The release has the higher number and changes nothing
	 * but the lock, so either order is good: the trade's write lands before it and stays, or after it and is refused.
	 */
	public cutHold(): void {
		const hold = this.hold();
		if (hold === undefined) return;
		if (hold.sent) {
			this.block();
			this.home.platform.warn(cutShort(this.name));
		}
		hold.cut();
	}

	/** A trade's outcome for it is not settled: nothing but the lock is written any more, and a load finishes the trade. */
	public block(): void {
		const hasUnsaved = this.hasUnsaved();
		this.blocked = true;
		this.active = false;
		// Saves that wait for the trade would be answered by a write without data.
		if (hasUnsaved) this.writer.refuseSaves(unresolvedTransaction(this.home.store, this.key));
	}

	/**
	 * Whether a transaction of it is committed is not known yet, `why` says so: it keeps its session, but nothing other than
	 * the lock is written until {@link decide} is called; and a load elsewhere has the transaction decided.
	 */
	public suspend(why: BatonError): void {
		this.undecided = why;
		// Saves that wait for the transaction would be answered by a write without data.
		if (this.hasUnsaved()) this.writer.refuseSaves(why);
	}

	/**
	 * A transaction of it is decided, durably: its writes clear the record of it from now on. `data` are what it gets where
	 * that is committed. `onClean` is called once an answered write has done so, `onGivenUp` where it is closed before that.
	 */
	public decide(
		decided: Decided,
		data: DeepReadonly<T> | undefined,
		onClean: () => void,
		onGivenUp: () => void,
	): void {
		// What it held when it ended stays what it shows: its next load knows better.
		if (this.hasEnded()) return onGivenUp();
		this.undecided = undefined;
		this.decisions.note(decided, onClean, onGivenUp);
		if (data === undefined) return;
		this.take(data, this.tradeIds);
		// Marker and record hold them: what is still to come only clears the record.
		this.writes.noteStored(data);
	}

	/** It is known after all what a write did that was made outside the usual order: it goes on. */
	public resume(): void {
		this.undecided = undefined;
	}

	/** Whether a trade's or transaction's outcome for it is open, so that only its lock may be written. */
	public isBlocked(): boolean {
		return this.blocked || this.undecided !== undefined;
	}

	/** Whether its lock is given up or lost. */
	public hasEnded(): boolean {
		return this.state === "released" || this.state === "lost";
	}

	/** Yields until its lock is given up or lost, and so no write under it can land any more. */
	public awaitEnd(): void {
		while (!this.hasEnded()) this.writer.attemptEnded.wait();
	}

	/** Its place on the record, for a write under its lock. The number is new: nothing sent before can land over it. */
	public nextWrite(): WriteId {
		return this.writes.nextId(this.decisions.list());
	}

	/** A write of {@link nextWrite} was answered as stored; `data` are what the record holds then, where that is known. */
	public noteWritten(id: WriteId, data: DeepReadonly<T> | undefined, presence: boolean | undefined): void {
		this.decisions.seenClean(id.decided ?? []);
		this.writes.noteWritten(data, presence);
	}

	/** The record was found to hold these data of a committed transaction, whoever has it now: they become the profile's. */
	public takeStored(data: DeepReadonly<T>, ids: ReadonlyArray<string>): void {
		this.take(data, ids);
		this.writes.noteStored(data);
	}

	/** The data and ids of a committed trade or transaction become the profile's. */
	public take(data: DeepReadonly<T>, ids: ReadonlyArray<string>): void {
		const previous = this.data;
		this.data = data;
		this.tradeIds = ids;
		this.writes.noteTaken();
		if (data !== previous) this.onChanged.fire(data, previous);
	}

	/** Another server has the record: the profile is closed, as by a save that found it. */
	public lose(why: LostReason, holder: LockHolder | undefined): BatonError {
		const problem = this.lostError(why, holder);
		this.writer.abandon(problem);
		return problem;
	}

	/** Why no trade or transaction can begin; undefined where one can. Throws where it is asked for inside an update's function. */
	public holdError(): BatonError | undefined {
		if (this.updating)
			error("Baton: a trade or transaction was begun inside the function given to profile.update", 4);
		// What a handler begins could not end before the last save; nor is anything begun that a release would wait for.
		return this.goneError() ?? (this.handling ? releasedProfile(this.name) : undefined);
	}

	/** Why nobody gets it in hand any more: it is closed, or a release waits for a trade; undefined while they do. */
	public goneError(): BatonError | undefined {
		return this.closedError() ?? (this.active ? undefined : releasedProfile(this.name));
	}

	/** Whether it goes on as it is for a player who is back: its last save has failed, and no trade of it is unsettled. */
	public isAdoptable(): boolean {
		return this.state === "leaving" && !this.isBlocked() && this.writer.hasFailed();
	}

	/** Whether it waits for its last save. */
	public isLeaving(): boolean {
		return this.state === "leaving";
	}

	public isDirty(): boolean {
		return !this.isBlocked() && (this.hasUnsaved() || !this.decisions.isEmpty());
	}

	/** Whether its data are not known to be stored. */
	public hasUnsaved(): boolean {
		return this.writes.isUnsaved(this.data);
	}

	public attempt(kind: WriteKind): AttemptOutcome {
		const { home, key, writes } = this;
		const { platform } = home;
		const keepsLock = kind === "save" || kind === "touch";
		const presence = keepsLock ? home.presence() : undefined;
		const [decided, isBlocked] = [this.decisions.list(), this.isBlocked()];
		const attempt = writes.next({ kind, data: this.data, presence, decided, isBlocked });
		const part =
			kind === "save" || kind === "release"
				? { data: attempt.data as unknown, migrations: home.migrationNames }
				: undefined;
		const id = { ...writes.idOf(attempt), part };
		const request = { ...id, time: platform.time(), presence };
		const decide = (value: unknown): SaveDecision => (keepsLock ? save(value, request) : release(value, id));
		const started = platform.clock();
		const answer = updateWithin(home, key, WRITE_SECONDS, asTransform(decide, this.userIds));
		if (!answer.success) {
			if (part !== undefined && answer.error.retryable !== false) writes.noteUnanswered();
			return { kind: "failed", error: answer.error };
		}
		const decision = answer.value.report;
		const kept = decision.write === undefined ? decision.keep : undefined;
		if (kept === undefined || kept === (isRelease(attempt) ? "released" : "mine")) {
			const withData = kept === "released" ? writes.foundWithData(attempt) : attempt.kind !== "releaseOnly";
			if (kept !== "released") this.decisions.seenClean(attempt.decided);
			this.written(attempt, withData, platform.clock() - started);
			return { kind: "written" };
		}
		const mayHaveWritten = answer.value.mayHaveWritten === true;
		if (part !== undefined && mayHaveWritten) writes.noteUnanswered();
		return this.refused(attempt, decision as Kept, mayHaveWritten);
	}

	/**
	 * Writes the lock anew where it may say that this server beats although it does not: at once, and tried until it
	 * lands. Does not yield.
	 */
	public withdrawPresence(): void {
		if (this.isFlaggedWrongly()) this.writer.renewNow();
	}

	/** Whether the lock on the record may say that this server beats, while it does not. */
	public isFlaggedWrongly(): boolean {
		return this.writes.maySayPresent() && this.home.presence() !== true;
	}

	public onFailing(kind: WriteKind, cause: BatonError): void {
		this.home.platform.warn(failingWrite(this.name, kind, cause));
		this.home.metric("save.failing", 1, { kind });
	}

	public calledOffError(): BatonError {
		return calledOffRelease(this.name);
	}

	public onAttemptEnded(): void {
		this.home.onAttemptEnded();
	}

	public onRetry(kind: WriteKind, cause: BatonError): void {
		this.home.metric("save.failed", 1, { kind, type: cause.type });
	}

	public onEnded(lost: BatonError | undefined): void {
		this.active = false;
		this.lost = lost;
		this.state = lost === undefined ? "released" : "lost";
		// The driver first: whoever hears of it may load the key again at once.
		this.home.onEnded(lost);
		this.decisions.giveUp();
		if (lost === undefined) this.onReleased.fire();
		else this.onLockLost.fire(lost);
	}

	/**
	 * The player is back before the last save could land: the profile goes on as it is, under a fresh token, so that
	 * neither an old release nor an old request can reach the new session. Makes one attempt to write that; yields until it
	 * ends, `seconds` at most: one that lasts goes on as a save that is under way. False where it does not go on after all:
	 * the record is no longer this server's, or it was released meanwhile. Call it only while the profile is leaving and no
	 * attempt runs.
	 */
	public adopt(seconds: number): boolean {
		const adoption = new Waiter<true>(this.home.platform);
		this.adoption = adoption;
		this.adopting = true;
		this.returning = false;
		this.goOn("active");
		const ended = this.writer.attemptEnded;
		this.writer.resume();
		const isAnswered = ended.wait(seconds) === true;
		this.adopting = false;
		// Whoever asked for it comes first.
		this.home.platform.task.defer(() => adoption.resolve(true));
		// Nor where what began meanwhile has blocked it, or holds up its release: it will not stay with whoever asked.
		if (!this.active) return false;
		if (!isAnswered || this.writer.hasFailed()) {
			this.home.platform.warn(goesOnUnsaved(this.name));
		}
		return true;
	}

	/** A fresh token that takes over from the lock it had. */
	private goOn(state: "active" | "reopening"): void {
		this.writes.goOn();
		this.state = state;
		this.active = state === "active";
	}

	/** Last updates, then none any more. Idempotent. */
	private leave(): void {
		// While it is taken back there is nothing to update yet, so no handler runs.
		if (this.state === "reopening") this.state = "leaving";
		if (this.state !== "active") return;
		this.handling = true;
		for (const handler of this.releasingHandlers) {
			const ran = noYield(() => handler(this), this.home.platform.task.cancel);
			if (ran.ok) continue;
			const what = ran.yielded ? "yielded, which it may not, and was ended there" : `threw: ${ran.message}`;
			this.home.platform.warn(badHandler(this.name, `${what}\n${ran.traceback}`));
		}
		this.handling = false;
		this.state = "leaving";
		this.active = false;
	}

	private written(attempt: Attempt<T>, withData: boolean, seconds: number): void {
		this.returning = false;
		this.writes.noteAnswered(attempt.presence);
		this.home.metric("save.seconds", seconds, { kind: attempt.kind });
		if (attempt.kind === "touch") return;
		if (!withData && attempt.isBlocked) return this.warnUndecided();
		if (!withData) return this.home.platform.warn(refusedData(this.name));
		this.writes.noteStored(attempt.data);
		this.onSaved.fire();
	}

	/** A trade's prepare has stored the data from before it; a transaction's has not. */
	private warnUndecided(): void {
		if (this.undecided !== undefined && this.hasUnsaved()) this.home.platform.warn(releasedUndecided(this.name));
	}

	private refused(attempt: Attempt<T>, kept: Kept, mayHaveWritten: boolean): AttemptOutcome {
		const { store, key } = this.name;
		if (kept.keep === "unresolved") return { kind: "failed", error: unresolvedTransaction(store, key) };
		if (kept.keep === "superseded") return { kind: "failed", error: supersededSave(this.name) };
		const why: LostReason = kept.keep === "lost" ? kept.why : "unlocked";
		const holder = kept.keep === "lost" ? kept.holder : undefined;
		const mayBeReleased = isRelease(attempt) && (mayHaveWritten || this.writes.mayBeReleased());
		if (mayBeReleased && (why === "taken" || why === "unlocked")) {
			return { kind: "lost", error: untoldRelease(this.name, holder) };
		}
		return { kind: "lost", error: this.lostError(why, holder) };
	}

	private lostError(why: LostReason, holder: LockHolder | undefined): BatonError {
		const last = this.returning ? "none" : this.writes.lastChanges(this.data);
		return lostLock(this.name, why, holder, last);
	}

	/** While a transaction was undecided only the lock was given up: what was not stored before is not now. */
	private releasedAnswer(): Result<undefined> {
		return this.undecided !== undefined && this.hasUnsaved() ? err(this.undecided) : ok(undefined);
	}

	private takeBack(): Result<undefined> {
		// A release may wait for the same, and comes first.
		this.awaitHold();
		while (this.adopting || this.state === "leaving" || (this.state === "active" && this.releasesToCome > 0)) {
			if (this.adopting) {
				// It is about to have another player, or none.
				this.adoption!.wait();
				continue;
			}
			// Nobody would release it again.
			const unwanted = this.home.unwanted();
			if (unwanted !== undefined) return err(unwanted);
			// A release that has not landed is called off, as for a player who is back.
			if (this.isAdoptable()) this.adopt(WRITE_SECONDS);
			else this.writer.attemptEnded.wait();
		}
		// Its copy is not what the record will hold: only a load finds out.
		if (this.isBlocked()) return err(this.undecided ?? unresolvedTransaction(this.home.store, this.key));
		if (this.state === "active") return ok(undefined);
		if (this.state !== "released") return err(this.closedError()!);
		const problem = this.home.reopen();
		if (problem !== undefined) return err(problem);
		this.writer = new ProfileWriter(this.home.platform, this, this.home.retry);
		this.returning = true;
		this.goOn("reopening");
		const saved = this.writer.save().wait()!;
		const reached = this.state as State;
		// A rejoin went on with it meanwhile.
		if (reached === "active") return saved;
		if (reached === "reopening" && saved.success) {
			this.state = "active";
			this.active = true;
			// A newer instance of its player may wait for what becomes of it.
			this.home.onAttemptEnded();
			return saved;
		}
		if (reached === "reopening") {
			// It may hold the lock again or not; either way it ends released.
			this.state = "leaving";
			this.writer.release();
		}
		return saved.success ? err(this.closedError()!) : saved;
	}

	/**
	 * Yields until a trade or transaction that has it to itself is through; each ends within its own bound, and earlier only
	 * where the server closes: a release without the data would drop changes for nothing.
	 */
	private awaitHold(): void {
		for (let hold = this.hold(); hold !== undefined; hold = this.hold()) hold.wait();
	}

	/** Why it takes no more changes; undefined while it does. */
	public closedError(): BatonError | undefined {
		if (this.state === "active" && this.blocked) return unresolvedTransaction(this.home.store, this.key);
		if (this.state === "active") return this.undecided;
		return this.lost ?? releasedProfile(this.name);
	}
}
