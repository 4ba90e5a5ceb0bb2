import { noYield } from "../util/noYield";

/** How a driver takes in what is no Baton record. Both are pure. */
export interface LegacyRules {
	/** Turns a stored value that is no Baton record into data, or gives undefined to leave it alone. */
	readonly importLegacy?: (value: unknown) => unknown;
	/** What is wrong with imported data, as a sentence; undefined where nothing is. */
	readonly checkImported?: (data: unknown) => string | undefined;
}

/** The data of a value of another kind, or why it is left alone. */
export type Imported = { readonly data: defined } | { readonly data?: undefined; readonly reason: string };

/**
 * What the driver makes of a value that is no record (`why` says so, as a sentence). The game's own functions run here:
 * each may throw or try to yield, and then the value is left alone. Pure; does not yield.
 */
export function importedFrom(value: unknown, why: string, { importLegacy, checkImported }: LegacyRules): Imported {
	if (importLegacy === undefined) return { reason: why };
	const ran = noYield(() => importLegacy(value));
	if (!ran.ok) return { reason: `${why}, and importLegacy failed on it: ${ran.message}` };
	const data = ran.value as defined | undefined;
	if (data === undefined) return { reason: `${why}, and importLegacy gave nothing for it` };
	if (checkImported !== undefined) {
		const checked = noYield(() => checkImported(data));
		const problem = checked.ok ? checked.value : checked.message;
		if (problem !== undefined) {
			return { reason: `${why}, and what importLegacy made of it was refused: ${problem}` };
		}
	}
	return { data };
}
