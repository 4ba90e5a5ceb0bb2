import { MemoryDriver, MemorySet } from "../cloud/memoryDriver";
import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, Result } from "../result";
import { Waiter } from "../util/waiter";

/** The map of all servers' presence keys (seed "Lock handoff", How it works). */
export const PRESENCE_MAP = "CKPresence";
/** Seconds between beats (the same source). */
export const BEAT_SECONDS = 3;
/** Seconds until a beat expires (the same source). */
export const PRESENCE_TTL_SECONDS = 10;
/** A lock may say that its holder beats while the last answered beat is younger than this, in seconds. */
const FLAG_SECONDS = 6;
/** Seconds after which a beat that failed, its own retries included, is made once more. */
const RETRY_SECONDS = 1;
/** Seconds of good beats after which a server counts as beating again, and may judge others: a lifetime and a beat. */
const TRUST_SECONDS = PRESENCE_TTL_SECONDS + BEAT_SECONDS;
/** Seconds of silence that prove a stop: a beat and its latency. */
const SILENCE_SECONDS = BEAT_SECONDS + 0.5;
/**
 * The same where nothing tells that the map was lost: long enough for every living server whose key was lost to have
 * beaten again or withdrawn its flag, which it does within 10 s of its last answered beat.
 */
const UNTOLD_SILENCE_SECONDS = PRESENCE_TTL_SECONDS + 1.5;
/** Seconds after the loss of the map in which silence proves nothing. */
const LOST_SECONDS = 30;

/** What a read of another server's presence tells; `untrusted` is an empty read that proves nothing. */
export type PresenceReading = "alive" | "stopped" | "untrusted" | "unknown";

/** The map, as far as presence needs it. */
export type PresenceStore = Pick<MemoryDriver<number>, "get" | "set" | "remove">;

/**
 * This server's proof of life, and its reading of others'. A server that cannot beat knows it, says so in its locks
 * (`flag`) and judges nobody.
 */
export class Presence {
	/** Changes whenever an earlier empty read stops counting. */
	public epoch = 0;
	/** When the last answered beat was sent; it cannot expire before that plus its lifetime. */
	private beatAt?: number;
	/** The last moment at which something was wrong with this server's own beats. */
	private badAt: number;
	private lostUntil = -math.huge;
	/** Whether the map is known to tell that it made a key anew, as it has to for a server's first beat. */
	private tellsCreation = false;
	/** Resolved when the beat under way is answered or has failed. */
	private beating?: Waiter<true>;
	private withdrawn = false;
	private failing = false;
	private stopped = false;
	/** Whether the last beat was not answered, and so may still land. */
	private mayLand = false;
	private watchdog?: thread;

	/** @param onSilent Called when this server has not beaten for so long that its locks must not say it does. */
	public constructor(
		private readonly platform: Platform,
		private readonly jobId: string,
		private readonly store: PresenceStore,
		private readonly onSilent: () => void,
	) {
		this.badAt = platform.clock();
	}

	/** Writes one beat, or waits for the one under way. Yields. The first failure after a success warns. */
	public beat(): void {
		if (this.stopped) return;
		if (this.beating !== undefined) {
			this.settle();
			return;
		}
		const beating = new Waiter<true>(this.platform);
		this.beating = beating;
		const sent = this.platform.clock();
		const [fine, answer] = pcall(() => this.store.set(this.jobId, 1, PRESENCE_TTL_SECONDS));
		this.beating = undefined;
		this.mayLand = !fine || !answer.success;
		if (!this.stopped) this.answered(sent, fine ? answer : err(new BatonError("roblox", tostring(answer))));
		beating.resolve(true);
	}

	/** Yields until no beat is under way; whether none can land any more. */
	public settle(): boolean {
		this.beating?.wait();
		return !this.mayLand;
	}

