import { learnStoreTime } from "../backend/learnStoreTime";
import { updateWithin } from "../backend/updateWithin";
import { WRITE_SECONDS } from "../driver/openProfile";
import { claimNow } from "../driver/claimNow";
import { foreignFormat, invalidRecord } from "../driver/recordErrors";
import { BatonError } from "../errors";
import { TakenLock } from "../record/acquire";
import { asTransform } from "../record/asTransform";
import { Decided, Outcome } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { Claim } from "../record/ownership";
import { StoredLock, StoredRecord } from "../record/types";
import { err, ok, Result } from "../result";
import { Recovery } from "../trade/recovery";
import { Decisions } from "../transaction/decisions";
import { ForeignPending, MetPending } from "../transaction/foreignPending";
import { LOCK_TTL_SECONDS } from "../transaction/txLock";
import { Sighting } from "../util/sighting";
import { flush, FlushDecision, FlushRequest, NotFlushed } from "./flush";
import { keptBusy, locklessLocked, lockGivenBack, unknownStoreTime } from "./locklessErrors";
import { LocklessHome } from "./locklessHome";
import { Queued, UpdateQueue } from "./updateQueue";

/** Pauses in seconds while another transaction holds the lock: doubling from the first to the last. */
const FIRST_LOCK_PAUSE = 0.25;
const LAST_LOCK_PAUSE = 1;
/** The same while another server's transaction is undecided. */
const FIRST_PENDING_PAUSE = 0.5;
const LAST_PENDING_PAUSE = 2;

/** Tries of one wish, whatever each of them learns: more than two minutes of pauses hold. */
const MOST_TRIES = 300;

type Locked = Extract<NotFlushed, { readonly keep: "locked" }>;
type Unresolved = Extract<NotFlushed, { readonly keep: "unresolved" }>;

/** One wish to write. */
export interface FlushWish {
	/** The transaction lock to take. */
	readonly lock?: { readonly token: string; readonly expires?: number };
	/** Removes the writer's entry instead of writing updates. */
	readonly closes?: boolean;
	/** Whether to wait for another transaction's lock. */
	readonly waits: boolean;
	/** On the platform's clock: no pause for others goes past it. */
	readonly deadline: number;
	/** Pauses for up to `seconds`; false where the wish is to be dropped. Yields. */
	readonly park: (seconds: number) => boolean;
}

/** How a wish ended, other than by an error. */
export type FlushOutcome<T extends object> =
	/** Answered; `record` is what is stored now, absent where nothing is. */
	| {
			readonly kind: "done";
			readonly wrote: boolean;
			readonly record?: StoredRecord;
			readonly data: DeepReadonly<T>;
	  }
	/** Another transaction's lock, and the wish does not wait. */
	| { readonly kind: "busy"; readonly lock: StoredLock }
	/** `park` said so. */
	| { readonly kind: "dropped" };

/** What was learned between the tries of one wish. */
interface Learned {
	claim?: Claim;
	/** The orphan that the next try may take. */
	orphan?: string;
	/** Token of the stale lock whose holder was asked for in vain. */
	silentToken?: string;
	/** Pauses of the next wait, by what it waits for. */
	lockPause: number;
	pendingPause: number;
}

/** How to go on: with another try, at once or after a pause, or not. */
type Step<T extends object> =
	{ readonly pause: number } | { readonly outcome: FlushOutcome<T> } | { readonly failed: BatonError };

const AT_ONCE = { pause: 0 };

/** Makes the writes of one lockless profile, one at a time, and clears out of their way what it may. */
export class Flusher<T extends object> {
	private readonly lockSighting: Sighting;
	private readonly foreign: ForeignPending;
	private readonly recovery: Recovery;
	/** Turn of a transaction's lock that was seen for as long as it lasts. */
	private expiredTurn?: number;

