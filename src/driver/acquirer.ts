import { Backend } from "../backend/backend";
import { learnStoreTime } from "../backend/learnStoreTime";
import { StoreClock } from "../backend/storeClock";
import { updateWithin } from "../backend/updateWithin";
import { BatonError } from "../errors";
import { Handoff } from "../handoff/handoff";
import { HolderWatch } from "../handoff/holderWatch";
import { Platform } from "../platform/platform";
import { acquire, AcquireDecision, TakenLock } from "../record/acquire";
import { asTransform } from "../record/asTransform";
import { Decided } from "../record/decided";
import { clearLock, giveBack, GiveBackDecision } from "../record/giveBack";
import { formatOf, ImportLegacy } from "../record/importLegacy";
import { Claim, StoppedProof } from "../record/ownership";
import { StoredPending, StoredRecord } from "../record/types";
import { Err, err, ok, Result } from "../result";
import { LOCK_TTL_SECONDS } from "../transaction/txLock";
import { Recovery } from "../trade/recovery";
import { MarkerStore } from "../transaction/markerStore";
import { BackOff } from "../util/backOff";
import { ONE_TRY, Retry } from "../util/retry";
import { Sighting } from "../util/sighting";
import { Waiter } from "../util/waiter";
import { claimNow } from "./claimNow";
import { HeldLock } from "./lockWrites";
import { WRITE_SECONDS } from "./openProfile";
import {
	foreignFormat,
	givenBack,
	invalidRecord,
	lockedByLegacy,
	lockedElsewhere,
	unresolvedTransaction,
} from "./recordErrors";

/** Seconds between the attempts of a load: doubling from the first to the last (seed "Lock handoff", Cross-server requests). */
const FIRST_SPACING = 0.5;
const LAST_SPACING = 2;
/** What an attempt gets at least, in seconds, before it counts as unanswered, be the load's deadline near or past. */
export const LAST_ATTEMPT_SECONDS = 5;

/** What a driver tells its acquirer. */
export interface AcquirerHome {
	readonly store: string;
	readonly platform: Platform;
	readonly backend: Backend;
	readonly storeClock: StoreClock;
	/** The decisions of transactions. */
	readonly markers: MarkerStore;
	readonly retry: Retry;
	readonly jobId: string;
	readonly ttlSeconds: number;
	readonly skewSeconds: number;
	readonly defaults: unknown;
	readonly migrationNames: ReadonlyArray<string>;
	readonly importLegacy?: ImportLegacy<unknown>;
	/** Whether any foreign lock may be taken at once, since no two servers ever share this data (Studio's own). */
	readonly takesAnyLock: boolean;
	/** This server's handoff, where it is on. */
	readonly handoff: () => Handoff | undefined;
	/** What is wrong with imported data, as a sentence. Pure. */
	readonly checkImported: (data: unknown) => string | undefined;
	readonly metric: (name: string, value: number, tags: Readonly<Record<string, string>>) => void;
}

/** One wish for a lock. */
export interface AcquireWish {
	readonly key: string;
	readonly userIds?: ReadonlyArray<number>;
	/** Whether to wait for another server's lock. */
	readonly waitsForLock: boolean;
	/** On the platform's clock: no attempt starts after it, but one for a proof that began before. */
	readonly deadline: number;
	/** Asks another server for its lock and watches over its life, where handoff is on and the load waits. */
	readonly watch?: HolderWatch;
	/** Token of a trade's pointer that is cleared where its journal is lost, by an operator's word. */
	readonly abandons?: string;
	/** Yields for up to `seconds` between two attempts. */
	readonly park: (seconds: number) => void;
	/** Why the lock is no longer wanted; undefined while it is. Asked after every yield. */
	readonly unwanted: () => BatonError | undefined;
}

/** A lock that was taken, and what it was taken on. */
export interface Acquisition {
	readonly lock: HeldLock;
	readonly record: StoredRecord;
}

