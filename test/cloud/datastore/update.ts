import { KeyInfo, TransformReturn } from "../../../src/platform/platform";
import { ApplyContext, ApplyOutcome } from "../requests";
import { Packed, unpackStored } from "./json-copy";
import { KeyInfoSnapshot } from "./key-info";
import { KeyHistory, StoredVersion } from "./key-history";
import type { StoreHandle } from "./store";

/** What an update comes to: the version it wrote, or what it kept. */
export interface UpdateAnswer {
	readonly version: StoredVersion | undefined;
	readonly cancelled: boolean;
}

/** What one run of the transform decided, on what base. */
interface Plan {
	/** The version that the transform saw, a tombstone too. */
	readonly base: StoredVersion | undefined;
	/** Undefined: keep what is stored. */
	readonly packed?: Packed;
	readonly userIds?: Array<number>;
	readonly metadata?: object;
}

interface Returned {
	readonly value: unknown;
	readonly userIds?: Array<number>;
	readonly metadata?: object;
}

/**
 * One `UpdateAsync`: reads and runs the transform when the request arrives, and writes some time later; when another write
 * came in between, the transform runs again on that.
 */
export class UpdateRun {
	private plan: Plan | undefined;
	private charged = false;

	public constructor(
		private readonly handle: StoreHandle,
		private readonly key: string,
		private readonly history: KeyHistory,
		private readonly transform: (value: unknown, info: KeyInfo | undefined) => TransformReturn,
	) {}

	/** Whether the next step runs the transform. */
	public needsServer(): boolean {
		return this.plan === undefined || this.plan.base !== this.history.current;
	}

	public arrive(): void {
		const errors = this.handle.errors("UpdateAsync");
		this.handle.world.dataStores.budget.take("StandardRead", errors);
		this.plan = this.runTransform();
	}

	public apply(context: ApplyContext): ApplyOutcome<UpdateAnswer> {
		let plan = this.plan;
		if (plan === undefined || context.attempt > 1 || plan.base !== this.history.current) {
			plan = this.runTransform();
			this.plan = plan;
		}
		const { packed, userIds, metadata, base } = plan;
		if (packed === undefined) {
			context.call.outcome = "cancelled";
			return { answer: { version: this.history.live(), cancelled: true } };
		}
		const valid = (): boolean => this.history.current === base;
		const outcome = this.handle.writeOutcome(
			this.history,
			this.key,
			packed,
			{ userIds, metadata },
			"UpdateAsync",
			valid,
		);
		if (outcome.commit === undefined) return outcome as ApplyOutcome<UpdateAnswer>;
		const write = outcome.commit;
		if (!this.charged) {
			this.handle.world.dataStores.budget.take("StandardWrite", this.handle.errors("UpdateAsync"));
			this.charged = true;
		}
		return { commit: () => ({ version: write(), cancelled: false }), valid };
	}

	private runTransform(): Plan {
		const { world, server } = this.handle;
		const base = this.history.current;
		const live = this.history.live();
		const counted = this.handle.countRead(this.history, live, "UpdateAsync");
		// A key read too much fails here even where reads would wait: a transform cannot be held up.
		if (counted !== undefined) error(this.handle.errors("UpdateAsync").keyThrottled(), 0);
		const outcome = server.runner.callNow((): Returned => {
			const info = live !== undefined ? new KeyInfoSnapshot(live) : undefined;
			const [value, userIds, metadata] = this.transform(
				live !== undefined ? server.runner.uncounted(() => unpackStored(live.packed)) : undefined,
				info,
			);
			return { value, userIds, metadata };
		});
		if (outcome.kind === "yielded") error("Callbacks cannot yield", 0);
		if (outcome.kind === "threw") {
			if (world.switches.transformErrorPropagates) error(tostring(outcome.cause), 0);
			world.threadError(server.name, outcome.cause, outcome.traceback);
			return { base };
		}
		const { value, userIds, metadata } = outcome.value;
		if (value === undefined) return { base };
		return { base, packed: this.handle.pack(value, userIds, metadata), userIds, metadata };
	}
}