	public constructor(
		private readonly home: LocklessHome<T>,
		private readonly key: string,
		private readonly writer: string,
		private readonly queue: UpdateQueue<T>,
		private readonly decisions: Decisions,
		/** The next data by a queued update, checked. Does not yield. */
		private readonly apply: (update: Queued<T>, data: DeepReadonly<T>) => Result<DeepReadonly<T>>,
		/** What a record holds was learned. Does not yield. */
		private readonly onSeen: (record: StoredRecord) => void,
	) {
		const { platform, markers, storeClock } = home;
		this.lockSighting = new Sighting(platform);
		this.foreign = new ForeignPending({ platform, markers, storeNow: () => storeClock.now() });
		this.recovery = new Recovery(home);
	}

	/**
	 * The outcome of a transaction that was met on the record, which every write names from then on; undefined while it may
	 * still end otherwise. A closing server waits for nobody. Yields. Errors: `roblox`, `tx_marker_invalid`.
	 */
	public judge(met: MetPending): Result<Outcome | undefined> {
		const found = this.foreign.outcomeOf(met, this.home.isClosing(), this.home.retry);
		if (found.success && found.value !== undefined) this.decisions.find(met.pending.Id, found.value);
		return found;
	}

	/**
	 * Writes as wished: waits for other transactions' locks and undecided outcomes, and clears what has expired. Yields.
	 * Errors: `roblox` where a write was not answered, `busy`, `lockless_locked`, `tx_lock_lost`, and those of the record.
	 */
	public run(wish: FlushWish, userIds: ReadonlyArray<number> | undefined): Result<FlushOutcome<T>> {
		const { platform, store } = this.home;
		const learned: Learned = { lockPause: FIRST_LOCK_PAUSE, pendingPause: FIRST_PENDING_PAUSE };
		for (let tries = 1; ; tries++) {
			const step = this.attempt(wish, userIds, learned);
			if ("failed" in step) return err(step.failed);
			if ("outcome" in step) return ok(step.outcome);
			const left = wish.deadline - platform.clock();
			if (left <= 0 || tries >= MOST_TRIES) return err(keptBusy(store, this.key));
			if (step.pause > 0 && !wish.park(math.min(step.pause, left))) return ok({ kind: "dropped" });
		}
	}

	private attempt(wish: FlushWish, userIds: ReadonlyArray<number> | undefined, learned: Learned): Step<T> {
		const { home, key } = this;
		const { platform, backend, storeClock, store } = home;
		// An entry's number tells its age by the store's time, so that has to be known before one is made.
		const isTimeless = backend.hasStoreTime && storeClock.now() === undefined;
		if (isTimeless && !this.queue.list().isEmpty() && !learnStoreTime(home)) {
			return { failed: unknownStoreTime(store, key) };
		}
		const claim = this.claim(wish, learned);
		learned.claim = claim;
		const named = this.decisions.list();
		const sent = this.queue.send((claim.storeNow ?? claim.wallNow) * 1000, platform.clock());
		const request: FlushRequest = {
			claim,
			time: platform.time(),
			writer: this.writer,
			stamp: sent.stamp,
			updates: sent.carried.map((update) => ({
				number: update.number!,
				apply: (data) => this.apply(update, data as DeepReadonly<T>),
			})),
			decided: named,
			defaults: home.defaults,
			migrations: home.migrationNames,
			gate: (record) => {
				const gated = home.fromRecord(record);
				return gated.success ? ok(gated.value.data) : gated;
			},
			importLegacy: home.importLegacy,
			checkImported: home.checkImported,
			takeOrphan: learned.orphan,
			lock: wish.lock,
			closes: wish.closes,
		};
		const decide = (value: unknown, updatedTime: number | undefined): FlushDecision => {
			const decision = flush(value, updatedTime, request);
			if (decision.write !== undefined) sent.written = decision;
			return decision;
		};
		const started = platform.clock();
		const answer = updateWithin(home, key, WRITE_SECONDS, asTransform(decide, userIds));
		if (!answer.success) return { failed: answer.error };
		const { report } = answer.value;
		if (report.write !== undefined) home.metric("flush.seconds", platform.clock() - started, {});
		const record = report.write ?? report.record;
		// First: what is stored is queued no more, and what was sent says how it went.
		if (record !== undefined) this.onSeen(record);
		this.queue.answered(sent);
		return this.step(wish, learned, report, named);
	}

