import { DelayStage, Fault, FaultPoint, Faults } from "./faults";
import { drawLegs, LatencyProfile, Legs, ServiceName } from "./latency";
import { Moments } from "./moments";
import { SeededRandom } from "./random";
import { Scheduler } from "./scheduler";
import { Runner, sleepForever } from "./tasks";
import { Trace, TraceCall } from "./trace";

/** Why a call fails without the service having decided it: for the error's text. */
export type FailureKind = "failed" | "answerLost" | "throttled" | "unreachable";

/** What is called, on what, and how it words its failures. */
export interface CallDescriptor {
	readonly service: ServiceName;
	readonly op: string;
	/** Data store, topic or map. */
	readonly store?: string;
	readonly key?: string;
	/** The error text of a failure. */
	readonly failureText: (kind: FailureKind) => string;
	/**
	 * Lets the call through at once or later (a queue), or refuses it with an error text. Runs when the call is made.
	 */
	readonly admit?: (proceed: () => void, refuse: (text: string) => void) => void;
	/** Runs when the request arrives, before any fault but those of the way there; an error is the call's answer. */
	readonly arrive?: () => void;
	/** Whether arrive or apply has to run on the calling server (a transform): not while it is paused or dead. */
	readonly needsServer?: () => boolean;
}

/** What is known while a call is applied. */
export interface ApplyContext {
	/** 1 on the first run; a higher one must decide anew. */
	readonly attempt: number;
	/** A cached read shows what was stored that many seconds ago. */
	readonly staleSeconds?: number;
	/** The call's line in the trace. */
	readonly call: TraceCall;
}

/**
 * What applying a call comes to: an answer, or a change that gives the answer once it is made. `valid` tells whether the
 * change may still be made later without another run. `waitSeconds` puts the call off by so long. An error thrown instead
 * is the call's answer.
 */
export type ApplyOutcome<T> =
	| { readonly answer: T; readonly commit?: undefined; readonly waitSeconds?: undefined }
	| { readonly commit: () => T; readonly valid?: () => boolean; readonly waitSeconds?: undefined }
	| { readonly waitSeconds: number; readonly commit?: undefined };

/** A server as the pipeline sees it. */
export interface CallingServer {
	readonly name: string;
	readonly runner: Runner;
	/** Whether its calls of this service reach the cloud. */
	reaches(service: ServiceName): boolean;
	crash(): void;
}

/** What the pipeline runs on. */
export interface RequestSetting {
	readonly scheduler: Scheduler;
	readonly moments: Moments;
	readonly random: SeededRandom;
	readonly latency: LatencyProfile;
	readonly faults: Faults;
	readonly trace: Trace;
}

type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly text: string };

/**
 * The way of every call through the cloud: it arrives, is applied, is answered, each at its own time, and a fault can hit
 * each.
 */
export class Requests {
	public constructor(public readonly setting: RequestSetting) {}

	/** Makes a call. Yields the calling thread until it is answered; throws the error text when it fails. */
	public call<T>(
		server: CallingServer,
		descriptor: CallDescriptor,
		apply: (context: ApplyContext) => ApplyOutcome<T>,
	): T {
		if (!server.runner.alive) sleepForever();
		const thread = coroutine.running();
		const flight = new Flight<T>(this.setting, server, descriptor, apply, (reply) =>
			server.runner.resume(thread, reply),
		);
		server.runner.uncounted(() => flight.send());
		const [reply] = coroutine.yield() as LuaTuple<[Reply<T>]>;
		if (!reply.ok) error(reply.text, 0);
		return reply.value;
	}

	/** Notes a call that never left its server, and throws `text`. */
	public refuse(server: CallingServer, descriptor: CallDescriptor, text: string): never {
		const { service, op, store, key } = descriptor;
		const call = this.setting.trace.begin(server.name, service, op, store, key);
		call.outcome = "failed";
		call.failure = text;
		error(text, 0);
	}
}

