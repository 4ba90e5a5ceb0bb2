import { Platform } from "../../src/platform/platform";
import { Clocks } from "./clocks";
import { ServerDataStores } from "./datastore/service";
import { ServiceName } from "./latency";
import { EmulatedPlayers, KickNote } from "./players";
import { CallingServer } from "./requests";
import { Runner, createTaskLibrary } from "./tasks";
import { World } from "./world";

export interface ServerOptions {
	/** Default a GUID; `""` in Studio. */
	readonly jobId?: string;
	readonly isStudio?: boolean;
	/** Seconds by which its wall clock is ahead. */
	readonly skew?: number;
	/** Studio's access to API services. Default true. */
	readonly apiAccess?: boolean;
	/** Whether the place is published. Default true. */
	readonly published?: boolean;
	/** For traces. Default `S1`, `S2`, … */
	readonly name?: string;
}

/** When PlayerRemoving fires in a shutdown, as against the BindToClose callbacks. */
export type ShutdownOrder = "removingFirst" | "closeFirst" | "closeOnly" | "interleaved";

export interface ShutdownOptions {
	readonly order?: ShutdownOrder;
}

/** How long a closing server waits for its callbacks. */
const CLOSE_SECONDS = 30;

const allServices: ReadonlyArray<ServiceName> = ["DataStore", "Messaging", "MemoryStore", "Http"];

/** One game server: its threads, players and clocks, and its platform over the shared cloud. */
export class Server implements CallingServer {
	public readonly name: string;
	public readonly jobId: string;
	public readonly isStudio: boolean;
	public readonly apiAccess: boolean;
	public readonly published: boolean;
	public readonly platform: Platform;
	public readonly runner: Runner;
	public readonly clocks: Clocks;
	public alive = true;
	/** What it warned. */
	public readonly warnings = new Array<string>();
	/** Virtual seconds of its start. */
	public readonly startedAt: number;
	/** Virtual seconds of its end. */
	public endedAt?: number;
	/** Its calls are refused since it is being torn down. */
	public tornDown = false;
	public closing = false;
	/** Everyone it kicked. */
	public readonly kicks: Array<KickNote>;
	/** Its `Players`, with what a platform does not show. */
	public readonly playersService: EmulatedPlayers;
	/** Its `DataStoreService`, with what a platform does not show. */
	public readonly dataStores: ServerDataStores;
	private readonly closers = new Array<() => void>();
	private readonly onDeath = new Array<() => void>();
	private readonly cutOff = new Set<ServiceName>();

	public constructor(
		public readonly world: World,
		defaultName: string,
		options: ServerOptions,
	) {
		const { scheduler, switches } = world;
		this.name = options.name ?? defaultName;
		const random = world.random.fork(`server ${defaultName}`);
		this.isStudio = options.isStudio ?? false;
		this.jobId = options.jobId ?? (this.isStudio ? "" : random.guid());
		this.apiAccess = options.apiAccess ?? true;
		this.published = options.published ?? true;
		this.startedAt = scheduler.now;
		this.runner = new Runner(world.running, (cause, traceback, thread) =>
			world.threadError(this.name, cause, traceback, thread),
		);
		this.clocks = new Clocks(scheduler, world.startTime, random.between(0, 100000), options.skew ?? 0);
		const note = (text: string): void => world.trace.note(this.name, text);
		this.playersService = new EmulatedPlayers(this.runner, scheduler, switches.deferredSignals, note, () =>
			this.dataStores.beforePlayersChange(),
		);
		this.dataStores = new ServerDataStores(world, this);
		this.kicks = this.playersService.kicks;
		const services = world.services.forServer(this);
		this.platform = {
			jobId: this.jobId,
			isStudio: this.isStudio,
			dataStores: this.dataStores,
			messaging: services.messaging,
			memoryStores: services.memoryStores,
			http: services.http,
			players: this.playersService,
			shared: new Map(),
			task: createTaskLibrary(this.runner, scheduler, switches.frames),
			uncachedRead: { UseCache: false },
			clock: () => this.clocks.monotonic(),
			time: () => this.clocks.wall(),
			random: () => random.fraction(),
			bindToClose: (callback) => {
				this.closers.push(callback);
			},
			warn: (message) => {
				this.warnings.push(message);
				note(`warn ${message}`);
			},
		};
		note("start");
	}

	/** Lets a player in; a new Player object each time. */
	public join(userId: number, name = `Player${userId}`): Player {
		return this.playersService.add(userId, name);
	}

	/** Takes a player out: PlayerRemoving fires. Harmless when the player has left. */
	public leave(player: Player): void {
		this.playersService.remove(player);
	}

	public players(): Array<Player> {
		return this.playersService.GetPlayers();
	}

	/** How many players are on this server. */
	public playerCount(): number {
		return this.playersService.count();
	}

	/** Starts a thread on this server; its error ends up in the world's thread errors. */
	public spawn(body: () => void): void {
		this.runner.start(body);
	}

