import { BatonError } from "../errors";
import { Connection, Platform, ReceivedMessage } from "../platform/platform";
import { Result, err, ok } from "../result";
import { attempt, RetryOptions } from "./attempt";
import { awaitPublishTurn } from "./publishPace";

/** A topic is at most 80 characters (MessagingService docs). */
const MAX_TOPIC_BYTES = 80;
/** A message is at most 1,024 bytes; what Roblox wraps around it counts too, as far as anyone knows (Open Cloud docs). */
const MAX_MESSAGE_BYTES = 900;

/** How a {@link MessageDriver} behaves. */
export interface MessageDriverOptions {
	/** Further attempts after a failed one. 3 by default. */
	readonly retries?: number;
	/** The pause before the first further attempt, in seconds; it doubles with each. 1 by default. */
	readonly retrySeconds?: number;
	/** A call without an answer for this many seconds counts as failed. 10 by default. */
	readonly timeoutSeconds?: number;
	/** A message that would wait longer than this for its turn, in seconds, is refused. 30 by default. */
	readonly queueSeconds?: number;
}

/** One subscription of a {@link MessageDriver}. */
export interface Subscription {
	readonly topic: string;
	/** Whether messages can still reach the callback. */
	readonly active: boolean;
	/** No call of the callback starts after this. Calling it again does nothing. Does not yield. */
	disconnect(): void;
}

/**
 * Messages between servers over `MessagingService`. They are hints: one can be lost, late, doubled or out of order, and a
 * server hears its own.
 */
export class MessageDriver {
	private readonly retry: RetryOptions;
	private readonly queueSeconds: number;
	private subscriptions: Array<OpenSubscription> = [];

	public constructor(
		private readonly platform: Platform,
		options: MessageDriverOptions = {},
	) {
		this.retry = {
			retries: options.retries ?? 3,
			retrySeconds: options.retrySeconds ?? 1,
			timeoutSeconds: options.timeoutSeconds ?? 10,
		};
		this.queueSeconds = options.queueSeconds ?? 30;
	}

	/**
	 * Sends `message`, at most 900 bytes as JSON, to every server subscribed to `topic`. Waits for its turn where the server's
	 * limit demands it. Yields until Roblox took it, not until anyone received it.
	 *
	 * Fails with `invalid_data` (nothing was sent) or `roblox`. A failed one may still arrive, and a retried one twice.
	 */
	public publish(topic: string, message: unknown): Result<undefined> {
		const problem = topicProblem(topic) ?? this.messageProblem(message);
		if (problem !== undefined) {
			return err(new BatonError("invalid_data", `Message to topic "${topic}" was not sent: ${problem}.`));
		}
		const answer = attempt(this.platform, this.retry, () => this.platform.messaging.PublishAsync(topic, message), {
			before: () => this.awaitTurn(),
		});
		return answer.success ? ok(undefined) : err(failure(`A publish to topic "${topic}"`, answer));
	}

	/**
	 * Calls `callback` with each message to `topic` and the Unix time of its sending, each in a thread of its own; one that
	 * throws is warned about and ends nothing. Yields until Roblox has registered it. Fails with `invalid_data` or `roblox`.
	 */
	public subscribe(topic: string, callback: (data: unknown, sent: number) => void): Result<Subscription> {
		const problem = topicProblem(topic);
		if (problem !== undefined) {
			return err(new BatonError("invalid_data", `Topic "${topic}" was not subscribed to: ${problem}.`));
		}
		const subscription = new OpenSubscription(topic, (message) => this.deliver(topic, callback, message));
		const answer = attempt(
			this.platform,
			this.retry,
			() => this.platform.messaging.SubscribeAsync(topic, (message) => subscription.receive(message)),
			// An attempt given up on can still register: without this, one message would be heard twice.
			{ onLate: (connection) => subscription.adopt(connection) },
		);
		if (answer.success) subscription.adopt(answer.value);
		if (!subscription.connected()) {
			subscription.disconnect();
			const reason = answer.success ? "disconnected" : answer.reason;
			return err(failure(`A subscription to topic "${topic}"`, { reason, attempts: answer.attempts }));
		}
		this.subscriptions = this.subscriptions.filter((other) => other.active);
		this.subscriptions.push(subscription);
		return ok(subscription);
	}

	/** Disconnects every subscription made through this driver. Does not yield. */
	public disconnect(): void {
		for (const subscription of this.subscriptions) subscription.disconnect();
		this.subscriptions = [];
	}

	private awaitTurn(): string | undefined {
		if (awaitPublishTurn(this.platform, this.queueSeconds)) return undefined;
		return `this server's publications are queued for more than ${this.queueSeconds} s`;
	}

	private messageProblem(message: unknown): string | undefined {
		if (message === undefined) return "it is undefined";
		const [success, text] = pcall(() => this.platform.http.JSONEncode(message));
		if (!success) return `it has no JSON form (${text})`;
		const bytes = text.size();
		return bytes > MAX_MESSAGE_BYTES ? `it is ${bytes} bytes as JSON, ${MAX_MESSAGE_BYTES} at most` : undefined;
	}

	private deliver(topic: string, callback: (data: unknown, sent: number) => void, message: ReceivedMessage): void {
		const [success, problem] = pcall(callback, message.Data, message.Sent);
		if (!success) this.platform.warn(`Baton: the callback of topic "${topic}" threw: ${problem}`);
	}
}

class OpenSubscription implements Subscription {
	public active = true;
	private connection?: Connection;

	public constructor(
		public readonly topic: string,
		private readonly deliver: (message: ReceivedMessage) => void,
	) {}

	public receive(message: ReceivedMessage): void {
		if (this.active) this.deliver(message);
	}

	/** Keeps one connection; another, or one that comes when all is over, is ended. */
	public adopt(connection: Connection): void {
		if (this.active && this.connection === undefined) this.connection = connection;
		else connection.Disconnect();
	}

	public connected(): boolean {
		return this.connection !== undefined;
	}

	public disconnect(): void {
		this.active = false;
		const connection = this.connection;
		this.connection = undefined;
		if (connection !== undefined) connection.Disconnect();
	}
}

function topicProblem(topic: string): string | undefined {
	const bytes = topic.size();
	if (bytes >= 1 && bytes <= MAX_TOPIC_BYTES) return undefined;
	return `a topic has 1 to ${MAX_TOPIC_BYTES} bytes, this one ${bytes}`;
}

function failure(what: string, answer: { readonly reason: string; readonly attempts: number }): BatonError {
	const message = `${what} failed after ${answer.attempts} attempts: ${answer.reason}`;
	return new BatonError("roblox", message, { retryable: true });
}