	private answered(sent: number, answer: Result<MemorySet>): void {
		const { warn } = this.platform;
		if (!answer.success) {
			this.markBad();
			if (!this.failing && this.beatAt !== undefined) {
				warn(
					`Baton: this server's presence cannot be written. If that lasts, it says so in its locks; only while that ` +
						`cannot be written either may other servers take the locks of players who join them. ${answer.error.message}`,
				);
			}
			this.failing = true;
			// The next regular beat is answered a moment after the flag has lapsed, and that would cost a write of every lock.
			if (this.isBeating()) this.platform.task.delay(RETRY_SECONDS, () => this.beat());
			return;
		}
		this.failing = false;
		// A key that was there moments ago and had to be made anew was not expired: the map lost it, and others' keys too.
		if (answer.value === "created") {
			this.tellsCreation = true;
			if (this.beatAt !== undefined && sent - this.beatAt < PRESENCE_TTL_SECONDS) this.markLost();
			else this.markBad();
		} else if (answer.value === "unsure") {
			// It may have made its key anew, so nothing may be concluded for a while.
			this.markBad();
		}
		this.beatAt = sent;
		this.watch(sent);
	}

	/** What a lock that is written now may say about this server. Does not yield. */
	public flag(): boolean {
		if (this.stopped || !this.isBeating()) return false;
		if (this.withdrawn && this.platform.clock() - this.badAt >= TRUST_SECONDS) this.withdrawn = false;
		return !this.withdrawn;
	}

	/** Reads the presence of a server. Yields. Only `stopped` counts towards a proof. */
	public read(jobId: string): PresenceReading {
		const found = this.store.get(jobId);
		if (found.status === "failed") return "unknown";
		if (found.status === "found") return "alive";
		// A server that has just begun cannot judge others, but knows a lost map.
		if (!this.isBeating()) return "untrusted";
		const { epoch } = this;
		// An emptied map would say the same of everyone, so this server's own key has to be in it.
		const own = this.store.get(this.jobId);
		// A beat under way may have put it there just now; its answer tells.
		this.settle();
		if (own.status === "failed") return this.isTrusted() ? "unknown" : "untrusted";
		// Beats are answered and their key is gone: lost, whatever the next beat is told.
		if (own.status === "empty" && this.isBeating() && this.epoch === epoch) this.markLost();
		return own.status === "found" && this.isTrusted() && this.epoch === epoch ? "stopped" : "untrusted";
	}

	/** Seconds between two empty reads that prove a stop. */
	public silenceSeconds(): number {
		return this.tellsCreation ? SILENCE_SECONDS : UNTOLD_SILENCE_SECONDS;
	}

	/** No beat starts after this, and no lock says that this server beats. Does not yield. */
	public stop(): void {
		this.stopped = true;
		if (this.watchdog !== undefined) this.platform.task.cancel(this.watchdog);
		this.watchdog = undefined;
	}

	private isBeating(): boolean {
		return this.beatAt !== undefined && this.platform.clock() - this.beatAt < FLAG_SECONDS;
	}

	/** Whether the map was lost so lately that it says nothing of anybody. Does not yield. */
	public isLost(): boolean {
		return this.platform.clock() < this.lostUntil;
	}

	private isTrusted(): boolean {
		return this.isBeating() && this.platform.clock() - this.badAt >= TRUST_SECONDS && !this.isLost();
	}

	private markBad(): void {
		this.badAt = this.platform.clock();
		this.epoch += 1;
	}

	private markLost(): void {
		this.lostUntil = this.platform.clock() + LOST_SECONDS;
		this.markBad();
	}

	private watch(sent: number): void {
		const { task: taskLibrary, clock } = this.platform;
		if (this.watchdog !== undefined) taskLibrary.cancel(this.watchdog);
		this.watchdog = taskLibrary.delay(math.max(0, sent + FLAG_SECONDS - clock()), () => {
			this.watchdog = undefined;
			if (this.stopped) return;
			this.withdrawn = true;
			this.markBad();
			this.onSilent();
		});
	}
}