/** One call under way. */
class Flight<T> {
	private readonly entry: TraceCall;
	private readonly legs: Legs;
	private fault: Fault | undefined;
	private attempt = 0;
	private settled = false;

	public constructor(
		private readonly setting: RequestSetting,
		private readonly server: CallingServer,
		private readonly descriptor: CallDescriptor,
		private readonly apply: (context: ApplyContext) => ApplyOutcome<T>,
		private readonly deliver: (reply: Reply<T>) => void,
	) {
		const { service, op, store, key } = descriptor;
		this.entry = setting.trace.begin(server.name, service, op, store, key);
		this.legs = drawLegs(setting.latency, service, setting.random);
	}

	public send(): void {
		this.fault = this.match(false);
		const admit = this.descriptor.admit;
		if (admit === undefined) this.depart();
		else
			admit(
				() => this.depart(),
				(text) => this.fail(text, 0),
			);
	}

	private depart(): void {
		// A queue is in the calling server's memory: it stands still with it and dies with it.
		this.server.runner.act(() => {
			this.moment("arrive", this.legs.arrive + this.delayAt("arrive", "arrive"), () =>
				this.whenServerCan(() => this.arrive()),
			);
		});
	}

	private arrive(): void {
		if (!this.server.reaches(this.descriptor.service)) return this.failAs("unreachable");
		const effect = this.fault?.effect;
		if (effect === "failBefore" || effect === "drop") return this.failAs("failed");
		if (effect === "throttle") return this.failAs("throttled");
		const arrive = this.descriptor.arrive;
		if (arrive !== undefined) {
			const [success, cause] = pcall(arrive);
			if (!success) return this.fail(tostring(cause), this.legs.respond);
		}
		this.moment("apply", this.legs.apply + this.delayAt("apply", "arrive"), () =>
			this.whenServerCan(() => this.applyNow()),
		);
	}

	private applyNow(): void {
		let outcome = this.decide();
		if (outcome === undefined) return;
		if (outcome.waitSeconds !== undefined) {
			this.applyLater(outcome.waitSeconds);
			return;
		}
		if (this.fault === undefined && outcome.commit !== undefined) {
			this.fault = this.match(true);
			const delay = this.delayAt("apply", "apply");
			if (delay > 0) {
				this.applyLater(delay);
				return;
			}
		}
		const fault = this.fault;
		const effect = fault?.effect;
		if (fault !== undefined && (effect === "conflict" || effect === "rerun")) {
			for (let run = 0; run < (fault.times ?? 1); run++) {
				outcome = this.decide();
				if (outcome === undefined) return;
			}
		}
		if (effect === "failBefore" || effect === "drop") return this.failAs("failed");
		if (effect === "throttle") return this.failAs("throttled");
		if (effect === "crashBefore") return this.server.crash();
		if (fault !== undefined && effect === "landLate") {
			const late = outcome;
			this.landLater(fault, 5, () => this.land(late));
			return this.failAs("answerLost");
		}
		if (fault !== undefined && effect === "hang" && fault.lands !== true) return;
		let value = this.commit(outcome);
		if (effect === "hang") return;
		if (effect === "crashAfter") return this.server.crash();
		if (effect === "loseAnswer") return this.failAs("answerLost");
		if (effect === "loseCommit") {
			const again = this.decide();
			if (again === undefined) return;
			value = this.commit(again);
		}
		if (fault !== undefined && effect === "duplicate") this.landLater(fault, 1, () => this.land(undefined));
		this.answer(value, this.legs.respond + this.delayAt("respond", "arrive"));
	}

	private landLater({ seconds, afterWrites }: Fault, usual: number, land: () => void): void {
		if (afterWrites === undefined) this.after(seconds ?? usual, land);
		for (const writes of afterWrites ?? []) {
			// Never inside the write that it follows.
			this.setting.faults.afterWrites(this.descriptor.store, writes, () => this.after(0, land));
		}
	}

