import { ReadRecord } from "../backend/backend";
import { readFresh } from "../backend/readFresh";
import { peek } from "../driver/peek";
import { foreignFormat, invalidRecord, unresolvedTransaction } from "../driver/recordErrors";
import { Outcome, settleDecided } from "../record/decided";
import { DeepReadonly } from "../record/deepReadonly";
import { importedFrom } from "../record/importLegacy";
import { compareMigrations } from "../record/migrations";
import { shapeOf } from "../record/shape";
import { StoredRecord } from "../record/types";
import { err, ok, Result } from "../result";
import { Decisions } from "../transaction/decisions";
import { MetPending } from "../transaction/foreignPending";
import { retried, TRY_SECONDS } from "../util/retry";
import { LocklessHome } from "./locklessHome";

/** Pauses in seconds while another server's transaction is undecided: doubling from the first to the last. */
const FIRST_PAUSE = 0.5;
const LAST_PAUSE = 2;
/** How long one fetch waits for undecided transactions in all, in seconds: longer than any one of them is given. */
const WAIT_SECONDS = 120;

/** What was found stored. */
export interface Fetched<T extends object> {
	/** Absent where nothing is stored, or no Baton record yet. */
	readonly record?: StoredRecord;
	readonly data: DeepReadonly<T>;
}

/** Reads one lockless profile as a load would find it, without writing anything. */
export class Fetcher<T extends object> {
	public constructor(
		private readonly home: LocklessHome<T>,
		private readonly key: string,
		private readonly decisions: Decisions,
		/** The outcome of a `Pending` that was met, once it is known. Yields. */
		private readonly judge: (met: MetPending) => Result<Outcome | undefined>,
		/** Pauses for up to `seconds`. Yields. */
		private readonly park: (seconds: number) => void,
	) {}

	/** What is stored, past every cache. Yields. Errors: those of `LocklessProfile.fetch`. */
	public read(): Result<Fetched<T>> {
		const { clock } = this.home.platform;
		const deadline = clock() + WAIT_SECONDS;
		let pause = FIRST_PAUSE;
		for (;;) {
			// Decided before the record is read: a verdict counts only for a `Pending` that is there afterwards.
			const decided = this.decisions.list();
			const found = this.readKey(this.key);
			if (!found.success) return found;
			const shape = shapeOf(found.value?.value);
			if (shape.kind === "nothing") return ok({ data: this.home.defaults });
			if (shape.kind === "other") return this.imported(found.value!.value, shape.reason);
			const record = settleDecided(shape.record, decided);
			if (record.Pending === undefined) return this.settled(record);
			const judged = this.judge({ pending: record.Pending, updatedTime: found.value!.info.updatedTime });
			if (!judged.success) return judged;
			if (clock() >= deadline) return err(unresolvedTransaction(this.home.store, this.key));
			if (judged.value !== undefined) continue;
			this.park(pause);
			pause = math.min(pause * 2, LAST_PAUSE);
		}
	}

	private readKey(key: string): Result<ReadRecord | undefined> {
		const { platform, retry } = this.home;
		return retried(platform, retry, () => readFresh(this.home, key, TRY_SECONDS));
	}

	private settled(record: StoredRecord): Result<Fetched<T>> {
		const { store, migrationNames, fromRecord } = this.home;
		if (record.Meta.PendingTransaction !== undefined) return this.traded();
		const { Migrations } = record.Meta;
		const state = compareMigrations(Migrations, migrationNames);
		if (state === "outdated" || state === "mismatch") {
			return err(foreignFormat(store, this.key, state, Migrations, migrationNames));
		}
		const gated = fromRecord(record);
		return gated.success ? ok({ record, data: gated.value.data }) : gated;
	}

	/** A session of another server left a trade on the record: its journal says what the data are. */
	private traded(): Result<Fetched<T>> {
		const { store } = this.home;
		const peeked = peek(store, this.key, {
			record: (key) => this.readKey(key),
			// That it came to carry a transaction meanwhile is for the next look.
			outcome: () => err(unresolvedTransaction(store, this.key)),
		});
		if (!peeked.success) return peeked;
		const shape = shapeOf(peeked.value);
		// It came to carry something else meanwhile.
		if (shape.kind === "record" && shape.record.Pending === undefined) return this.settled(shape.record);
		return shape.kind === "nothing"
			? ok({ data: this.home.defaults })
			: err(unresolvedTransaction(store, this.key));
	}

	private imported(value: unknown, why: string): Result<Fetched<T>> {
		const { store, migrationNames, fromRecord } = this.home;
		const imported = importedFrom(value, why, this.home);
		if (imported.data === undefined) return err(invalidRecord(store, this.key, imported.reason));
		const gated = fromRecord({ Data: imported.data, Meta: { Turn: 0, Migrations: migrationNames } });
		return gated.success ? ok({ data: gated.value.data }) : gated;
	}
}
