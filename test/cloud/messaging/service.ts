import { Connection, MessageService, ReceivedMessage } from "../../../src/platform/platform";
import { tryEncodeJson } from "../json";
import { MinuteCounter } from "../minuteCounter";
import { CallDescriptor } from "../requests";
import { Server } from "../server";
import { World } from "../world";
import { Broker } from "./broker";
import { messagingErrors, messagingFailure } from "./errors";
import {
	ENVELOPE_BYTES,
	MAX_MESSAGE_BYTES,
	MAX_TOPIC_CHARACTERS,
	sentPerServer,
	SUBSCRIBES_PER_SERVER,
	subscriptionsPerServer,
} from "./limits";

/** `MessagingService` of one server. */
export class EmulatedMessaging implements MessageService {
	private readonly calls: MinuteCounter;

	public constructor(
		private readonly world: World,
		private readonly server: Server,
		private readonly broker: Broker,
	) {
		this.calls = new MinuteCounter(() => world.now());
	}

	public PublishAsync(topic: string, message: unknown): void {
		const descriptor = this.describe("PublishAsync", topic);
		const text = message === undefined ? undefined : tryEncodeJson(message);
		const problem =
			this.problemOf(topic) ??
			this.formProblem(text) ??
			this.rateProblem("PublishAsync", sentPerServer(this.players()), messagingErrors.publishRate);
		if (problem !== undefined) this.world.requests.refuse(this.server, descriptor, problem);
		this.world.requests.call(this.server, descriptor, ({ call }) => ({
			commit: () => this.broker.publish(this.server, topic, text as string, call),
		}));
	}

	public SubscribeAsync(topic: string, callback: (message: ReceivedMessage) => void): Connection {
		const descriptor = this.describe("SubscribeAsync", topic);
		const problem =
			this.problemOf(topic) ??
			this.rateProblem("SubscribeAsync", SUBSCRIBES_PER_SERVER, messagingErrors.subscribeRate) ??
			(this.isFull() ? messagingErrors.subscriptions : undefined);
		if (problem !== undefined) this.world.requests.refuse(this.server, descriptor, problem);
		return this.world.requests.call<Connection>(this.server, descriptor, () => ({
			commit: () => this.broker.subscribe(this.server, topic, callback),
		}));
	}

	private describe(op: string, topic: string): CallDescriptor {
		return { service: "Messaging", op, store: topic, failureText: messagingFailure };
	}

	private problemOf(topic: string): string | undefined {
		const { server, world } = this;
		if (!server.published) return messagingErrors.unpublished;
		const works = server.apiAccess && world.switches.studioMessaging;
		if (server.isStudio && !works) return messagingErrors.disconnected;
		const [length] = utf8.len(topic);
		const fits = typeIs(length, "number") && length >= 1 && length <= MAX_TOPIC_CHARACTERS;
		return fits ? undefined : messagingErrors.topicLength;
	}

	private formProblem(text: string | undefined): string | undefined {
		if (text === undefined) return messagingErrors.messageForm;
		const envelope = this.world.switches.messageEnvelopeCounts ? ENVELOPE_BYTES : 0;
		return text.size() + envelope > MAX_MESSAGE_BYTES ? messagingErrors.messageSize : undefined;
	}

	private rateProblem(op: string, limit: number, problem: string): string | undefined {
		const counts = this.world.switches.limits;
		return counts && !this.calls.take(op, limit) ? problem : undefined;
	}

	private isFull(): boolean {
		if (!this.world.switches.limits) return false;
		return this.broker.subscriptionsOf(this.server) >= subscriptionsPerServer(this.players());
	}

	private players(): number {
		return this.server.players().size();
	}
}
