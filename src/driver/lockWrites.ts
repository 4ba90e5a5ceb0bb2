import { Platform } from "../platform/platform";
import { Decided } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { WriteId } from "../record/holding";
import { StoredLock } from "../record/types";
import { LastChanges } from "./profileErrors";
import { WriteKind } from "./writer";

/** The lock that an acquire took. */
export interface HeldLock {
	readonly token: string;
	readonly turn: number;
	readonly seq: number;
	/** Whether the lock on the record says that this server beats. */
	readonly presence?: boolean;
}

/** One try of a profile's write. */
export interface Attempt<T extends object> {
	readonly kind: WriteKind;
	readonly seq: number;
	readonly data: DeepReadonly<T>;
	/** The lock's presence flag. */
	readonly presence: boolean | undefined;
	/** The transactions whose outcome it writes down. */
	readonly decided: ReadonlyArray<Decided>;
	/** Whether only the lock might be written then. */
	readonly isBlocked: boolean;
}

/** Whether a try gives up the lock. */
export function isRelease({ kind }: Pick<Attempt<object>, "kind">): boolean {
	return kind === "release" || kind === "releaseOnly";
}

/** What a session's lock is, what was sent under it, and what of that the store is known to hold. Nothing here yields. */
export class LockWrites<T extends object> {
	/** On the platform's clock, the last time the store answered a write of this lock. */
	public lastWritten: number;
	private lock: HeldLock;
	private seq: number;
	/** The locks that this one goes on from, until a write under it was answered. */
	private adopted: ReadonlyArray<HeldLock> = [];
	/** The data that the store is known to hold. */
	private stored?: DeepReadonly<T>;
	/** The last data that it was known to hold, also under an earlier token. */
	private lastStored?: DeepReadonly<T>;
	/** The data in memory, stored before, that a trade's write has left behind: memory follows once the trade is through. */
	private leftBehind?: DeepReadonly<T>;
	/** The last attempt that carried data, until an answer came. */
	private unanswered?: Attempt<T>;
	/** Whether data was sent since the store was last known to hold some, under any token, of which nothing was heard. */
	private unsure = false;
	private releasesSent = 0;
	/** How many of them were to give up the lock without the data. */
	private releasesWithoutData = 0;
	/** Whether the lock on the record may say that this server beats. */
	private saysPresent: boolean;

	public constructor(
		private readonly platform: Pick<Platform, "clock" | "http">,
		/** This server, as locks name it. */
		private readonly jobId: string,
		lock: HeldLock,
		/** The data that the store holds, where they are known. */
		stored: DeepReadonly<T> | undefined,
	) {
		this.lock = lock;
		this.seq = lock.seq;
		this.saysPresent = lock.presence === true;
		this.lastWritten = platform.clock();
		this.noteStored(stored);
	}

	/** The token of the lock. */
	public token(): string {
		return this.lock.token;
	}

	/** Whether a token is that of the lock, or of one that it goes on from and that may still be on the record. */
	public owns(token: string): boolean {
		return this.lock.token === token || this.adopted.some((earlier) => earlier.token === token);
	}

	/** Whether a stored lock is this one, or one that it goes on from, of the very turn that was taken. */
	public holdsLock({ Token, Turn }: StoredLock): boolean {
		return [this.lock, ...this.adopted].some(({ token, turn }) => token === Token && turn === Turn);
	}

	/** Whether the lock on the record may say that this server beats. */
	public maySayPresent(): boolean {
		return this.saysPresent;
	}

	/** Whether the store is not known to hold `data`. */
	public isUnsaved(data: DeepReadonly<T>): boolean {
		return data !== this.stored || this.unanswered !== undefined;
	}

	/** What became of `data` where the lock is lost. */
	public lastChanges(data: DeepReadonly<T>): LastChanges {
		// Never said to be lost where it may have landed: whoever took the lock may have found it.
		if (this.unsure) return "unsure";
		return data === this.lastStored || data === this.leftBehind ? "stored" : "unsaved";
	}

