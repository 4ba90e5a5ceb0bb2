import { Platform } from "../platform/platform";
import { Condition } from "../util/condition";
import { Waiter } from "../util/waiter";
import { OpenProfile } from "./openProfile";

/** What this server does with one key: it loads it, or has it open. */
export class Slot<T extends object> {
	/** Undefined while it loads. */
	public profile?: OpenProfile<T>;
	private changed: Waiter<true>;
	private parked?: Waiter<true>;
	private woken = false;

	public constructor(private readonly platform: Pick<Platform, "task">) {
		this.changed = new Waiter(platform);
	}

	/** Yields until something about the key changes, or `seconds` have passed. */
	public waitForChange(seconds: number): void {
		this.changed.wait(seconds);
	}

	/** Wakes everyone who waits for a change. */
	public signalChange(): void {
		const waking = this.changed;
		this.changed = new Waiter(this.platform);
		waking.resolve(true);
	}

	/** The load of this key pauses here between two attempts. */
	public park(seconds: number): void {
		if (this.woken) {
			this.woken = false;
			return;
		}
		const parked = new Waiter<true>(this.platform);
		this.parked = parked;
		parked.wait(seconds);
		this.parked = undefined;
	}

	/** Cuts the load's pause short, or the next one: what it tells may be newer than what an attempt under way has seen. */
	public unpark(): void {
		if (this.parked === undefined) this.woken = true;
		else this.parked.resolve(true);
	}
}

/** The keys that this server loads or has open; a key is here exactly as long as this server may write it. */
export class KeySlots<T extends object> {
	private readonly slots = new Map<string, Slot<T>>();
	/** Insertion order, for everything that walks them. */
	private order: ReadonlyArray<string> = [];
	private readonly emptied: Condition;

	public constructor(private readonly platform: Pick<Platform, "task" | "clock">) {
		this.emptied = new Condition(platform, () => this.order.isEmpty());
	}

	public get(key: string): Slot<T> | undefined {
		return this.slots.get(key);
	}

	public reserve(key: string): Slot<T> {
		const slot = new Slot<T>(this.platform);
		this.slots.set(key, slot);
		this.order = [...this.order, key];
		return slot;
	}

	public free(key: string, slot: Slot<T>): void {
		if (this.slots.get(key) !== slot) return;
		this.slots.delete(key);
		this.order = this.order.filter((other) => other !== key);
		slot.signalChange();
		if (this.order.isEmpty()) this.emptied.tell();
	}

	public keys(): ReadonlyArray<string> {
		return this.order;
	}

	public all(): ReadonlyArray<Slot<T>> {
		return this.order.mapFiltered((key) => this.slots.get(key));
	}

	public profiles(): ReadonlyArray<OpenProfile<T>> {
		return this.all().mapFiltered((slot) => slot.profile);
	}

	/** Yields until no key is left, or `deadline` on the platform's clock has passed. */
	public waitUntilEmpty(deadline: number): void {
		this.emptied.waitUntil(deadline);
	}
}
