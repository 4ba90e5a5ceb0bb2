import { updateWithin } from "../backend/updateWithin";
import { LockOptions, OpenLockless } from "../lockless/openLockless";
import { BatonError } from "../errors";
import { asTransform } from "../record/asTransform";
import { Outcome } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { holderOf } from "../record/holding";
import { StoredRecord } from "../record/types";
import { ok, Result } from "../result";
import { retried, TRY_SECONDS } from "../util/retry";
import { Cleanup } from "./cleanup";
import { HeldParticipant } from "./heldParticipant";
import { confirmLockless, endLockless, LocklessDecision, prepareLockless, writeAloneLockless } from "./locklessRecord";
import { AloneAnswer, Participant, Tx } from "./participant";
import { txTokens } from "./txLock";

/** How long a transaction waits for others' locks. */
export type WaitBound = Pick<LockOptions, "deadline" | "goesOn">;

/** A lockless profile in a transaction, under a short lock of its own. */
export class LocklessParticipant<T extends object> extends HeldParticipant<OpenLockless<T>> implements Participant {
	public readonly scope?: string;
	/** When its lock was answered as taken, on the platform's clock. */
	public heldSince = 0;
	/** Token of the lock that this transaction takes; a fresh one for every attempt to take it. */
	private token = "";
	/** Whether a write that ends its lock was answered. */
	private isUnlocked = true;

	public constructor(profile: OpenLockless<T>) {
		super(profile);
		this.scope = profile.home.scope;
	}

	/**
	 * Flushes the queue, takes the lock and reads the data, in one write. Yields. `waits`: for another transaction's lock,
	 * instead of answering `busy`, as long as `bound` allows.
	 */
	public lock(tx: Tx, waits: boolean, bound: WaitBound): Result<"taken" | "busy"> {
		this.token = this.platform.http.GenerateGUID(false);
		this.isUnlocked = false;
		const locked = this.profile.lock(this.token, {
			expires: tx.lockTtl,
			retry: tx.retry,
			waits,
			...bound,
		});
		this.heldSince = this.platform.clock();
		if (locked.success && locked.value === "busy") this.unlocked();
		return locked;
	}

	public data(): object {
		return this.profile.snapshot;
	}

	public hasUnsaved(): boolean {
		// Taking the lock has flushed it.
		return false;
	}

	public pauseWrites(): void {
		// From when it was held.
	}

	public prepare(tx: Tx, outcome: object): BatonError | undefined {
		const pending = this.pendingOf(tx, outcome);
		const { token } = this;
		const turn = this.profile.lockTurn;
		this.isPrepared = true;
		return this.write(tx, (value) => prepareLockless(value, { token, turn, pending }));
	}

	public confirm(tx: Tx): BatonError | undefined {
		const lock = { token: this.token, turn: this.profile.lockTurn };
		return this.write(tx, (value) => confirmLockless(value, lock));
	}

	public writeAlone(tx: Tx, outcome: object): AloneAnswer {
		const part = { data: outcome as unknown, migrations: this.profile.home.migrationNames };
		const request = { token: this.token, turn: this.profile.lockTurn, id: tx.id, part };
		const problem = this.write(tx, (value) => writeAloneLockless(value, request));
		if (problem === undefined) {
			this.profile.rebase(outcome as DeepReadonly<T>);
			return { kind: "committed" };
		}
		return this.notWritten(problem, problem.type === "tx_lock_lost");
	}

	public giveBack(tx: Tx): void {
		if (!this.isUnlocked) this.end(tx);
	}

	public settle(tx: Tx, result: Outcome, outcome: object, cleanup: Cleanup): void {
		const decided = { id: tx.id, outcome: result };
		if (!this.isPrepared) {
			this.giveBack(tx);
			return cleanup.seenClean();
		}
		this.profile.undecided = false;
		// An aborted one is ended at once: others wait for its lock, and its prepare may land yet.
		if (result === "aborted" && this.end(tx)) return cleanup.seenClean();
		this.profile.noteDecided(
			decided,
			() => this.platform.task.spawn(() => cleanup.seenClean()),
			() => this.platform.task.spawn(() => this.look(tx, cleanup, this.token)),
		);
		if (result === "committed") this.profile.rebase(outcome as DeepReadonly<T>);
	}

	public suspend(): void {
		this.profile.undecided = true;
	}

	public resume(): void {
		this.profile.undecided = false;
		this.unlocked();
	}

	/** Takes everything of an aborted transaction off the record; whether that was answered. Yields. */
	private end(tx: Tx): boolean {
		// Before a prepare of it nothing else of it can be there; and a lock that was given back to be taken anew is no end:
		// landing late, that would drop what the transaction has prepared since.
		const aborted = this.isPrepared ? { id: tx.id, outcome: "aborted" as const } : undefined;
		const request = { token: this.token, aborted };
		const ended = this.update(tx, (value) => endLockless(value, request));
		// Where it was not answered, the lock is an orphan from now on, which the next write of this server clears.
		this.unlocked();
		return ended.success;
	}

	private write(tx: Tx, decide: (value: unknown) => LocklessDecision): BatonError | undefined {
		const answer = this.update(tx, decide);
		if (!answer.success) return answer.error;
		const decision = answer.value;
		this.unlocked();
		if (decision.write !== undefined || decision.keep === "mine") return undefined;
		const { store, key } = this;
		const { holder } = decision;
		const message =
			`Baton: the transaction's lock on "${key}" in store "${store}" had expired and is not its own any more; nothing was ` +
			`written there. Keep the function of a transaction fast, or give it a longer lockTtl.`;
		return new BatonError("tx_lock_lost", message, {
			store,
			key,
			holder: holder !== undefined ? holderOf(holder) : undefined,
		});
	}

	private update<D extends { readonly write?: StoredRecord }>(tx: Tx, decide: (value: unknown) => D): Result<D> {
		const { home, key, userIds } = this.profile;
		const answer = retried(this.platform, tx.retry, () =>
			updateWithin(home, key, TRY_SECONDS, asTransform(decide, userIds)),
		);
		return answer.success ? ok(answer.value.report) : answer;
	}

	private unlocked(): void {
		this.isUnlocked = true;
		txTokens(this.platform).delete(this.token);
	}
}
