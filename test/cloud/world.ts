import { DataStoreCloud } from "./datastore/cloud";
import { StoredKeys } from "./datastore/stored-keys";
import { Faults } from "./faults";
import { LatencyProfile, LatencyProfileName, latencyProfiles } from "./latency";
import { Moments } from "./moments";
import { SeededRandom } from "./random";
import { Requests } from "./requests";
import { Scheduler } from "./scheduler";
import { Server, ServerOptions } from "./server";
import { CloudServices } from "./services";
import { defaultSwitches, Switches } from "./switches";
import { Runner, Running } from "./tasks";
import { Trace } from "./trace";

export interface WorldOptions {
	/** Same seed, same run. Default 1. */
	readonly seed?: number;
	/** Default `fast`. */
	readonly profile?: LatencyProfileName;
	/** Unix seconds at the start, on the store's clock. Default 2026-01-01T00:00:30Z. */
	readonly startTime?: number;
	readonly switches?: Partial<Switches>;
	/** Virtual seconds after which a run that has not ended fails. Default two days. */
	readonly maxSeconds?: number;
	/** Real seconds: measures what servers' own code takes ({@link Runner.cpuSeconds}). Not for specs. */
	readonly cpuClock?: () => number;
}

interface ThreadError {
	readonly at: number;
	readonly server: string;
	readonly message: string;
	readonly traceback: string;
}

const DEFAULT_START = 1767225630;
const DEFAULT_MAX_SECONDS = 172800;

/** One emulated Roblox: a virtual clock, a cloud, and any number of servers. */
export class World {
	public readonly scheduler = new Scheduler();
	public readonly moments = new Moments(this.scheduler);
	public readonly random: SeededRandom;
	public readonly switches: Switches;
	public readonly latency: LatencyProfile;
	public readonly faults: Faults;
	public readonly trace: Trace;
	public readonly requests: Requests;
	public readonly dataStores: DataStoreCloud;
	public readonly services: CloudServices;
	public readonly servers = new Array<Server>();
	/** Unix seconds at the start. */
	public readonly startTime: number;
	/** Whose code runs right now. */
	public readonly running: Running;
	/** Parts of the messages of thread errors that a spec provokes: these do not fail the run. */
	public readonly expectThreadErrors = new Array<string>();
	/** Errors that ended a server's thread. */
	public readonly threadErrors = new Array<ThreadError>();
	private readonly maxSeconds: number;
	private readonly bodyRunner: Runner;
	private bodyThread: thread | undefined;
	private bodyFailure: string | undefined;
	private lastTraceback: { cause: unknown; traceback: string } | undefined;

	public constructor(public readonly options: WorldOptions = {}) {
		const now = (): number => this.scheduler.now;
		this.running = { current: undefined, cpuClock: options.cpuClock };
		this.random = new SeededRandom(options.seed ?? 1);
		this.switches = { ...defaultSwitches, ...options.switches };
		this.latency = latencyProfiles[options.profile ?? "fast"];
		this.startTime = options.startTime ?? DEFAULT_START;
		this.maxSeconds = options.maxSeconds ?? DEFAULT_MAX_SECONDS;
		const faultRandom = this.random.fork("faults");
		this.faults = new Faults(now, () => faultRandom.fraction());
		this.trace = new Trace(now);
		this.requests = new Requests({
			scheduler: this.scheduler,
			moments: this.moments,
			random: this.random.fork("latency"),
			latency: this.latency,
			faults: this.faults,
			trace: this.trace,
		});
		this.dataStores = new DataStoreCloud(this);
		this.services = new CloudServices(this);
		this.bodyRunner = new Runner(this.running, (cause, traceback) => this.bodyBroke(cause, traceback));
	}

