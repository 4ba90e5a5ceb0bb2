import { learnStoreTime } from "../backend/learnStoreTime";
import { updateWithin } from "../backend/updateWithin";
import { BatonError } from "../errors";
import { asTransform } from "../record/asTransform";
import { TakenLock } from "../record/acquire";
import { Claim } from "../record/ownership";
import { shapeOf } from "../record/shape";
import { StoredPointer } from "../record/types";
import { err, ok, Result } from "../result";
import { untilAnswered } from "../util/untilAnswered";
import {
	decideJournal,
	entryOf,
	isAllSettled,
	isJournal,
	isSettled,
	Journal,
	JournalDecision,
	settleJournal,
} from "./journal";
import { changeJournal, JournalHome, readRecord, removeJournal } from "./journalStore";
import { fencePeer, recoverParticipant } from "./participant";

/** How long one step is tried, in seconds. */
const STEP_SECONDS = 10;
/** How often a peer is looked at whose holder writes it meanwhile. */
const LOOKS = 5;
/** Seed "Lock handoff", Configuration: LockTtlSeconds. */
const DEFAULT_TTL_SECONDS = 180;

/** The four ways in which a recovery fails by itself (seed "Transaction recovery", How recovery runs). */
export type RecoveryReason =
	| "malformed pending transaction"
	| "transaction journal is missing or invalid"
	| "transaction participant is missing or invalid"
	| "transaction participant is still owned";

/**
 * Finishes trades whose server died or whose saves failed. The journal decides: a committed trade is applied, an aborted
 * one dropped, and an undecided one is aborted in the same record in which its coordinator would commit it.
 */
export class Recovery {
	public constructor(private readonly home: JournalHome) {}

	/** Ownership by the lock's age alone, for whoever brings no rule of their own. Yields where it asks for the time. */
	private byAge(): Claim {
		if (this.home.backend.hasStoreTime && this.home.storeClock.now() === undefined) learnStoreTime(this.home);
		const { platform, backend, storeClock, ttlSeconds = DEFAULT_TTL_SECONDS } = this.home;
		return {
			// Nobody's: it owns no lock.
			jobId: "",
			token: "",
			storeNow: storeClock.now(),
			hasStoreTime: backend.hasStoreTime,
			wallNow: platform.time(),
			ttlSeconds,
			skewSeconds: 0,
		};
	}

	/** Whether a stored value is a well-formed journal for `token`. Does not yield. */
	public static valid(value: unknown, token: string): value is Journal {
		return isJournal(value, token);
	}

	/**
	 * Decides the journal that `pending` points at, settles participant `key` and acknowledges it. `claim` is the load's own
	 * ownership rule; without it, a lock younger than the TTL counts as owned. Returns the lock that it took from its holder,
	 * if there was one. Yields. Errors: `recovery_failed`, with one of {@link RecoveryReason} in its message; `roblox`.
	 */
	public resolve(key: string, pending: unknown, claim?: Claim): Result<TakenLock | undefined> {
		if (!isPointer(pending)) return err(this.failure(key, "malformed pending transaction"));
		const pointer = pending;
		const decided = this.journal(pointer.Key, (value) => decideJournal(value, pointer.Token, "Aborted"));
		if (!decided.success) return decided;
		const journal = journalIn(decided.value);
		if (journal === undefined)
			return this.failedUnlessMoved(key, pointer, "transaction journal is missing or invalid");
		const entry = entryOf(journal, key);
		if (entry === undefined) return err(this.failure(key, "transaction participant is missing or invalid"));
		const applies = journal.State === "Committed" && !isSettled(journal, key);
		const request = { claim: claim ?? this.byAge(), pointer, entry: applies ? entry : undefined };
		const settled = untilAnswered(this.home.platform, STEP_SECONDS, () =>
			updateWithin(
				this.home,
				key,
				STEP_SECONDS,
				asTransform((value, updatedTime) => recoverParticipant(value, updatedTime, request)),
			),
		);
		if (!settled.success) return settled;
		const { report } = settled.value;
		if (report.write === undefined && report.keep === "owned") {
			return err(this.failure(key, "transaction participant is still owned"));
		}
		this.acknowledge(pointer.Key, pointer.Token, key);
		return ok(report.write !== undefined ? report.took : undefined);
	}

