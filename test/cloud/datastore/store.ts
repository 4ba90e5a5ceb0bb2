import { KeyInfo, ReadOptions, Store, TransformReturn, VersionPages } from "../../../src/platform/platform";
import { ApplyOutcome, CallDescriptor } from "../requests";
import { Server } from "../server";
import { World } from "../world";
import { kilobytes, READ_KILOBYTES, ServerBudget, throughputWait, WRITE_KILOBYTES } from "./budget";
import { ReadCache } from "./cache";
import { Shelf, WriteExtras } from "./cloud";
import { keyProblem, metadataProblem, RequestKind, StoreErrors, tooLarge, userIdsProblem, VALUE_BYTES } from "./errors";
import { Packed, unpackStored } from "./json-copy";
import { KeyInfoSnapshot } from "./key-info";
import { KeyHistory, StoredVersion } from "./key-history";
import { UpdateRun } from "./update";
import { StoredVersionPages } from "./versions";

type ReadAnswer = LuaTuple<[value: unknown, info: KeyInfo | undefined]>;

/** `DataStoreSetOptions`. */
interface SetOptions {
	GetMetadata(): object;
}

/** A standard `DataStore` on one server. */
export class StoreHandle implements Store {
	public readonly ClassName = "DataStore";
	public readonly cache: ReadCache;
	public readonly shelf: Shelf;
	private readonly lastWrites = new Map<string, number>();

	public constructor(
		public readonly world: World,
		public readonly server: Server,
		private readonly budget: ServerBudget,
		public readonly name: string,
		public readonly scope: string,
	) {
		this.cache = new ReadCache(world.scheduler, world.switches.cacheMissing);
		this.shelf = world.dataStores.shelf(name, scope);
	}

	public GetAsync(key: string, options?: ReadOptions): ReadAnswer {
		const useCache = options === undefined || options.UseCache;
		const call = this.describe("GetAsync", key, ["StandardRead"]);
		if (useCache) {
			const cached = this.cache.find(key);
			if (cached !== undefined) {
				this.answerFromCache(key);
				return answerOf(cached.version);
			}
		}
		const history = this.history(key);
		const version = this.world.requests.call<StoredVersion | undefined>(this.server, call, (context) => {
			const found =
				context.staleSeconds !== undefined && useCache
					? history.asOf(this.world.dataStores.now() - context.staleSeconds * 1000)
					: history.live();
			return this.countRead(history, found, "GetAsync") ?? { answer: found };
		});
		this.cache.put(key, version);
		return answerOf(version);
	}

	public SetAsync(key: string, value: unknown, userIds?: Array<number>, options?: SetOptions): string {
		const call = this.describe("SetAsync", key, ["StandardWrite"]);
		if (value === undefined) this.world.requests.refuse(this.server, call, "Argument 2 missing or nil");
		const metadata = options?.GetMetadata();
		const packed = this.packOrRefuse(call, value, userIds, metadata);
		const history = this.history(key);
		const version = this.world.requests.call(this.server, call, () => {
			return this.writeOutcome(history, key, packed, { userIds, metadata }, "SetAsync");
		});
		this.afterWrite(key, version);
		return version.id;
	}

	public IncrementAsync(key: string, delta = 1, userIds?: Array<number>, options?: SetOptions): ReadAnswer {
		const call = this.describe("IncrementAsync", key, ["StandardWrite"]);
		if (delta % 1 !== 0) this.world.requests.refuse(this.server, call, "Argument 2 must be an integer");
		const metadata = options?.GetMetadata();
		this.packOrRefuse(call, delta, userIds, metadata);
		const history = this.history(key);
		const version = this.world.requests.call(this.server, call, () => {
			const stored = history.live()?.packed.value ?? 0;
			if (!typeIs(stored, "number") || stored % 1 !== 0) error(this.errors("IncrementAsync").internal(), 0);
			const packed = this.world.dataStores.copier.pack(stored + delta);
			return this.writeOutcome(history, key, packed, { userIds, metadata }, "IncrementAsync");
		});
		this.afterWrite(key, version);
		return answerOf(version);
	}

