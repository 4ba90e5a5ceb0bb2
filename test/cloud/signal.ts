import { Runner } from "./tasks";
import { Scheduler } from "./scheduler";

/** `RBXScriptConnection`. */
export class SignalConnection<T extends Array<unknown>> {
	public Connected = true;

	public constructor(
		public readonly callback: (...args: T) => void,
		public readonly once: boolean,
		private readonly forget: (connection: SignalConnection<T>) => void,
	) {}

	public Disconnect(): void {
		this.Connected = false;
		this.forget(this);
	}
}

/**
 * `RBXScriptSignal`: each handler runs in a thread of its own. With `deferred`, handlers run at the end of the resumption
 * cycle, and one that was disconnected meanwhile is not called.
 */
export class EmulatedSignal<T extends Array<unknown>> {
	private connections = new Array<SignalConnection<T>>();

	public constructor(
		private readonly runner: Runner,
		private readonly scheduler: Scheduler,
		private readonly deferred: boolean,
	) {}

	public Connect(callback: (...args: T) => void): SignalConnection<T> {
		return this.add(callback, false);
	}

	public Once(callback: (...args: T) => void): SignalConnection<T> {
		return this.add(callback, true);
	}

	/** Yields until the next fire and returns its first argument. */
	public Wait(): T[0] {
		const thread = coroutine.running();
		this.add((...args) => this.runner.resume(thread, args[0]), true);
		return coroutine.yield()[0];
	}

	/** Calls every handler that is connected now. */
	public fire(...args: T): void {
		for (const connection of [...this.connections]) {
			if (this.deferred) this.scheduler.defer(() => this.call(connection, args));
			else this.call(connection, args);
		}
	}

	private call(connection: SignalConnection<T>, args: T): void {
		if (!connection.Connected) return;
		if (connection.once) connection.Disconnect();
		this.runner.start(connection.callback, ...args);
	}

	private add(callback: (...args: T) => void, once: boolean): SignalConnection<T> {
		const connection = new SignalConnection<T>(callback, once, (gone) => {
			this.connections = this.connections.filter((other) => other !== gone);
		});
		this.connections.push(connection);
		return connection;
	}
}
