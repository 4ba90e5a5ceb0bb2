import { BatonError } from "../errors";
import { Result, err, ok } from "../result";
import { noYield } from "../util/noYield";

/** A named step that turns data of one format into that of the next. */
export interface Migration {
	/** Stored in every record that went through it; never change or reuse it. */
	readonly name: string;
	/** Gives the data in the new format. May not yield. */
	readonly migrate: (data: unknown) => unknown;
}

/**
 * How a record's migrations stand to those of this server: the same; `behind`, the record has a beginning of them;
 * `outdated`, this server has only a beginning of the record's, so a newer version of the game wrote it; `mismatch`,
 * neither is a beginning of the other.
 */
export type MigrationState = "same" | "behind" | "outdated" | "mismatch";

/** Compares by names and order. Does not yield. */
export function compareMigrations(stored: ReadonlyArray<string>, mine: ReadonlyArray<string>): MigrationState {
	const shared = math.min(stored.size(), mine.size());
	for (let index = 0; index < shared; index++) {
		if (stored[index] !== mine[index]) return "mismatch";
	}
	if (stored.size() === mine.size()) return "same";
	return stored.size() < mine.size() ? "behind" : "outdated";
}

/** What is wrong with a list of migration names, as a sentence, or undefined where nothing is. Does not yield. */
export function checkMigrationNames(names: ReadonlyArray<string>): string | undefined {
	const seen = new Set<string>();
	for (const name of names) {
		if (!typeIs(name, "string") || name === "") return "every migration needs a name that is not empty";
		if (seen.has(name)) return `two migrations are named "${name}"; names must be unique, for each runs once`;
		seen.add(name);
	}
	return undefined;
}

/**
 * Runs the migrations that `stored` does not name, in order, and gives the data they made. One that throws, yields or
 * returns nothing ends it with `migration_failed`, which names it. Call it only where {@link compareMigrations} says
 * `same` or `behind`. Does not yield.
 */
export function runMigrations(
	data: unknown,
	stored: ReadonlyArray<string>,
	migrations: ReadonlyArray<Migration>,
	cancel?: (thread: thread) => void,
): Result<unknown> {
	let current = data;
	for (let index = stored.size(); index < migrations.size(); index++) {
		const { name, migrate } = migrations[index];
		const before = current;
		const ran = noYield(() => migrate(before), cancel);
		if (!ran.ok) {
			const what = ran.yielded ? "yielded, which a migration may not" : `threw: ${ran.message}`;
			return err(new BatonError("migration_failed", `the migration "${name}" ${what}\n${ran.traceback}`));
		}
		if (ran.value === undefined) {
			return err(new BatonError("migration_failed", `the migration "${name}" returned nothing; return the data`));
		}
		current = ran.value;
	}
	return ok(current);
}
