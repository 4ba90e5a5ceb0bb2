import { BatonError } from "../errors";
import { KeyInfo, Platform, Store, TransformReturn, VersionPages } from "../platform/platform";
import { Result, err, ok } from "../result";
import { Answer, Backend, ReadRecord, RecordInfo, RecordVersion, Transform } from "./backend";
import { BackendContext } from "./factory";
import { robloxErrorKind } from "./robloxErrors";
import { StoreCall, storeError, transformError } from "./storeError";
import { TransformRun } from "./transformRun";

/** Largest page of versions that Roblox gives (`ListVersionsAsync`). */
const PAGE_SIZE = 100;

function recordInfo(info: KeyInfo | undefined): RecordInfo | undefined {
	if (info === undefined) return undefined;
	return { updatedTime: info.UpdatedTime / 1000, userIds: info.GetUserIds(), metadata: info.GetMetadata() };
}

/** A standard Roblox data store. */
class DataStoreBackend implements Backend {
	public readonly name = "DataStore";
	public readonly hasStoreTime = true;
	private readonly platform: Platform;
	private opened?: Store;

	public constructor(private readonly context: BackendContext) {
		this.platform = context.platform;
	}

	public update<R>(key: string, transform: Transform<R>): Result<Answer<R>> {
		const call = this.call("the update", key);
		const run = new TransformRun(transform);
		const answer = this.attempt(call, (store) => {
			const [value, info] = store.UpdateAsync(key, (stored, storedInfo): TransformReturn => {
				const change = run.decide(stored, recordInfo(storedInfo));
				if (change?.write === undefined) return $tuple(undefined);
				return $tuple(change.write, [...change.userIds], change.metadata);
			});
			return { value, info: recordInfo(info) };
		});
		// From here to the end nothing yields, so a run of the transform that comes late cannot change the answer.
		const { last } = run;
		if (last?.kind === "threw") return err(transformError(call, last.message));
		if (!answer.success) return answer;
		if (last === undefined) return err(storeError(call, "retryable", "the store answered without asking"));
		const { change } = last;
		if (change.write === undefined) {
			return ok({ report: change.report, wrote: false, mayHaveWritten: run.mayHaveWritten });
		}
		const { value, info } = answer.value;
		if (value === undefined)
			return err(storeError(call, "retryable", "the store answered without what was written"));
		return ok({ report: change.report, wrote: true, updatedTime: info?.updatedTime });
	}

	public read(key: string, fresh: boolean): Result<ReadRecord | undefined> {
		return this.attempt(this.call("the read", key), (store) => {
			const [value, info] = store.GetAsync(key, fresh ? this.platform.uncachedRead : undefined);
			return this.found(value, info);
		});
	}

	public remove(key: string): Result<undefined> {
		return this.attempt(this.call("the removal", key), (store) => {
			store.RemoveAsync(key);
			return undefined;
		});
	}

	public listVersions(key: string, limit: number): Result<ReadonlyArray<RecordVersion>> {
		return this.attempt(this.call("the list of versions", key), (store) => {
			const size = math.clamp(limit, 1, PAGE_SIZE);
			const pages = store.ListVersionsAsync(key, Enum.SortDirection.Descending, 0, 0, size);
			return collectVersions(pages, limit);
		});
	}

	public readAt(key: string, unixSeconds: number): Result<ReadRecord | undefined> {
		return this.attempt(this.call("the read of an old version", key), (store) => {
			const [value, info] = store.GetVersionAtTimeAsync(key, math.floor(unixSeconds * 1000));
			return this.found(value, info);
		});
	}

	private found(value: unknown, info: KeyInfo | undefined): ReadRecord | undefined {
		if (value === undefined) return undefined;
		return { value, info: recordInfo(info) ?? { userIds: [], metadata: {} } };
	}

	/** `GetDataStore` throws in an unpublished place, so the store is opened at first use and not before. */
	private open(): Store {
		const { store, scope } = this.context;
		this.opened ??= this.platform.dataStores.GetDataStore(store, scope);
		return this.opened;
	}

	private attempt<T>(call: StoreCall, body: (store: Store) => T): Result<T> {
		const [fine, result] = pcall(() => body(this.open()));
		return fine ? ok(result) : err(this.failure(call, tostring(result)));
	}

	private failure(call: StoreCall, text: string): BatonError {
		return storeError(call, robloxErrorKind(text, this.platform.isStudio), text);
	}

	private call(what: string, key: string): StoreCall {
		return { backend: this.name, store: this.context.store, key, what };
	}
}

function collectVersions(pages: VersionPages, limit: number): Array<RecordVersion> {
	const versions = new Array<RecordVersion>();
	for (;;) {
		for (const { Version, CreatedTime, IsDeleted } of pages.GetCurrentPage()) {
			if (versions.size() >= limit) return versions;
			versions.push({ version: Version, createdTime: CreatedTime / 1000, deleted: IsDeleted });
		}
		if (pages.IsFinished || versions.size() >= limit) return versions;
		pages.AdvanceToNextPageAsync();
	}
}

/** The backend over Roblox's data stores: atomic through `UpdateAsync`, with the store's own time and versions. */
export const dataStoreBackend = (context: BackendContext): Backend => new DataStoreBackend(context);
