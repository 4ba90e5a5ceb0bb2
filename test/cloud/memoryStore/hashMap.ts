import { HashMap } from "../../../src/platform/platform";
import { decodeJson, tryEncodeJson } from "../json";
import { ApplyOutcome, CallDescriptor, FailureKind } from "../requests";
import { Server } from "../server";
import { World } from "../world";
import { MemoryStoreCode, memoryStoreError } from "./errors";
import { MAX_EXPIRATION_SECONDS, MAX_KEY_CHARACTERS, MAX_VALUE_BYTES, memoryQuota, unitsPerMinute } from "./limits";
import { MemoryCloud } from "./memoryCloud";

type Operation = "Get" | "Set" | "Update" | "Remove";

/** Request units of a call; an update reads and writes. */
const UNITS: Record<Operation, number> = { Get: 1, Set: 1, Update: 2, Remove: 1 };

const failureCodes: Record<FailureKind, MemoryStoreCode> = {
	failed: "InternalError",
	answerLost: "InternalError",
	throttled: "RequestThrottled",
	unreachable: "InternalError",
};

/** `MemoryStoreHashMap` as one server sees it. */
export class EmulatedHashMap implements HashMap {
	public constructor(
		private readonly world: World,
		private readonly server: Server,
		private readonly cloud: MemoryCloud,
		private readonly name: string,
	) {}

	public GetAsync(key: string): unknown {
		return this.call<unknown>("Get", key, this.keyProblem("Get", key), (stale) => {
			const behind = stale ?? this.world.switches.memoryStaleSeconds;
			const { memory } = this.cloud;
			const text = behind > 0 ? memory.readBehind(this.name, key, behind) : memory.read(this.name, key);
			return { answer: text === undefined ? undefined : decodeJson(text) };
		});
	}

	public SetAsync(key: string, value: unknown, expiration: number): boolean {
		const text = value === undefined ? undefined : tryEncodeJson(value);
		const problem =
			this.keyProblem("Set", key) ??
			this.expirationProblem("Set", expiration) ??
			(text === undefined ? memoryStoreError("InvalidRequest", "Set") : undefined);
		return this.call<boolean>("Set", key, problem, () => {
			this.checkRoom("Set", key, text as string);
			return {
				commit: () => {
					const replaced = this.cloud.memory.write(this.name, key, text as string, this.life(expiration));
					return replaced || !this.world.switches.memorySetTellsCreation;
				},
			};
		});
	}

	public UpdateAsync(key: string, transform: (value: unknown) => unknown, expiration: number): unknown {
		const problem = this.keyProblem("Update", key) ?? this.expirationProblem("Update", expiration);
		return this.call<unknown>("Update", key, problem, (_stale, attempt, cancel) =>
			this.update(key, transform, expiration, attempt, cancel),
		);
	}

	public RemoveAsync(key: string): void {
		this.call<undefined>("Remove", key, this.keyProblem("Remove", key), () => ({
			commit: () => {
				this.cloud.memory.remove(this.name, key);
				return undefined;
			},
		}));
	}

	private update(
		key: string,
		transform: (value: unknown) => unknown,
		expiration: number,
		attempt: number,
		cancel: () => void,
	): ApplyOutcome<unknown> {
		const { switches } = this.world;
		const { memory } = this.cloud;
		if (attempt > switches.memoryUpdateAttempts) error(memoryStoreError("UpdateConflict", "Update"), 0);
		if (switches.memoryShortLivedUpdateFails && memory.isShortLived(this.name, key)) {
			error(memoryStoreError("InternalError", "Update"), 0);
		}
		const before = memory.read(this.name, key);
		const run = this.server.runner.callNow(() => transform(before === undefined ? undefined : decodeJson(before)));
		if (run.kind !== "returned") {
			const cause = run.kind === "threw" ? tostring(run.cause) : "Callbacks cannot yield";
			this.server.platform.warn(cause);
			if (switches.memoryTransformErrorRaises) error(memoryStoreError("TransformCallbackFailed", "Update"), 0);
		}
		if (run.kind !== "returned" || run.value === undefined) {
			cancel();
			return { answer: undefined };
		}
		const text = tryEncodeJson(run.value);
		if (text === undefined) error(memoryStoreError("InvalidRequest", "Update"), 0);
		this.checkRoom("Update", key, text);
		return {
			commit: () => {
				memory.write(this.name, key, text, this.life(expiration));
				return decodeJson(text);
			},
			valid: () => memory.read(this.name, key) === before,
		};
	}

	private call<T>(
		operation: Operation,
		key: string,
		problem: string | undefined,
		apply: (stale: number | undefined, attempt: number, cancel: () => void) => ApplyOutcome<T>,
	): T {
		const { requests, switches } = this.world;
		const runsHere = operation === "Update";
		const descriptor: CallDescriptor = {
			service: "MemoryStore",
			op: `${operation}Async`,
			store: this.name,
			key,
			failureText: (kind) => memoryStoreError(failureCodes[kind], operation),
			arrive: () => {
				if (!switches.limits || this.takeUnits(UNITS[operation])) return;
				error(memoryStoreError("RequestThrottled", operation), 0);
			},
			// The transform runs on the calling server.
			needsServer: runsHere ? () => true : undefined,
		};
		if (problem !== undefined) requests.refuse(this.server, descriptor, problem);
		return requests.call(this.server, descriptor, ({ staleSeconds, attempt, call }) =>
			apply(staleSeconds, attempt, () => (call.outcome = "cancelled")),
		);
	}

	private takeUnits(units: number): boolean {
		return this.cloud.units.take("units", unitsPerMinute(this.cloud.users()), units);
	}

	private keyProblem(operation: Operation, key: string): string | undefined {
		const [length] = utf8.len(key);
		const fits = typeIs(length, "number") && length >= 1 && length <= MAX_KEY_CHARACTERS;
		return fits
			? undefined
			: memoryStoreError("InvalidRequest", operation, "The key must have 1 to 128 characters.");
	}

	private expirationProblem(operation: Operation, seconds: number): string | undefined {
		const fits = typeIs(seconds, "number") && seconds >= 0 && seconds <= MAX_EXPIRATION_SECONDS;
		return fits ? undefined : memoryStoreError("InvalidExpirationTime", operation);
	}

	private life(expiration: number): number {
		return this.world.switches.memoryWholeSeconds ? math.floor(expiration) : expiration;
	}

	/** Throws when the value is too large, or makes the experience hold more than its quota. */
	private checkRoom(operation: Operation, key: string, text: string): void {
		if (text.size() > MAX_VALUE_BYTES) error(memoryStoreError("ItemValueSizeTooLarge", operation), 0);
		if (!this.world.switches.limits) return;
		const { memory } = this.cloud;
		const quota = memoryQuota(this.cloud.quotaUsers());
		if (memory.bytesWith(this.name, key, text) <= quota) return;
		memory.sweep();
		// A write that makes nothing larger is taken even then.
		const before = memory.read(this.name, key);
		if (before !== undefined && text.size() <= before.size()) return;
		if (memory.bytesWith(this.name, key, text) > quota)
			error(memoryStoreError("TotalMemoryOverLimit", operation), 0);
	}
}
