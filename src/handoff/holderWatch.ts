import { Platform } from "../platform/platform";
import { StoppedProof } from "../record/ownership";
import { StoredLock } from "../record/types";
import { Handoff } from "./handoff";
import { PRESENCE_TTL_SECONDS } from "./presence";

/** Seconds between two requests of one waiting load (seed "Lock handoff", Cross-server requests). */
const REQUEST_SECONDS = 4;
/** A proof is good for this many seconds after its last read. */
const FRESH_SECONDS = 3;

/** A beat that expires is gone this many seconds later at the latest. */
const EXPIRY_SLACK = 0.05;

/** A run of empty reads about one lock. */
interface Silence {
	readonly lock: StoredLock;
	/** When the first empty read was asked for, and the last one that proves it. */
	readonly firstAt: number;
	provedAt?: number;
	readonly epoch: number;
}

/**
 * What one waiting load does about another server's lock: it asks the holder for it, and reads the holder's presence to
 * tell a crash from a delay. The proof is about this very lock: one write of the holder, and it starts over.
 */
export class HolderWatch {
	private lock?: StoredLock;
	private silence?: Silence;
	/** When a beat of the holder was seen; not moved on before that one has expired. */
	private aliveAt?: number;
	private repeat?: thread;
	private stopped = false;

	public constructor(
		private readonly platform: Platform,
		private readonly handoff: Handoff,
		private readonly driverName: string,
		private readonly key: string,
		/** Whether the load is still wanted: nobody is asked to end a session for a player who has left meanwhile. */
		private readonly isWanted: () => boolean,
	) {}

	/**
	 * The last attempt met this lock: asks for it, every 4 s, and reads its holder's presence. Yields. Returns whether that
	 * read completed a proof, so that the next attempt need not wait.
	 */
	public meet(lock: StoredLock): boolean {
		if (this.silence !== undefined && !isSameLock(this.silence.lock, lock)) this.silence = undefined;
		const asked = this.lock;
		if (asked?.JobId !== lock.JobId) this.aliveAt = undefined;
		this.lock = lock;
		if (asked === undefined || asked.JobId !== lock.JobId || asked.Token !== lock.Token) {
			this.stopAsking();
			this.ask(lock);
		}
		this.look();
		return this.silence?.provedAt !== undefined;
	}

	/** The load waits no more: nothing is asked for from now on. Does not yield. */
	public stop(): void {
		this.stopped = true;
		this.stopAsking();
	}

	/** Seconds until the second read is due of a proof that began before `deadline` on the platform's clock. */
	public dueIn(deadline = math.huge): number | undefined {
		const { silence } = this;
		if (silence === undefined || silence.provedAt !== undefined || silence.firstAt >= deadline) return undefined;
		return math.max(0, silence.firstAt + this.handoff.silenceSeconds() - this.platform.clock());
	}

	/**
	 * Seconds until the beat that was seen has expired. Where the holder had crashed by then, that is the first moment to
	 * find it silent, and a wait of two seconds would miss it by up to as many.
	 */
	public expiryIn(): number | undefined {
		if (this.aliveAt === undefined || this.silence !== undefined) return undefined;
		return math.max(0, this.aliveAt + PRESENCE_TTL_SECONDS + EXPIRY_SLACK - this.platform.clock());
	}

	/**
	 * Reads the holder's presence once more where a read is due, and gives the proof that the holder has stopped, if there
	 * is one and it is fresh. Yields.
	 */
	public prove(): StoppedProof | undefined {
		if (this.expiryIn() === 0) this.look();
		if (this.silence === undefined) return undefined;
		if (this.dueIn() === 0 || this.isStale()) this.look();
		const { silence } = this;
		if (silence === undefined || silence.provedAt === undefined || this.isStale()) return undefined;
		if (silence.epoch !== this.handoff.epoch()) return undefined;
		const { JobId, Token, Turn, Seq, Time } = silence.lock;
		return { jobId: JobId, token: Token, turn: Turn, seq: Seq, time: Time };
	}

	private isStale(): boolean {
		const provedAt = this.silence?.provedAt;
		return provedAt !== undefined && this.platform.clock() - provedAt > FRESH_SECONDS;
	}

	/** Asks now and every 4 s, on its own time: neither a slow store nor a slow message keeps the other waiting. */
	private ask(lock: StoredLock): void {
		if (this.stopped || lock.Tx === true || !this.isWanted()) return;
		const { task: taskLibrary } = this.platform;
		this.repeat = taskLibrary.delay(REQUEST_SECONDS, () => this.ask(lock));
		taskLibrary.spawn(() => this.handoff.request(this.driverName, this.key, lock.JobId, lock.Token));
	}

	private stopAsking(): void {
		if (this.repeat !== undefined) this.platform.task.cancel(this.repeat);
		this.repeat = undefined;
	}

	private look(): void {
		const { lock } = this;
		if (lock === undefined || lock.Presence !== true || lock.Tx === true) {
			this.silence = undefined;
			return;
		}
		const now = this.platform.clock();
		const epoch = this.handoff.epoch();
		const reading = this.handoff.read(lock.JobId);
		if (this.expiryIn() === 0) this.aliveAt = undefined;
		if (reading === "alive") this.aliveAt ??= this.platform.clock();
		if (reading !== "stopped" || this.handoff.epoch() !== epoch || this.lock !== lock) {
			this.silence = undefined;
			return;
		}
		const before = this.silence;
		if (before === undefined || before.epoch !== epoch)
			this.silence = { lock, firstAt: this.platform.clock(), epoch };
		else if (now - before.firstAt >= this.handoff.silenceSeconds()) before.provedAt = now;
	}
}

function isSameLock(a: StoredLock, b: StoredLock): boolean {
	return (
		a.JobId === b.JobId &&
		a.Token === b.Token &&
		a.Turn === b.Turn &&
		a.Seq === b.Seq &&
		a.Time === b.Time &&
		a.Presence === b.Presence
	);
}
