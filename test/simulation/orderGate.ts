import { DelayStage } from "../cloud/faults";
import { MomentCall, MomentGate } from "../cloud/moments";
import { Server } from "../cloud/server";
import { World } from "../cloud/world";
import { Order } from "./order";

/** A moment that could come next. */
interface Held {
	readonly call: MomentCall;
	readonly stage: DelayStage;
	readonly action: () => void;
}

/** Seconds from one moment to the next. */
const TICK_SECONDS = 0.02;
/** How long everything is held at most for something else to come first: longer than a lease and than a beat's silence. */
const HOLD_SECONDS = 12;

/**
 * Lets moments of data stores, messages and presence come one by one in a given order. At each decision there is a list
 * of what could come next: the held moments (first those of the server that moved last, so that by itself a server goes
 * on until it has nothing to do; of a server, the oldest first), then "nothing, until another moment is there", then the
 * crash of each server, once in all. Whatever else there is (beats, timers, autosaves) goes on in virtual time.
 */
export class OrderGate implements MomentGate {
	/** How many there were to choose from at each decision so far. */
	public readonly options = new Array<number>();
	private held = new Array<Held>();
	private isOpen = false;
	private isTicking = false;
	private isHolding = false;
	private hasCrashed = false;
	private lastServer = "";

	public constructor(
		private readonly world: World,
		private readonly order: Order,
		/** Something was held for long, or a server has crashed: calls may fail from now on. */
		private readonly onRough: () => void,
	) {}

	public readonly hold = (call: MomentCall, stage: DelayStage, action: () => void): boolean => {
		if (this.isOpen || !isOrdered(call)) return false;
		this.held.push({ call, stage, action });
		if (this.isHolding) {
			// What came takes the lead over what is held.
			this.isHolding = false;
			this.lastServer = call.server;
		}
		this.tick();
		return true;
	};

	/** Whether no moment is held. */
	public isIdle(): boolean {
		return this.held.isEmpty();
	}

	/** Decides nothing any more: what is held comes in its plain order, all else after its latency. */
	public open(): void {
		this.isOpen = true;
		this.inOrder().forEach(({ action }, index) => this.world.after((index + 1) * TICK_SECONDS, action));
		this.held = [];
	}

	private tick(): void {
		if (this.isTicking || this.isHolding || this.isOpen || this.held.isEmpty()) return;
		this.isTicking = true;
		this.world.after(TICK_SECONDS, () => {
			this.isTicking = false;
			if (!this.isOpen && !this.isHolding) this.decide();
			this.tick();
		});
	}

	private decide(): void {
		const moments = this.inOrder();
		if (moments.isEmpty()) return;
		const victims = this.hasCrashed ? [] : this.world.servers.filter(({ alive }) => alive);
		const decision = this.options.size();
		this.options.push(moments.size() + 1 + victims.size());
		const choice = this.order.get(decision) ?? 0;
		if (choice < moments.size()) return this.release(decision, moments, choice);
		const victim = choice - moments.size() - 1;
		if (victim < 0) return this.holdAll(decision);
		if (victim < victims.size()) return this.crash(decision, victims[victim]);
		error(`decision ${decision} has only ${this.options[decision]} choices`, 0);
	}

	private release(decision: number, moments: ReadonlyArray<Held>, choice: number): void {
		const moment = moments[choice];
		const { call, stage, action } = moment;
		this.held = this.held.filter((each) => each !== moment);
		this.lastServer = call.server;
		const place = call.key ?? call.store ?? "";
		this.note(decision, `${call.server} ${stage} ${call.op} ${place}`, choice);
		action();
	}

	private holdAll(decision: number): void {
		this.note(decision, "everything is held", this.held.size());
		this.onRough();
		this.isHolding = true;
		this.world.after(HOLD_SECONDS, () => {
			this.isHolding = false;
			this.tick();
		});
	}

	private crash(decision: number, server: Server): void {
		this.note(decision, `${server.name} crashes`, this.options[decision]);
		this.hasCrashed = true;
		this.onRough();
		server.crash();
	}

	/** What is held, in the order in which it comes by itself. */
	private inOrder(): ReadonlyArray<Held> {
		const isLast = ({ call }: Held): boolean => call.server === this.lastServer;
		return [...this.held.filter(isLast), ...this.held.filter((each) => !isLast(each))];
	}

	private note(decision: number, text: string, choice: number): void {
		const mark = choice > 0 ? " (chosen)" : "";
		this.world.trace.note("order", `${decision}: ${text}${mark}`);
	}
}

/** Whether an order decides when the moments of a call come. */
function isOrdered({ service, op }: MomentCall): boolean {
	if (service === "DataStore") return true;
	return service === "Messaging" ? op === "Deliver" : service === "MemoryStore" && op === "GetAsync";
}