	private claim(wish: FlushWish, learned: Learned): Claim {
		const { home } = this;
		return {
			...claimNow(home, wish.lock?.token ?? ""),
			asksPresence: home.isAlive() !== undefined,
			silentToken: learned.silentToken,
			expiredTxTurn: this.expiredTurn,
		};
	}

	private step(wish: FlushWish, learned: Learned, decision: FlushDecision, named: ReadonlyArray<Decided>): Step<T> {
		const { home, key } = this;
		const { store } = home;
		if (decision.write !== undefined) {
			if (decision.took !== undefined) this.reportTaking(decision.took);
			return this.done(true, named, decision.write, decision.data);
		}
		switch (decision.keep) {
			case "clean":
			case "mine":
				return this.done(false, named, decision.record, decision.data);
			case "released":
				return { failed: lockGivenBack(store, key) };
			case "renumber":
				this.queue.renumber(decision.floor);
				return AT_ONCE;
			case "orphan":
				learned.orphan = decision.lock.Token;
				return AT_ONCE;
			case "locked":
				return this.locked(learned, decision);
			case "busy":
				return this.busy(wish, learned, decision.lock);
			case "unresolved":
				return this.unresolved(learned, decision);
			case "outdated":
			case "mismatch":
				return { failed: foreignFormat(store, key, decision.keep, decision.stored, home.migrationNames) };
			case "invalid":
				return { failed: invalidRecord(store, key, decision.reason) };
			case "refused":
				return { failed: decision.problem };
		}
	}

	private done(
		wrote: boolean,
		named: ReadonlyArray<Decided>,
		record: StoredRecord | undefined,
		data: unknown,
	): Step<T> {
		this.queue.settle();
		this.decisions.seenClean(named);
		return { outcome: { kind: "done", wrote, record, data: data as DeepReadonly<T> } };
	}

	private locked(learned: Learned, { lock, needsPresence }: Locked): Step<T> {
		const { home, key } = this;
		const isAlive = home.isAlive();
		if (needsPresence && isAlive !== undefined && isAlive(lock.JobId) !== true) {
			learned.silentToken = lock.Token;
			return AT_ONCE;
		}
		return { failed: locklessLocked(home.store, key, lock) };
	}

	private busy(wish: FlushWish, learned: Learned, lock: StoredLock): Step<T> {
		if (this.lockSighting.secondsOf(lock.Turn) >= (lock.Expires ?? LOCK_TTL_SECONDS)) {
			const isNew = this.expiredTurn !== lock.Turn;
			this.expiredTurn = lock.Turn;
			if (isNew) return AT_ONCE;
		}
		if (!wish.waits) return { outcome: { kind: "busy", lock } };
		const pause = learned.lockPause;
		learned.lockPause = math.min(pause * 2, LAST_LOCK_PAUSE);
		return { pause };
	}

	private unresolved(learned: Learned, { pending, pointer, updatedTime }: Unresolved): Step<T> {
		if (pending === undefined) {
			const resolved = this.recovery.resolve(this.key, pointer, learned.claim);
			if (!resolved.success) return { failed: resolved.error };
			if (resolved.value !== undefined) this.reportTaking(resolved.value);
			return AT_ONCE;
		}
		const judged = this.judge({ pending, updatedTime });
		if (!judged.success) return { failed: judged.error };
		if (judged.value !== undefined) return AT_ONCE;
		const pause = learned.pendingPause;
		learned.pendingPause = math.min(pause * 2, LAST_PENDING_PAUSE);
		return { pause };
	}

	private reportTaking({ lock, verdict }: TakenLock): void {
		const { store, platform, metric } = this.home;
		metric("lock.taken", 1, { verdict });
		if (verdict === "orphan" || lock.Tx === true) return;
		platform.warn(
			`Baton: cleared the session lock of "${this.key}" in store "${store}", which server ${lock.JobId} has not written ` +
				`for too long; what that server had not saved is lost`,
		);
	}
}
