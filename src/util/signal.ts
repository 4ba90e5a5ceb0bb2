import { TaskLibrary } from "../platform/platform";

/** A handler's place on a {@link Signal}. */
export interface SignalConnection {
	/** Whether the handler can still be called. */
	readonly connected: boolean;
	/** No call starts after this. Calling it again does nothing. Does not yield. */
	disconnect(): void;
}

/** The side of a {@link Signal} that listens. */
export interface Subscribable<T extends Array<unknown>> {
	/** Calls `callback` on every event until disconnected, each call in a thread of its own. Does not yield. */
	connect(callback: (...args: T) => void): SignalConnection;
	/** Calls `callback` on the next event only. Does not yield. */
	once(callback: (...args: T) => void): SignalConnection;
}

/**
 * A typed event. Each handler runs in a thread of its own, so that one that yields or throws holds up nobody: neither the
 * other handlers nor the code that fires.
 */
export class Signal<T extends Array<unknown>> implements Subscribable<T> {
	private listeners: ReadonlyArray<Listener<T>> = [];

	public constructor(private readonly taskLibrary: TaskLibrary) {}

	/** Calls `callback` on every `fire` until disconnected, in the order of connecting. Does not yield. */
	public connect(callback: (...args: T) => void): SignalConnection {
		return this.add(callback, false);
	}

	/** Calls `callback` on the next `fire` only. Does not yield. */
	public once(callback: (...args: T) => void): SignalConnection {
		return this.add(callback, true);
	}

	/** Starts every handler at once. Handlers connected meanwhile wait for the next `fire`. Does not yield. */
	public fire(...args: T): void {
		// `listeners` is replaced, never changed in place, so this walks the handlers of this very moment.
		for (const listener of this.listeners) {
			if (!listener.connected) continue;
			if (listener.onlyOnce) listener.disconnect();
			this.taskLibrary.spawn(listener.callback, ...args);
		}
	}

	/** Disconnects every handler. Does not yield. */
	public disconnectAll(): void {
		for (const listener of this.listeners) listener.connected = false;
		this.listeners = [];
	}

	private add(callback: (...args: T) => void, onlyOnce: boolean): SignalConnection {
		const listener: Listener<T> = {
			callback,
			onlyOnce,
			connected: true,
			disconnect: () => {
				if (!listener.connected) return;
				listener.connected = false;
				this.listeners = this.listeners.filter((other) => other !== listener);
			},
		};
		this.listeners = [...this.listeners, listener];
		return listener;
	}
}

interface Listener<T extends Array<unknown>> {
	readonly callback: (...args: T) => void;
	readonly onlyOnce: boolean;
	connected: boolean;
	readonly disconnect: () => void;
}
