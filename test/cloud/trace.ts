import { ServiceName } from "./latency";

/**
 * How a call went. `pending`: not answered yet, or never; `ok`: answered; `cancelled`: the transform returned nil;
 * `cached`: answered from the read cache; `failed`: the caller heard an error.
 */
export type CallOutcome = "pending" | "ok" | "cancelled" | "cached" | "failed";

/** One call of a service. Times are virtual seconds. */
export interface TraceCall {
	readonly id: number;
	readonly at: number;
	/** The calling server's name. */
	readonly server: string;
	readonly service: ServiceName;
	readonly op: string;
	readonly store?: string;
	readonly key?: string;
	outcome: CallOutcome;
	/** Whether it changed something stored, whatever its caller heard. */
	wrote: boolean;
	/** How often it did. */
	writes: number;
	appliedAt?: number;
	answeredAt?: number;
	/** What the caller heard. */
	failure?: string;
	/** The effect of the fault that hit it. */
	fault?: string;
	/** The JSON text of a published message. */
	message?: string;
	/** For the delivery of a message: the id of the call that published it. */
	published?: number;
}

/** Something that happened to a server: its start, a player's join, its end. */
export interface TraceEvent {
	readonly at: number;
	readonly server: string;
	readonly text: string;
}

/** Which calls to count: those that match every given field; `since` leaves out earlier ones, `upTo` later ones. */
export interface TraceFilter {
	readonly service?: ServiceName;
	readonly op?: string;
	readonly store?: string;
	readonly key?: string;
	readonly server?: string | { readonly name: string };
	readonly outcome?: CallOutcome;
	readonly wrote?: boolean;
	readonly since?: number;
	readonly upTo?: number;
}

/** Everything that crossed the cloud, in the order of the calls. */
export class Trace {
	public readonly calls = new Array<TraceCall>();
	public readonly events = new Array<TraceEvent>();

	public constructor(private readonly now: () => number) {}

	/** Starts the entry of a call. */
	public begin(server: string, service: ServiceName, op: string, store?: string, key?: string): TraceCall {
		const call: TraceCall = {
			id: this.calls.size() + 1,
			at: this.now(),
			server,
			service,
			op,
			store,
			key,
			outcome: "pending",
			wrote: false,
			writes: 0,
		};
		this.calls.push(call);
		return call;
	}

	/** Notes something that happened to a server. */
	public note(server: string, text: string): void {
		this.events.push({ at: this.now(), server, text });
	}

	/** The calls that match. */
	public select(filter: TraceFilter = {}): Array<TraceCall> {
		return this.calls.filter((call) => matches(call, filter));
	}

	/** How many calls match. */
	public count(filter: TraceFilter = {}): number {
		let count = 0;
		for (const call of this.calls) if (matches(call, filter)) count += 1;
		return count;
	}

	/** How many values were written to data stores (not removes), a doubled write counting twice. */
	public durableWrites(filter: TraceFilter = {}): number {
		let count = 0;
		for (const call of this.calls) {
			if (call.service !== "DataStore" || call.op === "RemoveAsync") continue;
			if (matches(call, filter)) count += call.writes;
		}
		return count;
	}

	/** How many keys were removed from data stores. */
	public removes(filter: TraceFilter = {}): number {
		let count = 0;
		for (const call of this.calls) {
			if (call.service !== "DataStore" || call.op !== "RemoveAsync") continue;
			if (matches(call, filter)) count += call.writes;
		}
		return count;
	}

	/** The trace as text, one line a call or event, by time: the same for the same seed. */
	public toText(): string {
		const lines = new Array<{ at: number; order: number; text: string }>();
		for (const event of this.events) {
			lines.push({ at: event.at, order: lines.size(), text: `${stamp(event.at)} ${event.server} ${event.text}` });
		}
		for (const call of this.calls) lines.push({ at: call.at, order: lines.size(), text: describeCall(call) });
		lines.sort((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
		return lines.map((line) => line.text).join("\n");
	}
}

/** One line about a call. */
export function describeCall(call: TraceCall): string {
	const place = call.store !== undefined ? ` ${call.store}${call.key !== undefined ? `/${call.key}` : ""}` : "";
	const parts = [`${stamp(call.at)} ${call.server} ${call.service}.${call.op}${place}: ${call.outcome}`];
	if (call.writes > 0) parts.push(call.writes === 1 ? "wrote" : `wrote ${call.writes} times`);
	if (call.appliedAt !== undefined) parts.push(`applied ${stamp(call.appliedAt)}`);
	if (call.answeredAt !== undefined) parts.push(`answered ${stamp(call.answeredAt)}`);
	if (call.fault !== undefined) parts.push(`fault ${call.fault}`);
	if (call.failure !== undefined) parts.push(call.failure);
	return parts.join(", ");
}

function stamp(seconds: number): string {
	return string.format("%.3f", seconds);
}

function matches(call: TraceCall, filter: TraceFilter): boolean {
	if (filter.service !== undefined && call.service !== filter.service) return false;
	if (filter.op !== undefined && call.op !== filter.op) return false;
	if (filter.store !== undefined && call.store !== filter.store) return false;
	if (filter.key !== undefined && call.key !== filter.key) return false;
	if (filter.outcome !== undefined && call.outcome !== filter.outcome) return false;
	if (filter.wrote !== undefined && call.wrote !== filter.wrote) return false;
	if (filter.since !== undefined && call.at < filter.since) return false;
	if (filter.upTo !== undefined && call.at > filter.upTo) return false;
	if (filter.server !== undefined) {
		const name = typeIs(filter.server, "string") ? filter.server : filter.server.name;
		if (call.server !== name) return false;
	}
	return true;
}
