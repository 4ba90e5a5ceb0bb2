import { readFresh } from "../backend/readFresh";
import { heldWrite } from "../driver/heldWrite";
import { OpenProfile } from "../driver/openProfile";
import { BatonError } from "../errors";
import { Outcome } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { HeldDecision, HeldRequest } from "../record/heldWrite";
import { holderOf } from "../record/holding";
import { shapeOf } from "../record/shape";
import { err, Result } from "../result";
import { retried, TRY_SECONDS } from "../util/retry";
import { withId } from "../record/transactionIds";
import { Cleanup } from "./cleanup";
import { HeldParticipant } from "./heldParticipant";
import { prepareLocked, writeAloneLocked } from "./lockedRecord";
import { AloneAnswer, Participant, Tx } from "./participant";

/** A session-locked profile in a transaction. */
export class LockedParticipant<T extends object> extends HeldParticipant<OpenProfile<T>> implements Participant {
	public data(): object {
		return this.profile.data;
	}

	public hasUnsaved(): boolean {
		return this.profile.hasUnsaved();
	}

	public pauseWrites(): void {
		this.profile.pauseWrites();
	}

	public prepare(tx: Tx, outcome: object): BatonError | undefined {
		const pending = this.pendingOf(tx, outcome);
		this.isPrepared = true;
		const answer = this.write(tx, undefined, (value, request) => prepareLocked(value, { ...request, pending }));
		return answer.success ? this.refusal(answer.value) : answer.error;
	}

	public confirm(tx: Tx): BatonError | undefined {
		const { home, key } = this.profile;
		const found = retried(home.platform, tx.retry, () => readFresh(home, key, TRY_SECONDS));
		// That its lock is gone is this server's own doing then.
		if (this.isLeft()) return this.leftError();
		if (!found.success) return found.error;
		const shape = shapeOf(found.value?.value);
		if (shape.kind !== "record") return this.profile.lose(shape.kind === "nothing" ? "gone" : "invalid", undefined);
		const { Lock } = shape.record;
		if (Lock === undefined) return this.profile.lose("unlocked", undefined);
		return this.profile.writes.holdsLock(Lock) ? undefined : this.profile.lose("taken", holderOf(Lock));
	}

	public writeAlone(tx: Tx, outcome: object): AloneAnswer {
		if (this.isLeft() && this.hold?.sent !== true) return { kind: "refused", problem: this.leftError() };
		const data = outcome as DeepReadonly<T>;
		const part = { data: outcome as unknown, migrations: this.profile.home.migrationNames };
		const answer = this.write(tx, data, (value, request) =>
			writeAloneLocked(value, { ...request, id: tx.id, part }),
		);
		if (!answer.success) return this.notWritten(answer.error, false);
		if (answer.value.isStamped === true) {
			// It is in the record, and so is somebody else since, or instead.
			this.profile.takeStored(data, withId(this.profile.tradeIds, tx.id));
			this.refusal(answer.value);
			return { kind: "committed" };
		}
		const problem = this.refusal(answer.value);
		if (problem !== undefined) return { kind: "refused", problem };
		this.profile.take(data, withId(this.profile.tradeIds, tx.id));
		return { kind: "committed" };
	}

	public giveBack(): void {
		// Its lock is its session's.
	}

	public settle(tx: Tx, result: Outcome, outcome: object, cleanup: Cleanup): void {
		const data = result === "committed" ? (outcome as DeepReadonly<T>) : undefined;
		if (!this.isPrepared) return cleanup.seenClean();
		this.profile.decide(
			{ id: tx.id, outcome: result },
			data,
			() => this.platform.task.spawn(() => cleanup.seenClean()),
			// No session ends before its lock is known to be gone.
			() => this.platform.task.spawn(() => this.look(tx, cleanup)),
		);
	}

	public suspend(why: BatonError): void {
		// A write of the marker may land as long as the server lives.
		this.profile.home.trades.noteUnanswered();
		this.profile.suspend(why);
	}

	public resume(): void {
		// One that leaves meanwhile has begun to give up its lock alone, and ends that way.
		if (!this.profile.isLeaving()) this.profile.resume();
	}

	private write<D extends HeldDecision>(
		tx: Tx,
		stored: DeepReadonly<T> | undefined,
		decide: (value: unknown, request: HeldRequest) => D,
	): Result<D> {
		// Its release may have landed, and if not, it is not to be overtaken by a higher number.
		if (this.isLeft()) return err(this.leftError());
		if (this.hold !== undefined) this.hold.sent = true;
		const tries = <A>(call: () => Result<A>) => retried(this.platform, tx.retry, call, () => !this.isLeft());
		return heldWrite(this.profile, tries, stored, decide);
	}

	/** It is being released: the server closes and could not wait, or its single write is asked for again in the background. */
	private isLeft(): boolean {
		return this.hold?.isCut === true || this.profile.isLeaving();
	}

	private leftError(): BatonError {
		const { store, key } = this;
		const message = `Baton: "${key}" in store "${store}" was released before its transaction was through`;
		return new BatonError("profile_closed", message, { store, key });
	}

	private refusal(decision: HeldDecision): BatonError | undefined {
		if (decision.write !== undefined || decision.keep === "mine") return undefined;
		if (decision.keep === "lost") {
			return this.isLeft() ? this.leftError() : this.profile.lose(decision.why, decision.holder);
		}
		const { store, key } = this;
		const message = `Baton: the record of "${key}" in store "${store}" takes no part in the transaction (${decision.keep})`;
		return new BatonError("unresolved_transaction", message, { store, key });
	}
}
