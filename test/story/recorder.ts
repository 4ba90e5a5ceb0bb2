import { topicOf } from "../../src/handoff/wire";
import { PRESENCE_MAP, PRESENCE_TTL_SECONDS } from "../../src/handoff/presence";
import { unpackStored } from "../cloud/datastore/json-copy";
import { TraceCall, TraceEvent } from "../cloud/trace";
import { World } from "../cloud/world";

/** What a key of a data store came to hold, at a virtual second. */
export interface StoredChange {
	readonly at: number;
	readonly store: string;
	readonly key: string;
	/** Not there where the key was removed. */
	readonly value?: unknown;
}

/** A server of the recorded world. */
export interface RecordedServer {
	readonly name: string;
	readonly jobId: string;
	readonly startedAt: number;
	/** The topic of requests and replies to it. */
	readonly topic: string;
}

/** What crossed a world, and what its data stores held after each change. Times are virtual seconds. */
export interface Recorded {
	readonly servers: ReadonlyArray<RecordedServer>;
	readonly calls: ReadonlyArray<TraceCall>;
	readonly events: ReadonlyArray<TraceEvent>;
	readonly changes: ReadonlyArray<StoredChange>;
	/** The MemoryStore map of beats, and how long one counts. */
	readonly presence: { readonly map: string; readonly ttlSeconds: number };
	readonly endsAt: number;
}

/** Records a world from before its start. */
export class Recorder {
	private readonly changes = new Array<StoredChange>();

	public constructor(private readonly world: World) {
		world.dataStores.onStored = (shelf, key, version) => {
			const value = version.deleted ? undefined : unpackStored(version.packed);
			this.changes.push({ at: world.now(), store: shelf.name, key, value });
		};
	}

	/** What was recorded so far. */
	public recorded(): Recorded {
		const { servers, trace } = this.world;
		return {
			servers: servers.map(({ name, jobId, startedAt }) => ({ name, jobId, startedAt, topic: topicOf(jobId) })),
			calls: trace.calls,
			events: trace.events,
			changes: this.changes,
			presence: { map: PRESENCE_MAP, ttlSeconds: PRESENCE_TTL_SECONDS },
			endsAt: this.world.now(),
		};
	}
}
