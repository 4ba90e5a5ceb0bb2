import { MemoryDriver } from "../cloud/memoryDriver";
import { MessageDriver, Subscription } from "../cloud/messageDriver";
import { Job, JobPriority, SchedulerLike } from "../cloud/scheduler";
import { Platform } from "../platform/platform";
import { perPlatform } from "../util/perPlatform";
import { Waiter } from "../util/waiter";
import { BEAT_SECONDS, Presence, PRESENCE_MAP, PRESENCE_TTL_SECONDS, PresenceReading, PresenceStore } from "./presence";
import { isReply, isRequest, ReplyMessage, RequestMessage, topicOf } from "./wire";

/** A driver, as handoff knows it. */
export interface HandoffDriver {
	readonly name: string;
	/** Another server asks for a key; `token` is that of the lock it saw. May yield. */
	readonly onRequest: (key: string, requester: string, token: string | undefined) => void;
	/** Another server says that it no longer holds a key. */
	readonly onReply: (key: string) => void;
	/** This server cannot beat: its locks must no longer say that it does. */
	readonly onSilent: () => void;
}

/** How a {@link Handoff} reaches other servers; the defaults are Roblox's services. */
export interface HandoffOptions {
	/** This server, as others name it. */
	readonly jobId: string;
	/** Default: a `MessageDriver` with one retry after 0.5 s. */
	readonly messages?: Pick<MessageDriver, "publish" | "subscribe">;
	/** Default: a `MemoryDriver` over the map `CKPresence` with a lifetime of 10 s and one retry after 0.25 s. */
	readonly presence?: PresenceStore;
}

/** Messages: one retry after this many seconds (seed "Lock handoff", API reference). */
const MESSAGE_RETRY_SECONDS = 0.5;
/** Presence: one retry after this many seconds (the same source). */
const PRESENCE_RETRY_SECONDS = 0.25;
/** Seconds until a subscription that failed is tried again. */
const RESUBSCRIBE_SECONDS = 60;
/** A presence call without an answer for this many seconds counts as failed, so that a beat never outlasts its period. */
const PRESENCE_TIMEOUT_SECONDS = 1.2;

const sharedHandoffs = perPlatform(() => new Map<string, Handoff>());

/**
 * A server's side of lock handoff: it beats its presence, hears requests for locks and asks for others'. One for each
 * server, whatever the number of its drivers. Messages are hints: what they cause is decided by the record alone.
 */
export class Handoff {
	/** Seconds between two beats of presence. */
	public static readonly beatSeconds = BEAT_SECONDS;
	/** Seconds after which a beat expires. */
	public static readonly presenceTtlSeconds = PRESENCE_TTL_SECONDS;

	/** The one handoff of a server that attached drivers use. Does not yield. */
	public static shared(platform: Platform, jobId: string): Handoff {
		const handoffs = sharedHandoffs(platform);
		let handoff = handoffs.get(jobId);
		if (handoff === undefined) {
			handoff = new Handoff(platform, { jobId });
			handoffs.set(jobId, handoff);
		}
		return handoff;
	}

	/** This server, as others name it. */
	public readonly jobId: string;
	private readonly messages: Pick<MessageDriver, "publish" | "subscribe">;
	private readonly presenceStore: PresenceStore;
	private readonly presence: Presence;
	private drivers: ReadonlyArray<HandoffDriver> = [];
	private subscribing = false;
	private subscription?: Subscription;
	private job?: Job;
	private readonly firstBeat: Waiter<true>;
	private destroyed = false;
	/** Whether the last message could not be sent. */
	private unheard = false;

	public constructor(
		private readonly platform: Platform,
		options: HandoffOptions,
	) {
		this.jobId = options.jobId;
		this.firstBeat = new Waiter(platform);
		this.messages =
			options.messages ?? new MessageDriver(platform, { retries: 1, retrySeconds: MESSAGE_RETRY_SECONDS });
		this.presenceStore =
			options.presence ??
			new MemoryDriver<number>(platform, PRESENCE_MAP, {
				ttlSeconds: PRESENCE_TTL_SECONDS,
				retries: 1,
				retrySeconds: PRESENCE_RETRY_SECONDS,
				timeoutSeconds: PRESENCE_TIMEOUT_SECONDS,
			});
		this.presence = new Presence(platform, this.jobId, this.presenceStore, () => {
			for (const driver of this.drivers) driver.onSilent();
		});
	}

	/**
	 * Routes messages for `driver.name` to that driver; subscribes at first use, in the background: a subscription that
	 * fails or hangs warns, and joins poll instead. Does not yield.
	 */
	public register(driver: HandoffDriver): void {
		this.drivers = [...this.drivers.filter((other) => other.name !== driver.name), driver];
		if (this.subscribing || this.destroyed) return;
		this.subscribing = true;
		this.platform.task.spawn(() => this.subscribe());
	}

