import { Result, err, ok } from "../result";
import { perPlatform } from "../util/perPlatform";
import { Answer, Backend, ReadRecord, RecordVersion, Transform } from "./backend";
import { BackendContext, BackendFactory } from "./factory";
import { MemoryRecords } from "./memoryRecords";
import { transformError } from "./storeError";
import { TransformRun } from "./transformRun";

/** Records in this server's memory, gone when it ends. Every call is answered at once. */
class MemoryBackend implements Backend {
	public readonly name = "Memory";
	public readonly hasStoreTime = false;

	public constructor(
		private readonly context: BackendContext,
		private readonly records: MemoryRecords,
	) {}

	public update<R>(key: string, transform: Transform<R>): Result<Answer<R>> {
		const run = new TransformRun(transform);
		const stored = this.records.get(this.id(key));
		const change = run.decide(stored?.value, stored?.info);
		const { last } = run;
		if (last?.kind === "threw" || change === undefined) {
			const message = last?.kind === "threw" ? last.message : "it did not run";
			const call = { backend: this.name, store: this.context.store, key, what: "the update" };
			return err(transformError(call, message));
		}
		if (change.write === undefined) return ok({ report: change.report, wrote: false });
		const { write, userIds, metadata, report } = change;
		this.records.put(this.id(key), { value: write, info: { userIds, metadata } }, this.now());
		return ok({ report, wrote: true });
	}

	public read(key: string, _fresh: boolean): Result<ReadRecord | undefined> {
		return ok(this.records.get(this.id(key)));
	}

	public remove(key: string): Result<undefined> {
		this.records.put(this.id(key), undefined, this.now());
		return ok(undefined);
	}

	public listVersions(key: string, limit: number): Result<ReadonlyArray<RecordVersion>> {
		return ok(this.records.list(this.id(key), limit));
	}

	public readAt(key: string, unixSeconds: number): Result<ReadRecord | undefined> {
		return ok(this.records.at(this.id(key), unixSeconds));
	}

	private now(): number {
		return this.context.platform.time();
	}

	/** Names and keys may hold any character, so their lengths keep them apart. */
	private id(key: string): string {
		const { store, scope = "global" } = this.context;
		return `${store.size()}:${store}/${scope.size()}:${scope}/${key}`;
	}
}

const recordsOfServer = perPlatform(() => new MemoryRecords());

/**
 * The backend over a server's own memory, for Studio, tests and places without data. The drivers of one server share
 * their records by store and scope; give `shared` to share them between servers. It
 * has no store time: a lock's age goes by the wall clock. Does not yield.
 */
export function memoryBackend(shared?: MemoryRecords): BackendFactory {
	return (context) => new MemoryBackend(context, shared ?? recordsOfServer(context.platform));
}
