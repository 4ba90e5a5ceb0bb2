import { BatonError } from "../errors";
import { DeepReadonly } from "../record/deepReadonly";
import { importedFrom, LegacyRules } from "../record/importLegacy";
import { checkMigrationNames, compareMigrations, Migration, runMigrations } from "../record/migrations";
import { reconcile } from "../record/reconcile";
import { shapeOf } from "../record/shape";
import { Admission } from "../record/storable";
import { StoredRecord } from "../record/types";
import { err, ok, Result } from "../result";
import { noYield } from "../util/noYield";
import { foreignFormat, invalidRecord } from "./recordErrors";

/** The part of a driver's options that decides about data. */
export interface GateOptions extends Pick<LegacyRules, "importLegacy"> {
	readonly name: string;
	readonly defaults: object;
	readonly check?: (value: unknown) => boolean;
	readonly migrations: ReadonlyArray<Migration>;
}

/** Data that passed, and whether the record already holds exactly them. */
export interface GatedData<T extends object> {
	readonly data: DeepReadonly<T>;
	readonly isStored: boolean;
}

/** The one way by which data enter a profile: migrated, filled from the defaults, storable, frozen, checked. */
export class DataGate<T extends object> {
	public readonly defaults: DeepReadonly<T>;
	public readonly migrationNames: ReadonlyArray<string>;
	private readonly admission = new Admission();

	/** Throws where defaults, their check or the migrations' names are no good. Freezes the defaults. */
	public constructor(
		private readonly options: GateOptions,
		private readonly cancel: (thread: thread) => void,
	) {
		this.migrationNames = options.migrations.map((migration) => migration.name);
		const problem = checkMigrationNames(this.migrationNames);
		if (problem !== undefined) error(`Baton: DataDriver option "migrations": ${problem}`, 5);
		const reason = this.problemWith(options.defaults, "defaults");
		if (reason !== undefined) error(`Baton: DataDriver option "defaults": ${reason.text}`, 5);
		this.defaults = options.defaults as DeepReadonly<T>;
	}

	/** Lets data in that an update made. They are deep-frozen. Errors: `invalid_data`. Does not yield. */
	public admit(key: string, data: unknown): Result<DeepReadonly<T>> {
		const reason = this.problemWith(data, "data");
		if (reason === undefined) return ok(data as DeepReadonly<T>);
		const store = this.options.name;
		const message = `Baton: data refused for "${key}" in store "${store}": ${reason.text}. Nothing was changed.`;
		return err(new BatonError("invalid_data", message, { store, key, path: reason.path }));
	}

	/** An upper bound of the JSON size of data that were let in, in bytes. */
	public bytesOf(data: unknown): number {
		const admitted = this.admission.admit(data);
		return admitted.ok ? admitted.bytes : math.huge;
	}

	/** Lets data in that a record holds. Errors: `migration_failed`, `invalid_data`. Does not yield. */
	public fromRecord(key: string, record: StoredRecord): Result<GatedData<T>> {
		const store = this.options.name;
		const { Migrations } = record.Meta;
		const migrated = runMigrations(record.Data, Migrations, this.options.migrations, this.cancel);
		if (!migrated.success) {
			const { type: kind, message } = migrated.error;
			const text = `Baton: "${key}" in store "${store}" was left as stored: ${message}`;
			return err(new BatonError(kind, text, { store, key, cause: migrated.error }));
		}
		const filled = reconcile(migrated.value, this.defaults);
		const admitted = this.admit(key, filled);
		if (!admitted.success) return admitted;
		const isStored = compareMigrations(Migrations, this.migrationNames) === "same" && filled === record.Data;
		return ok({ data: admitted.value, isStored });
	}

	/**
	 * The data of a value as read from the store, under no lock; a trade's or transaction's part in it is not looked at.
	 * Errors: `invalid_record`, `outdated`, `migration_mismatch`, `migration_failed`, `invalid_data`. Does not yield.
	 */
	public fromValue(key: string, value: unknown): Result<DeepReadonly<T>> {
		const store = this.options.name;
		const shape = shapeOf(value);
		if (shape.kind === "nothing") return err(invalidRecord(store, key, "it is empty"));
		if (shape.kind === "other") return this.fromLegacy(key, value, shape.reason);
		const { record } = shape;
		const { Migrations } = record.Meta;
		const state = compareMigrations(Migrations, this.migrationNames);
		if (state === "outdated" || state === "mismatch") {
			return err(foreignFormat(store, key, state, Migrations, this.migrationNames));
		}
		const gated = this.fromRecord(key, record);
		return gated.success ? ok(gated.value.data) : gated;
	}

	private fromLegacy(key: string, value: unknown, why: string): Result<DeepReadonly<T>> {
		const { name, importLegacy } = this.options;
		const imported = importedFrom(value, why, { importLegacy, checkImported: (data) => this.problemOf(data) });
		if (imported.data === undefined) return err(invalidRecord(name, key, imported.reason));
		return this.admit(key, reconcile(imported.data, this.defaults));
	}

	/** What is wrong with data of a record that is only now made, as a sentence. Pure. */
	public problemOf(data: unknown): string | undefined {
		return this.problemWith(data, "data")?.text;
	}

	private problemWith(data: unknown, root: string): { readonly text: string; readonly path?: string } | undefined {
		if (!typeIs(data, "table")) return { text: `${root} must be a table, not ${typeOf(data)}`, path: root };
		const admitted = this.admission.admit(data, root);
		if (!admitted.ok) return { text: `${admitted.path} ${admitted.reason}`, path: admitted.path };
		const { check } = this.options;
		if (check === undefined) return undefined;
		const ran = noYield(() => {
			const [passed, why] = (check as unknown as (value: unknown) => LuaTuple<[boolean, string?]>)(data);
			return { passed, why };
		}, this.cancel);
		if (!ran.ok) return { text: `the driver's check failed on it: ${ran.message}` };
		if (ran.value.passed) return undefined;
		return {
			text: `${root} did not pass the driver's check${ran.value.why !== undefined ? `: ${ran.value.why}` : ""}`,
		};
	}
}