/** How one attempt went on: taken, over with an error, or to be tried again. */
type Step =
	| { readonly taken: Acquisition }
	| { readonly failed: BatonError }
	/** Worth another attempt; with `atOnce` without a pause, for something was learned. */
	| { readonly again: BatonError; readonly atOnce?: boolean };

type Held = Extract<AcquireDecision, { readonly keep: "held" }>;
type HeldByLegacy = Extract<AcquireDecision, { readonly keep: "legacy" }>;

/** Takes session locks, waits for them, and gives back what is not wanted. */
export class Acquirer {
	private returns = new Array<Return>();
	/** How many locks are being cleared for the first time. */
	private clearing = 0;
	private closing = false;

	private readonly recovery: Recovery;

	public constructor(private readonly home: AcquirerHome) {
		this.recovery = new Recovery(home);
	}

	/**
	 * Takes the lock of a record; yields. An attempt that was not answered recognizes itself in the next one. When it fails
	 * after an attempt without answer, the lock is given back in the background.
	 */
	public acquire(wish: AcquireWish): Result<Acquisition> {
		const outcome = this.acquireAsWished(wish);
		wish.watch?.stop();
		return outcome;
	}

	private acquireAsWished(wish: AcquireWish): Result<Acquisition> {
		const { clock } = this.home.platform;
		const { watch, deadline } = wish;
		const attempts = new Attempts(this.home.platform.http.GenerateGUID(false), new Sighting(this.home.platform));
		let spacing = FIRST_SPACING;
		for (;;) {
			const step = this.attempt(wish, attempts);
			if ("taken" in step) {
				const unwanted = wish.unwanted();
				if (unwanted === undefined) return ok(step.taken);
				this.giveBack(wish.key, attempts.token);
				return err(unwanted);
			}
			if ("failed" in step) return this.giveUp(wish, attempts, wish.unwanted() ?? step.failed);
			if (!step.atOnce) {
				const left = deadline - clock();
				// A proof that began in time is finished, and one attempt made with it; none in between.
				const proofIn = watch?.dueIn(deadline);
				if (left <= 0 && proofIn === undefined)
					return this.giveUp(wish, attempts, wish.unwanted() ?? step.again);
				this.home.metric("load.retried", 1, { type: step.again.type });
				const pause = math.min(spacing, left, proofIn ?? left, watch?.expiryIn() ?? left);
				wish.park(left > 0 || proofIn === undefined ? pause : proofIn);
				spacing = math.min(spacing * 2, LAST_SPACING);
			}
			// Taking it only to give it back would cost two writes.
			const unwanted = wish.unwanted();
			if (unwanted !== undefined) return this.giveUp(wish, attempts, unwanted);
			attempts.proof = watch?.prove();
		}
	}

	private giveUp(wish: AcquireWish, attempts: Attempts, problem: BatonError): Err {
		if (attempts.unanswered) this.giveBack(wish.key, attempts.token, true);
		return err(problem);
	}

	/**
	 * Gives a lock back without touching the data: in the background, until it is answered. `uncertain` where it is not
	 * known to have been taken: then it must not be taken later either. Does not yield.
	 */
	public giveBack(key: string, token: string, uncertain = false): void {
		const { defaults, migrationNames, importLegacy, checkImported } = this.home;
		const rules = { defaults, migrations: migrationNames, importLegacy, checkImported };
		const fresh = uncertain ? rules : undefined;
		const request = { token, fresh };
		this.tryUntilDone(key, token, (value) => giveBack(value, request));
	}