	/**
	 * Runs `body` on this server, yields the caller until it is done, and returns what it returned or throws what it threw.
	 * Throws when the server is dead or dies meanwhile.
	 */
	public run<T>(body: () => T): T {
		const wake = this.world.waker();
		let outcome: { readonly value: T } | { readonly cause: unknown } | undefined;
		let waiting = false;
		const finish = (reached: { readonly value: T } | { readonly cause: unknown }): void => {
			if (outcome !== undefined) return;
			outcome = reached;
			if (waiting) this.world.scheduler.defer(wake);
		};
		const died = (): void => finish({ cause: `server ${this.name} died while it ran this` });
		if (!this.alive) error(`server ${this.name} is dead`, 2);
		this.onDeath.push(died);
		this.runner.start(() => {
			const [success, value] = xpcall(
				() => body(),
				(cause: unknown) => {
					this.world.rememberTraceback(cause, debug.traceback(undefined, 2));
					return cause;
				},
			);
			finish(success ? { value: value } : { cause: value });
		});
		if (outcome === undefined) {
			waiting = true;
			coroutine.yield();
		}
		this.onDeath.remove(this.onDeath.indexOf(died));
		const reached = outcome as unknown as { readonly value: T } | { readonly cause: unknown };
		if ("cause" in reached) error(reached.cause, 0);
		return reached.value;
	}

	/**
	 * Closes the server: players are removed and BindToClose callbacks run, in the given order (default `removingFirst`),
	 * the callbacks for 30 s at most. Yields the caller until the server is dead.
	 */
	public shutdown(options: ShutdownOptions = {}): void {
		if (!this.alive || this.closing) return;
		this.closing = true;
		const { scheduler } = this.world;
		const order = options.order ?? "removingFirst";
		this.world.trace.note(this.name, `shutdown ${order}`);
		const wake = this.world.waker();
		const leaving = this.players();
		const removeNext = (): void => {
			const player = leaving.shift();
			if (player !== undefined) this.leave(player);
		};
		const removeAll = (): void => {
			while (leaving.size() > 0) removeNext();
		};
		let over = false;
		let open = this.closers.size();
		const finish = (): void => {
			if (over) return;
			over = true;
			this.tornDown = true;
			const die = (): void => {
				this.die("closed");
				wake();
			};
			// The caller may not have yielded yet.
			scheduler.after(this.world.switches.teardownSeconds, die);
		};
		const callClosers = (): void => {
			scheduler.after(CLOSE_SECONDS, finish);
			if (open === 0) scheduler.after(0, finish);
			for (const closer of this.closers) {
				this.runner.start(() => {
					const [success, cause] = xpcall(closer, (thrown: unknown) => {
						this.world.threadError(this.name, thrown, debug.traceback(undefined, 2));
						return thrown;
					});
					open -= 1;
					if (open === 0) finish();
					return [success, cause];
				});
			}
		};
		if (order === "removingFirst") removeAll();
		if (order === "interleaved") {
			const half = leaving.size() / 2;
			while (leaving.size() > half) removeNext();
		}
		callClosers();
		if (order === "closeFirst") scheduler.defer(removeAll);
		if (order === "interleaved") {
			const removeLater = (): void => {
				if (leaving.size() === 0 || !this.alive) return;
				removeNext();
				scheduler.after(0.05, removeLater);
			};
			scheduler.after(0.05, removeLater);
		}
		this.onDeath.push(() => {
			if (!over) this.world.scheduler.defer(wake);
			over = true;
		});
		coroutine.yield();
	}

	/** Ends the server on the spot: none of its threads is resumed, no handler runs. Requests under way may still land. */
	public crash(): void {
		this.die("crash");
	}

	/** Crashes the server when the `nth` of its threads from now, each start and each resumption counted, is about to run. */
	public crashAtStep(nth: number): void {
		this.runner.stopBefore(nth, () => this.crash());
	}

	/** How often one of its threads has run: see {@link crashAtStep}. */
	public steps(): number {
		return this.runner.steps;
	}

	/** Freezes the server: nothing of it runs until {@link resume}; what comes in meanwhile is held. */
	public pause(): void {
		this.runner.pause();
		this.world.trace.note(this.name, "pause");
	}

	public resume(): void {
		this.world.trace.note(this.name, "resume");
		this.runner.goOn();
	}

	/** Moves its wall clock by `seconds`, forwards or back. */
	public stepClock(seconds: number): void {
		this.clocks.step(seconds);
		this.world.trace.note(this.name, `clock steps ${seconds} s`);
	}

	/** From now on its wall clock gains `rate` seconds in a second, or loses them. */
	public driftClock(rate: number): void {
		this.clocks.drift(rate);
		this.world.trace.note(this.name, `clock drifts by ${rate}`);
	}

	/** Cuts the server off from one service, or from all; calls fail as without a network. */
	public partition(service?: ServiceName): void {
		for (const name of service === undefined ? allServices : [service]) this.cutOff.add(name);
		this.world.trace.note(this.name, `partition ${service ?? "all"}`);
	}

	/** Ends {@link partition}. */
	public heal(service?: ServiceName): void {
		for (const name of service === undefined ? allServices : [service]) this.cutOff.delete(name);
		this.world.trace.note(this.name, `heal ${service ?? "all"}`);
	}

	public reaches(service: ServiceName): boolean {
		return !this.cutOff.has(service);
	}

	/** Runs `callback` when the server dies, however that comes. */
	public whenDead(callback: () => void): void {
		this.onDeath.push(callback);
	}

	private die(how: string): void {
		if (!this.alive) return;
		this.dataStores.beforePlayersChange();
		this.alive = false;
		this.endedAt = this.world.now();
		this.runner.kill();
		this.world.trace.note(this.name, how);
		for (const callback of [...this.onDeath]) callback();
	}
}