	/**
	 * Runs `body` on the virtual clock until it returns. Throws its error with a traceback, a clear error when it waits for
	 * something that never comes, and the first error that ended a server's thread unless it is expected.
	 */
	public run(body: () => void): void {
		let done = false;
		const outer = this.running.current;
		const thread = coroutine.create(() => {
			body();
			done = true;
		});
		const outerThread = this.bodyThread;
		this.bodyThread = thread;
		this.bodyRunner.resume(thread);
		this.scheduler.settle();
		const limit = this.scheduler.now + this.maxSeconds;
		while (!done && this.bodyFailure === undefined) {
			if (!this.scheduler.step()) {
				error(
					`the run waits for something that never comes, at ${this.now()} s\n${debug.traceback(thread)}`,
					0,
				);
			}
			if (this.scheduler.now > limit) {
				error(`the run has not ended after ${this.maxSeconds} virtual seconds\n${debug.traceback(thread)}`, 0);
			}
		}
		this.running.current = outer;
		this.bodyThread = outerThread;
		const failure = this.bodyFailure;
		this.bodyFailure = undefined;
		if (failure !== undefined) error(failure + this.describeThreadErrors(), 0);
		const unexpected = this.describeThreadErrors();
		if (unexpected !== "") error(unexpected, 0);
	}

	/** Virtual seconds since the start. */
	public now(): number {
		return this.scheduler.now;
	}

	/** Unix seconds on the cloud's own clock, the one of `KeyInfo.UpdatedTime`. */
	public cloudTime(): number {
		return this.startTime + this.scheduler.now;
	}

	/** Yields the caller for `seconds`. */
	public wait(seconds: number): void {
		const wake = this.waker();
		this.scheduler.after(seconds, wake);
		coroutine.yield();
	}

	/** Runs `action`, which may not yield, in `seconds`; on no server. */
	public after(seconds: number, action: () => void): void {
		this.scheduler.after(seconds, action);
	}

	/** A function that resumes the running thread, as whoever it belongs to. */
	public waker(): () => void {
		const thread = coroutine.running();
		// A body that called a server's service itself was resumed by that server, and is no thread of it.
		const current = thread === this.bodyThread ? undefined : this.running.current;
		const runner = current ?? this.bodyRunner;
		return () => runner.resume(thread);
	}

	/** Yields the caller until `condition` holds, looked at every 0.05 s; throws when it does not within `seconds`. */
	public waitUntil(condition: () => boolean, seconds = 600): void {
		const deadline = this.now() + seconds;
		while (!condition()) {
			if (this.now() >= deadline) error(`did not come true within ${seconds} s`, 2);
			this.wait(0.05);
		}
	}

	/** Boots a server. */
	public startServer(options: ServerOptions = {}): Server {
		const server = new Server(this, `S${this.servers.size() + 1}`, options);
		this.servers.push(server);
		return server;
	}

	/** What a data store holds, seen from outside any server. */
	public store(name: string, scope = "global"): StoredKeys {
		return new StoredKeys(this.dataStores, name, scope);
	}

	/** Players online, on all servers. */
	public playersOnline(): number {
		let count = this.switches.otherPlayers;
		for (const server of this.servers) if (server.alive) count += server.playerCount();
		return count;
	}

	/** Notes an error that ended a thread. */
	public threadError(server: string, cause: unknown, traceback: string, thread?: thread): void {
		if (thread !== undefined && thread === this.bodyThread) return this.bodyBroke(cause, traceback);
		this.threadErrors.push({ at: this.now(), server, message: tostring(cause), traceback });
	}

	/** Keeps the traceback of an error that is about to be rethrown elsewhere. */
	public rememberTraceback(cause: unknown, traceback: string): void {
		this.lastTraceback = { cause, traceback };
	}

	private bodyBroke(cause: unknown, traceback: string): void {
		const below = this.lastTraceback;
		const origin = below !== undefined && below.cause === cause ? `\n${below.traceback}` : "";
		this.bodyFailure = `${tostring(cause)}${origin}\n${traceback}`;
	}

	private describeThreadErrors(): string {
		let text = "";
		for (const failure of this.threadErrors) {
			const expected = this.expectThreadErrors.some(
				(part) => failure.message.find(part, 1, true)[0] !== undefined,
			);
			if (expected) continue;
			text += `\nerror in a thread of ${failure.server} at ${failure.at} s: ${failure.message}\n${failure.traceback}`;
		}
		return text;
	}
}