	private tryUntilDone(key: string, token: string, decide: (value: unknown) => GiveBackDecision): void {
		const { platform, store } = this.home;
		const job: Return = { token, backOff: new BackOff(platform), done: new Waiter(platform) };
		if (this.closing) job.backOff.close();
		this.returns.push(job);
		platform.task.spawn(() => {
			let reported = false;
			for (;;) {
				const answer = updateWithin(this.home, key, WRITE_SECONDS, asTransform(decide));
				if (answer.success) break;
				// Without access, or with the server torn down, nothing of it can be on the record, or be mended.
				if (answer.error.kind === "noAccess" || answer.error.kind === "closing") break;
				if (job.backOff.failed(answer.error.retryable !== false) && !reported) {
					reported = true;
					platform.warn(
						`Baton: the lock of "${key}" in store "${store}", taken for a load that failed, cannot be given back; ` +
							`it is tried until it lands. ${answer.error.message}`,
					);
				}
				job.backOff.pause();
			}
			this.returns = this.returns.filter((other) => other !== job);
			job.done.resolve(true);
		});
	}

	/**
	 * Clears a lock of this server that nothing here owns. Yields until the first try is answered or has failed. Returns
	 * whether it was there, or may have been.
	 */
	public clearOrphan(key: string, token: string): boolean {
		const decide = (value: unknown): GiveBackDecision => clearLock(value, token, this.home.jobId);
		this.clearing += 1;
		const answer = updateWithin(this.home, key, LAST_ATTEMPT_SECONDS, asTransform(decide));
		this.clearing -= 1;
		if (!answer.success) {
			if (answer.error.retryable !== false) this.tryUntilDone(key, token, decide);
			return true;
		}
		return answer.value.report.write !== undefined;
	}

	/** Whether a lock is still on its way back. */
	public isGivingBack(): boolean {
		return !this.returns.isEmpty() || this.clearing > 0;
	}

	/** The server closes: tries of giving back come faster from now on. Does not yield. */
	public close(): void {
		this.closing = true;
		for (const { backOff } of this.returns) backOff.close();
	}

	/** Yields until every lock is given back, or `deadline` on the platform's clock has passed. */
	public waitUntilGivenBack(deadline: number): void {
		for (const { done } of this.returns) done.wait(deadline - this.home.platform.clock());
	}

	private attempt(wish: AcquireWish, attempts: Attempts): Step {
		const { home } = this;
		const { platform } = home;
		const handoff = home.handoff();
		const request = {
			claim: {
				...claimNow(home, attempts.token),
				asksPresence: handoff !== undefined,
				silentToken: attempts.silentToken,
				stoppedProof: attempts.proof,
				expiredTxTurn: attempts.expiredTx,
			},
			time: platform.time(),
			presence: handoff?.flag(),
			defaults: home.defaults,
			migrations: home.migrationNames,
			takeOrphan: attempts.orphan,
			abandons: attempts.abandons,
			decided: attempts.decided,
			importLegacy: home.importLegacy,
			checkImported: (data: unknown) => home.checkImported(data),
		};
		attempts.claim = request.claim;
		const decide = (value: unknown, updatedTime: number | undefined): AcquireDecision =>
			acquire(value, updatedTime, request);
		const left = math.clamp(wish.deadline - platform.clock(), LAST_ATTEMPT_SECONDS, WRITE_SECONDS);
		const answer = updateWithin(home, wish.key, left, asTransform(decide, wish.userIds));
		if (!answer.success) {
			// What the store refuses for good has not landed, and will not.
			if (answer.error.retryable !== false) attempts.unanswered = true;
			return answer.error.retryable === false ? { failed: answer.error } : { again: answer.error };
		}
		return this.step(wish, attempts, answer.value.report);
	}