	/** Whether a release before the last one may have landed. */
	public mayBeReleased(): boolean {
		return this.releasesSent > 1;
	}

	/** Whether a release that `attempt` found on the record carried the data: it may be any that was sent before it. */
	public foundWithData({ kind }: Attempt<T>): boolean {
		return this.releasesWithoutData === (kind === "releaseOnly" ? 1 : 0);
	}

	/** The place of a write outside the usual order on the record. Its number is new: nothing sent before can land over it. */
	public nextId(decided: ReadonlyArray<Decided>): WriteId {
		this.seq += 1;
		return this.idOf({ seq: this.seq, decided });
	}

	/** The place of an attempt on the record. */
	public idOf({ seq, decided }: Pick<Attempt<T>, "seq" | "decided">): WriteId {
		const { lock, adopted, jobId } = this;
		const adopts = adopted.isEmpty() ? undefined : { jobId, from: adopted };
		return { token: lock.token, turn: lock.turn, seq, adopts, decided };
	}

	/**
	 * The next attempt. A save sent again with the same data and flag keeps its number, so that it recognizes itself where
	 * the first one landed; everything else gets a higher one, so that what was sent before can no longer land over it.
	 */
	public next(wish: Omit<Attempt<T>, "seq">): Attempt<T> {
		const { kind, data, presence, decided } = wish;
		if (presence === true) this.saysPresent = true;
		const before = this.unanswered;
		const isSame =
			before?.kind === "save" &&
			before.data === data &&
			before.presence === presence &&
			before.decided === decided;
		if (kind === "save" && isSame) return before;
		this.seq += 1;
		const attempt: Attempt<T> = { ...wish, seq: this.seq };
		if (kind !== "touch") this.unanswered = attempt;
		if (isRelease(attempt)) this.releasesSent += 1;
		if (kind === "releaseOnly") this.releasesWithoutData += 1;
		return attempt;
	}

	/** A write with data was not answered: it may have landed. */
	public noteUnanswered(): void {
		this.unsure = true;
		this.stored = undefined;
	}

	/** A write was answered as stored. What became of data that were sent before is not known by that. */
	public noteAnswered(presence: boolean | undefined): void {
		this.unanswered = undefined;
		this.adopted = [];
		this.lastWritten = this.platform.clock();
		this.saysPresent = presence === true;
	}

	/** A write of {@link nextId} was answered as stored; `data` are what the record holds then, where that is known. */
	public noteWritten(data: DeepReadonly<T> | undefined, presence: boolean | undefined): void {
		const before = this.lastStored;
		// A save that was not answered has landed or never will: which of the two is not known.
		if (data !== undefined || this.unanswered !== undefined) this.noteStored(data);
		if (data !== undefined && data !== before) this.leftBehind = before;
		this.noteAnswered(presence);
	}

	/** Memory holds what the last write of {@link nextId} has stored. */
	public noteTaken(): void {
		this.leftBehind = undefined;
	}

	/** The store is known to hold these data; undefined: it is not known what it holds. */
	public noteStored(data: DeepReadonly<T> | undefined): void {
		if (data !== undefined) this.unsure = false;
		this.stored = data;
		this.lastStored = data ?? this.lastStored;
	}

	/** A fresh token that takes over from the lock so far. */
	public goOn(): void {
		const { lock } = this;
		this.adopted = [...this.adopted, lock];
		// Never the turn of an earlier adoption, even of one that did not land.
		this.lock = { token: this.platform.http.GenerateGUID(false), turn: lock.turn + 1, seq: 0 };
		this.seq = this.lock.seq;
		this.unanswered = undefined;
		// Whatever was sent under the earlier token may have landed or not.
		this.stored = undefined;
		this.releasesSent = 0;
		this.releasesWithoutData = 0;
	}
}