	public UpdateAsync(
		key: string,
		transform: (value: unknown, info: KeyInfo | undefined) => TransformReturn,
	): ReadAnswer {
		const call = this.describe("UpdateAsync", key, ["StandardRead", "StandardWrite"]);
		const run = new UpdateRun(this, key, this.history(key), transform);
		const { version, cancelled } = this.world.requests.call(
			this.server,
			{ ...call, arrive: () => run.arrive(), needsServer: () => run.needsServer() },
			(context) => run.apply(context),
		);
		if (cancelled) {
			this.budget.giveBack("StandardWrite");
			return answerOf(this.world.switches.cancelReturnsStored ? version : undefined);
		}
		this.afterWrite(key, version);
		return answerOf(version);
	}

	public RemoveAsync(key: string): ReadAnswer {
		const call = this.describe("RemoveAsync", key, ["StandardRemove"]);
		const history = this.history(key);
		const before = this.world.requests.call(this.server, call, (): ApplyOutcome<StoredVersion | undefined> => {
			if (history.live() === undefined) return { answer: undefined };
			return { commit: () => this.world.dataStores.remove(history, this.server.name) };
		});
		if (this.world.switches.ownWritesUpdateCache) this.cache.put(key, undefined);
		return answerOf(before);
	}

	public ListVersionsAsync(
		key: string,
		sortDirection?: Enum.SortDirection,
		minDate = 0,
		maxDate = 0,
		pageSize = 0,
	): VersionPages {
		const call = this.describe("ListVersionsAsync", key, ["StandardList"]);
		const history = this.history(key);
		const descending = sortDirection !== undefined && (sortDirection as { Name?: string }).Name === "Descending";
		const list = (): Array<StoredVersion> =>
			this.world.requests.call(this.server, call, (context) => {
				const now = this.world.dataStores.now();
				const newest = context.staleSeconds !== undefined ? now - context.staleSeconds * 1000 : math.huge;
				const last = maxDate === 0 ? newest : math.min(maxDate, newest);
				const found = history
					.readable(now)
					.filter((version) => version.time >= minDate && version.time <= last);
				return { answer: found };
			});
		return new StoredVersionPages(list(), descending, pageSize === 0 ? 1024 : pageSize, () => {
			list();
		});
	}

	public GetVersionAsync(key: string, version: string): ReadAnswer {
		const call = this.describe("GetVersionAsync", key, ["StandardRead"]);
		const history = this.history(key);
		const found = this.world.requests.call<StoredVersion | undefined>(this.server, call, () => {
			const stored = history.readable(this.world.dataStores.now()).find((kept) => kept.id === version);
			if (stored === undefined) error(this.errors("GetVersionAsync").invalidVersion(), 0);
			return this.countRead(history, stored, "GetVersionAsync") ?? { answer: stored };
		});
		return answerOf(found !== undefined && !found.deleted ? found : undefined);
	}

	public GetVersionAtTimeAsync(key: string, timestamp: number): ReadAnswer {
		const call = this.describe("GetVersionAtTimeAsync", key, ["StandardRead"]);
		const errors = this.errors("GetVersionAtTimeAsync");
		if (timestamp <= 0 || timestamp > this.world.dataStores.now() + 600000) {
			this.world.requests.refuse(this.server, call, errors.invalidTimestamp());
		}
		const history = this.history(key);
		const found = this.world.requests.call<StoredVersion | undefined>(this.server, call, () => {
			let stored: StoredVersion | undefined;
			for (const version of history.readable(this.world.dataStores.now())) {
				if (version.time <= timestamp) stored = version;
			}
			return this.countRead(history, stored, "GetVersionAtTimeAsync") ?? { answer: stored };
		});
		return answerOf(found !== undefined && !found.deleted ? found : undefined);
	}

	/** The error texts of a method. */
	public errors(api: string): StoreErrors {
		return new StoreErrors(this.world.switches.errorTexts, api, this.name);
	}

	/** Counts a read of `version` against the key's throughput; undefined when it fits. Throws or waits when it does not. */
	public countRead<T>(
		history: KeyHistory,
		version: StoredVersion | undefined,
		api: string,
	): ApplyOutcome<T> | undefined {
		const { switches, scheduler } = this.world;
		if (!switches.limits) return undefined;
		const bytes = version !== undefined ? version.packed.bytes : 0;
		const wait = throughputWait(history.reads, scheduler.now, bytes, READ_KILOBYTES);
		if (wait > 0) {
			if (switches.keyThroughput === "wait") return { waitSeconds: wait };
			error(this.errors(api).keyThrottled(), 0);
		}
		history.reads.add(scheduler.now, kilobytes(bytes));
		return undefined;
	}