	private applyLater(seconds: number): void {
		// What was decided stays good unless another write comes in between.
		this.attempt = 0;
		this.after(seconds, () => this.whenServerCan(() => this.applyNow()));
	}

	/** Seconds by which the fault, if it is a delay, holds up this stage; `usual` is where one delays that names none. */
	private delayAt(stage: DelayStage, usual: DelayStage): number {
		const fault = this.fault;
		if (fault === undefined || fault.effect !== "delay" || (fault.stage ?? usual) !== stage) return 0;
		return fault.seconds ?? 10;
	}

	/** Applies once more, after the caller has its answer: by another run where the server lives, else as it was decided. */
	private land(decided: ApplyOutcome<T> | undefined): void {
		const needsServer = this.descriptor.needsServer !== undefined;
		if (needsServer && !this.server.runner.alive) {
			if (decided?.commit !== undefined && (decided.valid === undefined || decided.valid())) this.commit(decided);
			return;
		}
		const applyAgain = (): void => {
			const outcome = this.decide();
			if (outcome !== undefined) this.commit(outcome);
		};
		if (needsServer) this.server.runner.act(applyAgain);
		else applyAgain();
	}

	private decide(): ApplyOutcome<T> | undefined {
		this.attempt += 1;
		const stale = this.fault?.effect === "stale" ? (this.fault.seconds ?? 4) : undefined;
		const context: ApplyContext = { attempt: this.attempt, staleSeconds: stale, call: this.entry };
		const [success, outcome] = pcall(() => this.apply(context));
		if (success) return outcome;
		this.fail(tostring(outcome), this.legs.respond);
		return undefined;
	}

	private commit(outcome: ApplyOutcome<T>): T {
		this.entry.appliedAt = this.setting.scheduler.now;
		if (outcome.commit === undefined) return outcome.waitSeconds === undefined ? outcome.answer : (undefined as T);
		const value = outcome.commit();
		this.entry.wrote = true;
		this.entry.writes += 1;
		this.setting.faults.noteWrite(this.descriptor.store);
		return value;
	}

	private match(durable: boolean): Fault | undefined {
		const { service, op, store, key } = this.descriptor;
		const point: FaultPoint = { service, op, store, key, server: this.server.name, durable };
		const fault = this.setting.faults.match(point);
		if (fault !== undefined) this.entry.fault = fault.effect;
		return fault;
	}

	private whenServerCan(action: () => void): void {
		if (this.descriptor.needsServer?.() === true) this.server.runner.act(action);
		else action();
	}

	private answer(value: T, seconds: number): void {
		this.respond({ ok: true, value }, seconds);
	}

	private failAs(kind: FailureKind): void {
		this.fail(this.fault?.message ?? this.descriptor.failureText(kind), this.legs.respond);
	}

	private fail(text: string, seconds: number): void {
		this.respond({ ok: false, text }, seconds);
	}

	private respond(reply: Reply<T>, seconds: number): void {
		if (this.settled) return;
		this.settled = true;
		this.moment("respond", seconds, () => {
			const heard: Reply<T> = this.server.reaches(this.descriptor.service)
				? reply
				: { ok: false, text: this.descriptor.failureText("unreachable") };
			this.server.runner.act(() => {
				const entry = this.entry;
				entry.answeredAt = this.setting.scheduler.now;
				if (!heard.ok) {
					entry.outcome = "failed";
					entry.failure = heard.text;
				} else if (entry.outcome === "pending") entry.outcome = "ok";
				this.deliver(heard);
			});
		});
	}

	private moment(stage: DelayStage, seconds: number, action: () => void): void {
		this.setting.moments.after(this.entry, stage, seconds, action);
	}

	private after(seconds: number, action: () => void): void {
		this.setting.scheduler.after(seconds, action);
	}
}