	private step(wish: AcquireWish, attempts: Attempts, decision: AcquireDecision): Step {
		const { key } = wish;
		const { store } = this.home;
		if (decision.write !== undefined) {
			const { took, tookLegacy } = decision;
			if (took !== undefined) this.reportTaking(key, took);
			if (tookLegacy !== undefined) this.reportTakingLegacy(key, tookLegacy);
			return this.taken(decision.write);
		}
		switch (decision.keep) {
			case "mine":
				return this.taken(decision.record);
			case "released":
				// A give-back of this token has come first; nothing can be taken under it any more.
				return { failed: givenBack(store, key) };
			case "orphan":
				if (attempts.orphan === decision.lock.Token)
					return { again: lockedElsewhere(store, key, decision.lock) };
				attempts.orphan = decision.lock.Token;
				return { again: lockedElsewhere(store, key, decision.lock), atOnce: true };
			case "held":
				return this.held(wish, attempts, decision);
			case "legacy":
				return this.heldByLegacy(wish, attempts, decision);
			case "unresolved":
				if (decision.pending !== undefined) return this.resolvePending(wish, attempts, decision.pending);
				return this.resolve(wish, attempts, decision.pointer);
			case "outdated":
			case "mismatch":
				if (decision.orphan !== undefined) this.giveBack(key, decision.orphan.Token);
				return { failed: foreignFormat(store, key, decision.keep, decision.stored, this.home.migrationNames) };
			case "invalid":
				return { failed: invalidRecord(store, key, decision.reason) };
		}
	}

	/**
	 * A transaction is on the record, and whoever could take the lock has it decided: aborted, unless it is decided. The
	 * next attempt names the outcome, and writes it only where that very transaction is still there.
	 */
	private resolvePending(wish: AcquireWish, attempts: Attempts, { Id }: StoredPending): Step {
		const unresolved = unresolvedTransaction(this.home.store, wish.key);
		const outcome = this.home.markers.decide(Id, "aborted", ONE_TRY);
		if (outcome.success) {
			attempts.decided = [...attempts.decided, { id: Id, outcome: outcome.value }];
			return { again: unresolved, atOnce: true };
		}
		const { error: cause } = outcome;
		if (cause.type === "tx_marker_invalid" && wish.abandons === Id) {
			attempts.decided = [...attempts.decided, { id: Id, outcome: "aborted" }];
			this.warnAbandoned(wish.key, "transaction", cause);
			return { again: unresolved, atOnce: true };
		}
		if (cause.retryable === true) return { again: cause };
		if (attempts.orphan !== undefined) this.giveBack(wish.key, attempts.orphan);
		return { failed: cause };
	}

	private warnAbandoned(key: string, what: string, cause: BatonError): void {
		this.home.platform.warn(
			`Baton: the unfinished ${what} of "${key}" in store "${this.home.store}" is given up, as the load was told to: ` +
				`its data stay as they are. ${cause.message}`,
		);
	}

	/** A trade is on the record: its journal decides, before anyone sees the data. */
	private resolve(wish: AcquireWish, attempts: Attempts, pointer: unknown): Step {
		const { key } = wish;
		const unresolved = unresolvedTransaction(this.home.store, key);
		const resolved = this.recovery.resolve(key, pointer, attempts.claim);
		if (resolved.success) {
			if (resolved.value !== undefined) this.reportTaking(key, resolved.value);
			return { again: unresolved, atOnce: true };
		}
		const { error: cause } = resolved;
		const token = typeIs(pointer, "table") ? (pointer as { Token?: unknown }).Token : undefined;
		if (cause.type === "recovery_failed" && wish.abandons !== undefined && wish.abandons === token) {
			if (attempts.abandons === undefined) {
				attempts.abandons = wish.abandons;
				this.warnAbandoned(key, "trade", cause);
				return { again: unresolved, atOnce: true };
			}
		}
		if (attempts.orphan !== undefined) this.giveBack(key, attempts.orphan);
		return { failed: cause };
	}

	private held(wish: AcquireWish, attempts: Attempts, decision: Held): Step {
		const { lock, needsStoreTime, needsPresence } = decision;
		const locked = lockedElsewhere(this.home.store, wish.key, lock);
		if (needsStoreTime && this.learnTime(wish, attempts)) return { again: locked, atOnce: true };
		if (needsPresence && this.home.handoff()?.isAlive(lock.JobId) !== true) {
			attempts.silentToken = lock.Token;
			return { again: locked, atOnce: true };
		}
		if (lock.Tx === true && attempts.txSighting.secondsOf(lock.Turn) >= (lock.Expires ?? LOCK_TTL_SECONDS)) {
			const isNew = attempts.expiredTx !== lock.Turn;
			attempts.expiredTx = lock.Turn;
			if (isNew) return { again: locked, atOnce: true };
		}
		if (!wish.waitsForLock) return { failed: locked };
		return { again: locked, atOnce: wish.watch?.meet(lock) };
	}

