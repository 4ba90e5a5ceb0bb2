import { readFresh } from "../backend/readFresh";
import { heldWrite } from "../driver/heldWrite";
import { Hold } from "../driver/hold";
import { OpenProfile } from "../driver/openProfile";
import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { Outcome } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { HeldDecision, HeldRequest } from "../record/heldWrite";
import { holderOf } from "../record/holding";
import { shapeOf } from "../record/shape";
import { StoredPending } from "../record/types";
import { err, Result } from "../result";
import { retried, Retry } from "../util/retry";
import { withId } from "../record/transactionIds";
import { Cleanup } from "./cleanup";
import { prepareLocked, writeAloneLocked } from "./lockedRecord";
import { MarkerStore } from "./markerStore";
import { AloneAnswer, Participant, Tx } from "./participant";

/** How long one read may go unanswered, in seconds. */
const READ_SECONDS = 10;

/** A session-locked profile in a transaction. */
export class LockedParticipant<T extends object> implements Participant {
	public readonly store: string;
	public readonly key: string;
	public readonly platform: Platform;
	public readonly markers: MarkerStore;
	public readonly retry: Retry;
	private hold?: Hold;
	/** Whether a prepare was sent, which may have landed. */
	private isPrepared = false;
	/** Whether a single write was sent and not answered. */
	private isUnanswered = false;

	public constructor(public readonly profile: OpenProfile<T>) {
		const { store, platform, markers, retry } = profile.home;
		this.store = store;
		this.key = profile.key;
		this.platform = platform;
		this.markers = markers;
		this.retry = retry;
	}

	public data(): object {
		return this.profile.data;
	}

	public admit(data: unknown): Result<object> {
		return this.profile.home.admit(data);
	}

	public bytesOf(data: object): number {
		return this.profile.home.bytesOf(data);
	}

	public hasUnsaved(): boolean {
		return this.profile.hasUnsaved();
	}

	public holdError(): BatonError | undefined {
		return this.profile.holdError();
	}

	public takeHold(): Hold | undefined {
		this.hold = this.profile.takeHold();
		return this.hold;
	}

	public letGo(): void {
		this.profile.letGo();
	}

	public awaitWrites(): void {
		this.profile.awaitWrites();
	}

	public pauseWrites(): void {
		this.profile.pauseWrites();
	}

	public prepare(tx: Tx, outcome: object): BatonError | undefined {
		const { home } = this.profile;
		const pending: StoredPending = {
			Id: tx.id,
			Data: outcome,
			Migrations: home.migrationNames,
			JobId: home.jobId,
			Expires: tx.txTtl,
		};
		this.isPrepared = true;
		const answer = this.write(tx, undefined, (value, request) => prepareLocked(value, { ...request, pending }));
		return answer.success ? this.refusal(answer.value) : answer.error;
	}

	public confirm(tx: Tx): BatonError | undefined {
		const { home, key } = this.profile;
		const found = retried(home.platform, tx.retry, () => readFresh(home, key, READ_SECONDS));
		// That its lock is gone is this server's own doing then.
		if (this.isLeft()) return this.leftError();
		if (!found.success) return found.error;
		const shape = shapeOf(found.value?.value);
		if (shape.kind !== "record") return this.profile.lose(shape.kind === "nothing" ? "gone" : "invalid", undefined);
		const { Lock } = shape.record;
		if (Lock === undefined) return this.profile.lose("unlocked", undefined);
		return this.profile.holdsLock(Lock) ? undefined : this.profile.lose("taken", holderOf(Lock));
	}

	public writeAlone(tx: Tx, outcome: object): AloneAnswer {
		if (this.isLeft() && this.hold?.sent !== true) return { kind: "refused", problem: this.leftError() };
		const data = outcome as DeepReadonly<T>;
		const part = { data: outcome as unknown, migrations: this.profile.home.migrationNames };
		const answer = this.write(tx, data, (value, request) =>
			writeAloneLocked(value, { ...request, id: tx.id, part }),
		);
		if (!answer.success) {
			const isRefused = answer.error.retryable === false && !this.isUnanswered;
			this.isUnanswered = !isRefused;
			return { kind: isRefused ? "refused" : "unknown", problem: answer.error };
		}
		if (answer.value.isStamped === true) {
			// It is in the record, and so is somebody else since, or instead.
			this.profile.take(data, withId(this.profile.tradeIds, tx.id));
			this.refusal(answer.value);
			return { kind: "committed" };
		}
		const problem = this.refusal(answer.value);
		// A renewal of the lock has passed it; it can be sent again, with a higher number.
		const isPassed = answer.value.write === undefined && answer.value.keep === "superseded";
		if (problem !== undefined && isPassed) return { kind: "unknown", problem };
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

	public hasEnded(): boolean {
		return this.profile.hasEnded();
	}

	/** The session is over before a write of it was seen to clear the record; whoever has it now may have done so. */
	private look(tx: Tx, cleanup: Cleanup): void {
		const found = readFresh(this.profile.home, this.key, READ_SECONDS);
		if (!found.success) return;
		const shape = shapeOf(found.value?.value);
		const record = shape.kind === "record" ? shape.record : undefined;
		// Under our lock a prepare may land yet.
		const isOurs = record?.Lock !== undefined && this.profile.holdsLock(record.Lock);
		if (!isOurs && record?.Pending?.Id !== tx.id) cleanup.seenClean();
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
