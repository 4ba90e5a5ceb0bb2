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
/** How long a moment that is put off waits by itself: by then it was given up, and a silent server's lock is taken. */
const PUT_OFF_SECONDS = 35;

/** Something else that can happen than the next moment. */
interface Mishap {
	readonly text: string;
	readonly happen: () => void;
}

/**
 * Lets moments of data stores, messages and presence come one by one in a given order. At each decision there is a list
 * of what could come next: the held moments (first those of the server that moved last, so that by itself a server goes
 * on until it has nothing to do; of a server, the oldest first), then that the first of them is put off, then the crash
 * of each server, once in all, with what it has sent landing at once or put off. A moment that is put off comes 35 s
 * later by itself, or earlier where it is chosen. Whatever else there is (beats, timers, autosaves) goes on in virtual
 * time.
 */
export class OrderGate implements MomentGate {
	/** How many there were to choose from at each decision so far. */
	public readonly options = new Array<number>();
	private held = new Array<Held>();
	private readonly putOff = new Set<Held>();
	private isOpen = false;
	private isTicking = false;
	private hasCrashed = false;
	private lastServer = "";

	public constructor(
		private readonly world: World,
		private readonly order: Order,
		/** Something was put off, or a server has crashed: calls may fail from now on. */
		private readonly onRough: () => void,
	) {}

	public readonly hold = (call: MomentCall, stage: DelayStage, action: () => void): boolean => {
		if (this.isOpen || !isOrdered(call)) return false;
		this.held.push({ call, stage, action });
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
		if (this.isTicking || this.isOpen || this.held.every((each) => this.putOff.has(each))) return;
		this.isTicking = true;
		this.world.after(TICK_SECONDS, () => {
			this.isTicking = false;
			if (!this.isOpen) this.decide();
			this.tick();
		});
	}

	private decide(): void {
		const moments = this.inOrder();
		const mishaps = this.mishaps(moments);
		const decision = this.options.size();
		const count = moments.size() + mishaps.size();
		this.options.push(count);
		const choice = this.order.get(decision) ?? 0;
		if (choice >= count) error(`decision ${decision} has only ${count} choices`, 0);
		const mark = choice > 0 ? " (chosen)" : "";
		if (choice < moments.size()) {
			this.note(`${decision}: ${describe(moments[choice])}${mark}`);
			return this.release(moments[choice]);
		}
		const { text, happen } = mishaps[choice - moments.size()];
		this.note(`${decision}: ${text}${mark}`);
		this.onRough();
		happen();
	}

	private release(moment: Held): void {
		this.held = this.held.filter((each) => each !== moment);
		this.putOff.delete(moment);
		this.lastServer = moment.call.server;
		moment.action();
	}

	private mishaps(moments: ReadonlyArray<Held>): ReadonlyArray<Mishap> {
		const [first] = moments;
		const mishaps: Array<Mishap> = [
			{ text: `${describe(first)} is put off`, happen: () => this.putOffAll([first]) },
		];
		if (this.hasCrashed) return mishaps;
		for (const server of this.world.servers) {
			if (!server.alive) continue;
			mishaps.push({ text: `${server.name} crashes`, happen: () => this.crash(server) });
			// What has not arrived needs its server.
			const sent = moments.filter(({ call, stage }) => call.server === server.name && stage === "apply");
			if (sent.isEmpty()) continue;
			const happen = (): void => {
				this.crash(server);
				this.putOffAll(sent);
			};
			mishaps.push({ text: `${server.name} crashes, and what it has sent is put off`, happen });
		}
		return mishaps;
	}

	private putOffAll(moments: ReadonlyArray<Held>): void {
		for (const moment of moments) this.putOff.add(moment);
		this.world.after(PUT_OFF_SECONDS, () => {
			for (const moment of moments) this.putOff.delete(moment);
			this.tick();
		});
	}

	private crash(server: Server): void {
		this.hasCrashed = true;
		server.crash();
	}

	/** What is held, in the order in which it comes by itself. */
	private inOrder(): ReadonlyArray<Held> {
		const rank = (each: Held): number => (this.putOff.has(each) ? 2 : each.call.server === this.lastServer ? 0 : 1);
		return [0, 1, 2].reduce<Array<Held>>(
			(all, wanted) => [...all, ...this.held.filter((each) => rank(each) === wanted)],
			[],
		);
	}

	private note(text: string): void {
		this.world.trace.note("order", text);
	}
}

function describe({ call, stage }: Held): string {
	return `${call.server} ${stage} ${call.op} ${call.key ?? call.store ?? ""}`;
}

/** Whether an order decides when the moments of a call come. */
function isOrdered({ service, op }: MomentCall): boolean {
	if (service === "DataStore") return true;
	return service === "Messaging" ? op === "Deliver" : service === "MemoryStore" && op === "GetAsync";
}