	/** The outcome of a call that writes `packed`, within the key's throughput. */
	public writeOutcome(
		history: KeyHistory,
		key: string,
		packed: Packed,
		extras: WriteExtras,
		api: string,
		valid?: () => boolean,
	): ApplyOutcome<StoredVersion> {
		const { switches, scheduler } = this.world;
		if (switches.limits) {
			const wait = throughputWait(history.writes, scheduler.now, packed.bytes, WRITE_KILOBYTES);
			if (wait > 0) {
				if (switches.keyThroughput === "wait") return { waitSeconds: wait };
				error(this.errors(api).keyThrottled(), 0);
			}
		}
		return {
			commit: () => {
				if (switches.limits) history.writes.add(scheduler.now, kilobytes(packed.bytes));
				this.lastWrites.set(key, scheduler.now);
				return this.world.dataStores.write(history, packed, { ...extras, writer: this.server.name });
			},
			valid,
		};
	}

	/** The stored form of what a write brings, or the text of what is wrong with it. */
	public pack(value: unknown, userIds: unknown, metadata: unknown): Packed {
		const problem = userIdsProblem(userIds) ?? metadataProblem(metadata);
		if (problem !== undefined) error(problem, 0);
		const packed = this.world.dataStores.copier.pack(value);
		if (packed.bytes > VALUE_BYTES) error(tooLarge(), 0);
		return packed;
	}

	private packOrRefuse(call: CallDescriptor, value: unknown, userIds: unknown, metadata: unknown): Packed {
		const [success, packed] = pcall(() => this.pack(value, userIds, metadata));
		if (!success) this.world.requests.refuse(this.server, call, tostring(packed));
		return packed;
	}

	private history(key: string): KeyHistory {
		return this.world.dataStores.history(this.shelf, key);
	}

	private afterWrite(key: string, version: StoredVersion | undefined): void {
		if (this.world.switches.ownWritesUpdateCache) this.cache.put(key, version);
	}

	private answerFromCache(key: string): void {
		const call = this.world.trace.begin(this.server.name, "DataStore", "GetAsync", this.name, key);
		call.outcome = "cached";
		if (!this.world.switches.cachedReadYields) return;
		const thread = coroutine.running();
		this.world.scheduler.defer(() => this.server.runner.resume(thread));
		coroutine.yield();
	}

	/** Checks what can be checked on the spot, and describes the call for the pipeline. */
	private describe(op: string, key: string, kinds: ReadonlyArray<RequestKind>): CallDescriptor {
		const errors = this.errors(op);
		const last = kinds[kinds.size() - 1];
		const call: CallDescriptor = {
			service: "DataStore",
			op,
			store: this.name,
			key,
			failureText: (kind) => {
				if (kind === "throttled") return errors.serverThrottled(last);
				if (kind === "unreachable") return errors.unreachable();
				return kind === "answerLost" ? errors.answerLost() : errors.internal();
			},
			arrive: () => this.world.dataStores.budget.take(last, errors),
			admit: (proceed, refuse) =>
				this.budget.admit(kinds, key, errors, () => this.coolDown(op, key, proceed), refuse),
		};
		const problem = keyProblem(key);
		if (problem !== undefined) this.world.requests.refuse(this.server, call, problem);
		if (this.server.tornDown)
			this.world.requests.refuse(this.server, call, errors.shuttingDown(this.world.switches.shutdownError));
		if (this.server.isStudio && !this.server.apiAccess) {
			this.world.requests.refuse(this.server, call, errors.studioAccess());
		}
		return call;
	}

	private coolDown(op: string, key: string, proceed: () => void): void {
		const { switches, scheduler } = this.world;
		const last = this.lastWrites.get(key);
		const writes = op === "SetAsync" || op === "UpdateAsync" || op === "IncrementAsync";
		if (!writes || switches.writeCooldown === 0 || last === undefined) return proceed();
		const wait = last + switches.writeCooldown - scheduler.now;
		if (wait <= 0) proceed();
		else scheduler.after(wait, proceed);
	}
}

/** A version as a method returns it: a fresh copy of its value, and its key info. */
export function answerOf(version: StoredVersion | undefined): ReadAnswer {
	if (version === undefined) return $tuple(undefined, undefined);
	return $tuple(unpackStored(version.packed), new KeyInfoSnapshot(version));
}