	/**
	 * Notes that `participant` is done, and every peer that no longer points at the journal; removes the journal once all
	 * are. A failure leaves a journal behind, nothing else. Yields.
	 */
	public acknowledge(journalKey: string, token: string, participant: string): void {
		this.acknowledgeAll(journalKey, token, [participant]);
	}

	/** The same for any number of participants that are known to be done. Yields. */
	public acknowledgeAll(journalKey: string, token: string, participants: ReadonlyArray<string>): void {
		const pointer = { Key: journalKey, Token: token };
		const noted = this.journal(journalKey, (value) => settleJournal(value, token, participants));
		let journal = noted.success ? journalIn(noted.value) : undefined;
		if (journal === undefined) return;
		const done = new Array<string>();
		for (const [peer] of pairs(journal.Entries)) {
			if (!isSettled(journal, peer) && this.isDone(peer, pointer)) done.push(peer);
		}
		if (!done.isEmpty()) {
			const settled = this.journal(journalKey, (value) =>
				settleJournal(value, token, [...participants, ...done]),
			);
			journal = settled.success ? journalIn(settled.value) : undefined;
		}
		if (journal !== undefined && isAllSettled(journal)) this.cleanup(journalKey);
	}

	/** An update of any record of the store, tried a few times. Yields. */
	public update(key: string, decide: (value: unknown) => JournalDecision): Result<JournalDecision> {
		return this.journal(key, decide);
	}

	/** Deletes a journal where the backend can. Yields. */
	public cleanup(journalKey: string): void {
		removeJournal(this.home, journalKey);
	}

	/**
	 * A peer that does not point at the journal is done, once a late prepare of it can no longer land. Tried like every
	 * other step: no later load comes upon a journal that a lost answer would leave here.
	 */
	private isDone(peer: string, pointer: StoredPointer): boolean {
		const { platform } = this.home;
		for (let look = 0; look < LOOKS; look++) {
			const seen = untilAnswered(platform, STEP_SECONDS, () => readRecord(this.home, peer));
			if (!seen.success) return false;
			const before = seen.value?.value;
			const fenced = untilAnswered(platform, STEP_SECONDS, () =>
				updateWithin(
					this.home,
					peer,
					STEP_SECONDS,
					asTransform((value) => fencePeer(value, pointer, before)),
				),
			);
			if (!fenced.success) return false;
			const { report } = fenced.value;
			if (report.write !== undefined || report.keep === "fenced") return true;
			if (report.keep === "points") return false;
		}
		return false;
	}

	private journal(key: string, decide: (value: unknown) => JournalDecision): Result<JournalDecision> {
		return changeJournal(this.home, key, STEP_SECONDS, decide);
	}

	/** A journal that is gone may have been finished meanwhile: only the same pointer, still there, is a failure. */
	private failedUnlessMoved(key: string, pointer: StoredPointer, reason: RecoveryReason): Result<undefined> {
		const found = readRecord(this.home, key);
		if (!found.success) return found;
		const shape = shapeOf(found.value?.value);
		const stored = shape.kind === "record" ? (shape.record.Meta.PendingTransaction as unknown) : undefined;
		const isSame = isPointer(stored) && stored.Key === pointer.Key && stored.Token === pointer.Token;
		return isSame ? err(this.failure(key, reason)) : ok(undefined);
	}

	private failure(key: string, reason: RecoveryReason): BatonError {
		const { store } = this.home;
		const message = `transaction recovery failed: ${reason} ("${key}" in store "${store}", left as it is)`;
		return new BatonError("recovery_failed", message, { store, key });
	}
}

/** Whether a stored value is a pair of strings that may name a journal. Pure. */
export function isPointer(value: unknown): value is StoredPointer {
	if (!typeIs(value, "table")) return false;
	const { Key, Token } = value as unknown as StoredPointer;
	return typeIs(Key, "string") && typeIs(Token, "string");
}

function journalIn(decision: JournalDecision): Journal | undefined {
	if (decision.write !== undefined) return decision.write;
	return decision.keep === "as it is" ? decision.journal : undefined;
}