	/** Beats presence now and every 3 s on `scheduler`, without jitter. Does not yield; calling it again does nothing. */
	public start(scheduler: SchedulerLike, priority: JobPriority = "Background"): void {
		if (this.job !== undefined || this.destroyed) return;
		const name = "Baton presence";
		this.job = scheduler.schedule({ name, periodSeconds: BEAT_SECONDS, priority }, () => this.beat());
		this.platform.task.spawn(() => this.beat());
	}

	/** Yields until the first beat has ended, `seconds` at most, so that a server's first locks can say that it beats. */
	public awaitFirstBeat(seconds: number): void {
		if (this.job !== undefined) this.firstBeat.wait(seconds);
	}

	/** Writes one presence beat. Yields. The first failure after a success warns. */
	public beat(): void {
		this.presence.beat();
		this.firstBeat.resolve(true);
	}

	/**
	 * Whether a server beats: true for a beat within 10 s, always for this one, and for everyone in the 30 s after the map
	 * of beats was seen to be lost; false when a read found none; undefined when the read failed. One read proves nothing.
	 * Yields.
	 */
	public isAlive(jobId: string): boolean | undefined {
		if (jobId === this.jobId) return true;
		const reading = this.read(jobId);
		if (reading === "unknown") return undefined;
		// An emptied map says the same of everyone, and a living server whose saves stall must not lose its lock for that.
		return reading === "alive" || this.presence.isLost();
	}

	/** Reads a server's presence for a proof of silence. Yields. */
	public read(jobId: string): PresenceReading {
		return this.presence.read(jobId);
	}

	/** Changes whenever earlier empty reads stop counting. */
	public epoch(): number {
		return this.presence.epoch;
	}

	/** Seconds between two empty reads of a server's presence that prove that it stopped. */
	public silenceSeconds(): number {
		return this.presence.silenceSeconds();
	}

	/** What a lock that is written now may say about this server. Does not yield. */
	public flag(): boolean {
		return this.presence.flag();
	}

	/** Asks `holder` to release `key`; `token` is that of the lock that was seen. Yields until it is sent or has failed. */
	public request(driverName: string, key: string, holder: string, token?: string): void {
		const message: RequestMessage = { T: "Q", D: driverName, K: key, R: this.jobId, L: token };
		this.send(topicOf(holder), message);
	}

	/** Tells `requester` that `key` is free. Yields until it is sent or has failed: a lost one costs a poll, no more. */
	public reply(driverName: string, key: string, requester: string): void {
		const message: ReplyMessage = { T: "R", D: driverName, K: key };
		this.send(topicOf(requester), message);
	}

	/**
	 * Stops the beat, disconnects the subscription, has every lock withdraw its presence and forgets the drivers. Does not
	 * yield.
	 */
	public destroy(): void {
		if (this.destroyed) return;
		this.stop();
		for (const driver of this.drivers) driver.onSilent();
		this.drivers = [];
	}

	/**
	 * The last act of a server's shutdown: stops the beat and, where `nothingCanLand`, removes the presence key, so that
	 * others need not wait for it to expire. Yields.
	 */
	public close(nothingCanLand: boolean): void {
		if (this.destroyed) return;
		this.stop();
		// A beat under way could put the key back.
		if (this.presence.settle() && nothingCanLand) this.presenceStore.remove(this.jobId);
	}

	private stop(): void {
		this.destroyed = true;
		this.job?.cancel();
		this.presence.stop();
		this.subscription?.disconnect();
	}

	private send(topic: string, message: RequestMessage | ReplyMessage): void {
		const sent = this.messages.publish(topic, message);
		if (!sent.success && !this.unheard) {
			this.platform.warn(
				`Baton: this server cannot ask others for locks or tell them, so players wait a little longer: ` +
					sent.error.message,
			);
		}
		this.unheard = !sent.success;
	}

	/** Tried on at a slow rate: without it, every player who leaves for another server waits out a poll there. */
	private subscribe(): void {
		let warned = false;
		while (!this.destroyed) {
			const subscribed = this.messages.subscribe(topicOf(this.jobId), (message) => this.receive(message));
			if (subscribed.success) {
				this.subscription = subscribed.value;
				if (this.destroyed) subscribed.value.disconnect();
				return;
			}
			if (!warned) {
				warned = true;
				this.platform.warn(
					`Baton: this server cannot hear requests for its locks, so players who leave it for another server may ` +
						`have to rejoin there; it is tried on. ${subscribed.error.message}`,
				);
			}
			this.platform.task.wait(RESUBSCRIBE_SECONDS);
		}
	}

	private receive(message: unknown): void {
		if (this.destroyed) return;
		if (isRequest(message)) {
			this.driverNamed(message.D)?.onRequest(message.K, message.R, message.L);
		} else if (isReply(message)) {
			this.driverNamed(message.D)?.onReply(message.K);
		}
	}

	private driverNamed(name: string): HandoffDriver | undefined {
		return this.drivers.find((driver) => driver.name === name);
	}
}
