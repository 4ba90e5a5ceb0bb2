import type { Measured, TimelineEntry } from "./case.ts";

/** One call of a service, as test/cloud/trace.ts has it. Times are virtual seconds. */
export interface RecordedCall {
	readonly id: number;
	readonly at: number;
	readonly server: string;
	readonly service: "DataStore" | "Messaging" | "MemoryStore" | "Http";
	readonly op: string;
	readonly store?: string;
	readonly key?: string;
	readonly outcome: "pending" | "ok" | "cancelled" | "cached" | "failed";
	readonly wrote: boolean;
	readonly writes: number;
	readonly appliedAt?: number;
	readonly answeredAt?: number;
	readonly failure?: string;
	readonly fault?: string;
	/** The JSON text of a published message. */
	readonly message?: string;
	/** For a delivery: the id of the call that published it. */
	readonly published?: number;
}

export interface StoredChange {
	readonly at: number;
	readonly store: string;
	readonly key: string;
	/** Not there where the key was removed. */
	readonly value?: unknown;
}

export interface RecordedServer {
	readonly name: string;
	readonly jobId: string;
	readonly startedAt: number;
	readonly topic: string;
}

export interface ThrownMishap {
	readonly kind: "lose" | "fail" | "silence" | "crash";
	readonly server?: string;
	readonly at: number;
	readonly hits: number;
}

/** A case as `record` of test/story/story.ts tells it. */
export interface Recording {
	readonly servers: ReadonlyArray<RecordedServer>;
	readonly calls: ReadonlyArray<RecordedCall>;
	readonly events: ReadonlyArray<TimelineEntry>;
	readonly changes: ReadonlyArray<StoredChange>;
	readonly presence: { readonly map: string; readonly ttlSeconds: number };
	readonly endsAt: number;
	readonly timeline: ReadonlyArray<TimelineEntry>;
	readonly mishaps: ReadonlyArray<ThrownMishap>;
	readonly measured?: Measured;
	readonly since?: number;
	readonly upTo?: number;
	readonly failure?: string;
}