	/** No server of Baton's has it: nobody to ask, and nobody's beats to read. */
	private heldByLegacy(wish: AcquireWish, attempts: Attempts, { holder, needsStoreTime }: HeldByLegacy): Step {
		const { store, importLegacy } = this.home;
		const locked = lockedByLegacy(store, wish.key, formatOf(importLegacy)!.library, holder);
		if (needsStoreTime && this.learnTime(wish, attempts)) return { again: locked, atOnce: true };
		return wish.waitsForLock ? { again: locked } : { failed: locked };
	}

	/** Asks the store for its time, once a load. Whether the next attempt knows it already. */
	private learnTime(wish: AcquireWish, attempts: Attempts): boolean {
		if (attempts.askedTime) return false;
		if (wish.watch === undefined) {
			attempts.askedTime = learnStoreTime(this.home);
			return attempts.askedTime;
		}
		// Most locks are young, and their holders are to be asked without delay.
		attempts.askedTime = true;
		this.home.platform.task.spawn(() => {
			attempts.askedTime = learnStoreTime(this.home);
		});
		return false;
	}

	private taken(record: StoredRecord): Step {
		const { Token, Turn, Seq, Presence } = record.Lock!;
		this.home.metric("lock.acquired", 1, {});
		return { taken: { record, lock: { token: Token, turn: Turn, seq: Seq, presence: Presence } } };
	}

	private reportTakingLegacy(key: string, holder: string): void {
		const { store, platform, importLegacy, metric } = this.home;
		const { library } = formatOf(importLegacy)!;
		metric("lock.taken", 1, { verdict: "stale" });
		platform.warn(
			`Baton: moved "${key}" in store "${store}" over from ${library}, whose session ${holder} has not written it for ` +
				`too long; what that session had not saved is lost`,
		);
	}

	private reportTaking(key: string, { lock, verdict }: TakenLock): void {
		this.home.metric("lock.taken", 1, { verdict });
		// A transaction's lock that has expired protects nothing that is not stored.
		if (verdict === "orphan" || lock.Tx === true) return;
		const { store, ttlSeconds, skewSeconds, platform } = this.home;
		const why =
			verdict === "stopped"
				? "which stopped beating presence"
				: `which has not written it for over ${ttlSeconds + skewSeconds} s`;
		platform.warn(`Baton: took the lock of "${key}" in store "${store}" from server ${lock.JobId}, ${why}`);
	}
}

/** What the attempts of one load share. */
class Attempts {
	/** Whether an attempt under this token was sent and not answered. */
	public unanswered = false;
	/** The orphan that the last attempt met. */
	public orphan?: string;
	/** The lock that the next attempt may take, since its holder stopped. */
	public proof?: StoppedProof;
	/** Token of the stale lock whose holder was asked for in vain. */
	public silentToken?: string;
	/** Whether the store's time was asked for, and answered. */
	public askedTime = false;

	/** What the last attempt knew of time and life: recovery goes by the same. */
	public claim?: Claim;
	/** Token of the pointer that may be cleared without its journal. */
	public abandons?: string;
	/** Transactions that the record carried, and how their markers say they ended. */
	public decided: ReadonlyArray<Decided> = [];

	/** Turn of a transaction's lock that this load has seen for as long as it lasts. */
	public expiredTx?: number;

	public constructor(
		public readonly token: string,
		public readonly txSighting: Sighting,
	) {}
}

/** A lock on its way back. */
interface Return {
	readonly token: string;
	readonly backOff: BackOff;
	readonly done: Waiter<true>;
}
