import { readFresh } from "../backend/readFresh";
import { UpdateTarget } from "../backend/updateWithin";
import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { shapeOf } from "../record/shape";
import { StoredPending } from "../record/types";
import { Result } from "../result";
import { Hold } from "../driver/hold";
import { Holdable } from "../twoPhase/whileHeld";
import { Retry, TRY_SECONDS } from "../util/retry";
import { Cleanup } from "./cleanup";
import { MarkerStore } from "./markerStore";
import { AloneAnswer, Tx } from "./participant";

/** What both kinds of open profiles have for a transaction. */
export interface TransactionSide extends Holdable {
	readonly key: string;
	readonly home: UpdateTarget & {
		readonly platform: Platform;
		readonly markers: MarkerStore;
		readonly retry: Retry;
		readonly jobId: string;
		readonly migrationNames: ReadonlyArray<string>;
		readonly admit: (data: unknown) => Result<object>;
		readonly bytesOf: (data: unknown) => number;
	};
	awaitWrites(): void;
	hasEnded(): boolean;
}

/** What the two kinds of participants have in common. */
export abstract class HeldParticipant<P extends TransactionSide> {
	public readonly store: string;
	public readonly key: string;
	public readonly platform: Platform;
	public readonly markers: MarkerStore;
	public readonly retry: Retry;
	protected hold?: Hold;
	/** Whether a prepare was sent, which may have landed. */
	protected isPrepared = false;
	/** Whether a single write was sent and not answered. */
	private isUnanswered = false;

	public constructor(public readonly profile: P) {
		const { store, platform, markers, retry } = profile.home;
		this.store = store;
		this.key = profile.key;
		this.platform = platform;
		this.markers = markers;
		this.retry = retry;
	}

	public admit(data: unknown): Result<object> {
		return this.profile.home.admit(data);
	}

	public bytesOf(data: object): number {
		return this.profile.home.bytesOf(data);
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

	public hasEnded(): boolean {
		return this.profile.hasEnded();
	}

	protected pendingOf(tx: Tx, outcome: object): StoredPending {
		const { migrationNames, jobId } = this.profile.home;
		return { Id: tx.id, Data: outcome, Migrations: migrationNames, JobId: jobId, Expires: tx.txTtl };
	}

	/** How a single write went that is not known to have landed; `isOver` where it cannot any more, by what was answered. */
	protected notWritten(problem: BatonError, isOver: boolean): AloneAnswer {
		const isRefused = isOver || (problem.retryable === false && !this.isUnanswered);
		this.isUnanswered = !isRefused;
		return { kind: isRefused ? "refused" : "unknown", problem };
	}

	/**
	 * The profile is closed before a write of it was seen to clear the record; somebody else may have done so. `token` is
	 * that of a lock that may be left, under which a prepare may land yet. Yields.
	 */
	protected look(tx: Tx, cleanup: Cleanup, token?: string): void {
		const found = readFresh(this.profile.home, this.key, TRY_SECONDS);
		if (!found.success) return;
		const shape = shapeOf(found.value?.value);
		const record = shape.kind === "record" ? shape.record : undefined;
		const isLocked = token !== undefined && record?.Lock?.Token === token;
		if (!isLocked && record?.Pending?.Id !== tx.id) cleanup.seenClean();
	}
}
