import { noYield } from "../util/noYield";

/** The lock of another library on a record that one of its servers has open. */
export interface LegacyLock {
	/** That server, for messages. */
	readonly holder: string;
	/** Seconds since the record's last write, by the store's clock, after which that server counts as dead. */
	readonly deadAfterSeconds: number;
}

/** A record of another library, read. */
export interface LegacyRecord<T> {
	/** The game's data, in today's format. */
	readonly data: T;
	/** Left out where no server has it open. */
	readonly lock?: LegacyLock;
	/** Fields to write beside Baton's own, in place of those of the same name in `keepOut`. */
	readonly keeps?: Readonly<Record<string, unknown>>;
}

/**
 * The records of another library whose servers still run while this game's take their players over, each once and for
 * good. `fromProfileStore` and `fromLapis` make one; write your own for another library.
 */
export interface LegacyFormat<T> {
	/** The library, for messages. */
	readonly library: string;
	/** Reads a stored value, or gives undefined for one that is not in this format. Must be pure and not yield. */
	readonly read: (value: unknown) => LegacyRecord<T> | undefined;
	/**
	 * Fields that go into every record of the driver beside Baton's own, also into those of new players: what makes the
	 * library refuse the record instead of overwriting it. None may be named `Data`, `Lock`, `Pending` or `Meta`.
	 */
	readonly keepOut: Readonly<Record<string, unknown>>;
}

/** How a game takes in what is no Baton record: a function over the value, or a format with locks. */
export type ImportLegacy<T> = ((value: unknown) => T | undefined) | LegacyFormat<T>;

/** How a driver takes in what is no Baton record. Both are pure. */
export interface LegacyRules {
	/** Turns a stored value that is no Baton record into data, or gives undefined to leave it alone. */
	readonly importLegacy?: ImportLegacy<unknown>;
	/** What is wrong with imported data, as a sentence; undefined where nothing is. */
	readonly checkImported?: (data: unknown) => string | undefined;
}

/** The data of a value of another kind, or why it is left alone. */
export type Imported =
	(LegacyRecord<defined> & { readonly reason?: undefined }) | { readonly data?: undefined; readonly reason: string };

/** The format, where the driver has one. */
export function formatOf(importLegacy: ImportLegacy<unknown> | undefined): LegacyFormat<unknown> | undefined {
	return typeIs(importLegacy, "function") ? undefined : importLegacy;
}

function read(importLegacy: ImportLegacy<unknown>, value: unknown): LegacyRecord<unknown> | undefined {
	return typeIs(importLegacy, "function") ? { data: importLegacy(value) } : importLegacy.read(value);
}

/**
 * What the driver makes of a value that is no record (`why` says so, as a sentence). The game's own functions run here:
 * each may throw or try to yield, and then the value is left alone. Pure; does not yield.
 */
export function importedFrom(value: unknown, why: string, { importLegacy, checkImported }: LegacyRules): Imported {
	if (importLegacy === undefined) return { reason: why };
	const ran = noYield(() => read(importLegacy, value));
	if (!ran.ok) return { reason: `${why}, and importLegacy failed on it: ${ran.message}` };
	const data = ran.value?.data as defined | undefined;
	if (data === undefined) return { reason: `${why}, and importLegacy gave nothing for it` };
	if (checkImported !== undefined) {
		const checked = noYield(() => checkImported(data));
		const problem = checked.ok ? checked.value : checked.message;
		if (problem !== undefined) {
			return { reason: `${why}, and what importLegacy made of it was refused: ${problem}` };
		}
	}
	return { data, lock: ran.value?.lock, keeps: ran.value?.keeps };
}
