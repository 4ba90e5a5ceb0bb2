import { Connection, ReceivedMessage } from "../../../src/platform/platform";
import { decodeJson } from "../json";
import { MinuteCounter } from "../minuteCounter";
import { MomentCall } from "../moments";
import { SeededRandom } from "../random";
import { Server } from "../server";
import { TraceCall } from "../trace";
import { World } from "../world";
import { receivedPerGame, receivedPerTopic } from "./limits";

type MessageCallback = (message: ReceivedMessage) => void;

/** `RBXScriptConnection` of one subscription. */
class TopicSubscription implements Connection {
	public Connected = true;

	public constructor(
		public readonly server: Server,
		public readonly topic: string,
		public readonly callback: MessageCallback,
		private readonly forget: (subscription: TopicSubscription) => void,
	) {}

	public Disconnect(): void {
		if (!this.Connected) return;
		this.Connected = false;
		this.forget(this);
	}
}

/** A message that was taken and goes out to its subscribers. */
interface Message {
	readonly topic: string;
	readonly text: string;
	readonly sent: number;
	readonly call: TraceCall;
}

/** The topics of an experience: who subscribed to what, and every message on its way. */
export class Broker {
	private subscriptions = new Array<TopicSubscription>();
	private readonly received: MinuteCounter;
	private readonly random: SeededRandom;

	public constructor(private readonly world: World) {
		this.received = new MinuteCounter(() => world.now());
		this.random = world.random.fork("messages");
	}

	/** From now on `callback` hears the topic. */
	public subscribe(server: Server, topic: string, callback: MessageCallback): Connection {
		const subscription = new TopicSubscription(server, topic, callback, (gone) => {
			this.subscriptions = this.subscriptions.filter((other) => other !== gone);
		});
		this.subscriptions.push(subscription);
		return subscription;
	}

	/** How many subscriptions a server has. */
	public subscriptionsOf(server: Server): number {
		return this.subscriptions.filter((subscription) => subscription.server === server).size();
	}

	/** Sends a message, published by `call`, to all who subscribe now. */
	public publish(sender: Server, topic: string, text: string, call: TraceCall): void {
		const { switches } = this.world;
		const clock = switches.messageSentClock === "cloud" ? this.world.cloudTime() : sender.platform.time();
		const message: Message = { topic, text, sent: switches.messageSentWhole ? math.floor(clock) : clock, call };
		call.message = text;
		if (!switches.receivedCountsDeliveries && !this.countReceived(topic)) return;
		for (const subscription of this.subscriptions) {
			if (subscription.topic !== topic || !subscription.server.alive) continue;
			if (subscription.server === sender && !switches.selfDelivery) continue;
			if (switches.receivedCountsDeliveries && !this.countReceived(topic)) continue;
			this.route(subscription, message);
		}
	}

	/** What is over the limit is lost without a word. */
	private countReceived(topic: string): boolean {
		if (!this.world.switches.limits) return true;
		let servers = 0;
		for (const server of this.world.servers) if (server.alive) servers += 1;
		// The experience's count has no topic, and no topic's name is empty.
		if (!this.received.take("", receivedPerGame(servers))) return false;
		return this.received.take(topic, receivedPerTopic(servers));
	}

	/** Puts one delivery on its way, where a fault can meet it. */
	private route(subscription: TopicSubscription, message: Message): void {
		const { faults, scheduler, moments, latency } = this.world;
		const [low, high] = latency.delivery;
		const seconds = this.random.between(low, high);
		const { name } = subscription.server;
		const call: MomentCall = { service: "Messaging", op: "Deliver", store: message.topic, server: name };
		const fault = faults.match({ ...call, durable: false });
		const effect = fault?.effect;
		const deliver = () => this.deliver(subscription, message, effect);
		if (fault === undefined) moments.after(call, "arrive", seconds, deliver);
		else if (effect === "delay" || effect === "landLate") scheduler.after(seconds + (fault.seconds ?? 10), deliver);
		else if (effect === "duplicate") {
			scheduler.after(seconds, deliver);
			scheduler.after(seconds + (fault.seconds ?? 1), deliver);
		} else this.noteDelivery(subscription, message, effect).outcome = "failed";
	}

	private deliver(subscription: TopicSubscription, message: Message, effect: string | undefined): void {
		const { server, callback } = subscription;
		if (!server.alive || !subscription.Connected) return;
		const call = this.noteDelivery(subscription, message, effect);
		if (!server.reaches("Messaging")) {
			call.outcome = "failed";
			return;
		}
		server.runner.act(() => {
			// A server that was paused may have disconnected meanwhile.
			if (!subscription.Connected) return;
			call.outcome = "ok";
			call.answeredAt = this.world.now();
			server.runner.start(callback, { Data: decodeJson(message.text), Sent: message.sent });
		});
	}

	private noteDelivery(subscription: TopicSubscription, message: Message, effect: string | undefined) {
		const call = this.world.trace.begin(subscription.server.name, "Messaging", "Deliver", message.topic);
		call.fault = effect;
		call.published = message.call.id;
		return call;
	}
}
