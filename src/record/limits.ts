import { isUtf8 } from "./utf8";

/** Longest name of a store, in bytes (Roblox: "Data limits" of data stores; it counts with `string.len`). */
export const NAME_BYTES = 50;
/** Longest scope of a store, in bytes (the same source). */
export const SCOPE_BYTES = 50;
/** Longest key, in bytes (the same source). */
export const KEY_BYTES = 50;
/** Largest value of one key, in bytes of its JSON text (the same source). */
export const VALUE_BYTES = 4_194_304;
/** What Baton keeps of a value for its own part of the record: lock, migrations, ids, lanes. */
export const ENVELOPE_BYTES = 32_768;
/** Largest game data of one record, in bytes of its JSON text. */
export const DATA_BYTES = VALUE_BYTES - ENVELOPE_BYTES;

/** Keys that begin so hold the decision records of trades. */
export const RESERVED_PREFIX = "CKTxn_";
/** Keys that begin so are written to find out whether a web server honours preconditions. */
export const PROBE_PREFIX = "CKProbe_";
/** The key that a server writes to learn the store's time. */
export const CLOCK_KEY = "CKClock";

function checkText(what: string, value: unknown, bytes: number): string | undefined {
	if (!typeIs(value, "string")) return `${what} must be a string, not ${typeOf(value)}`;
	if (value === "") return `${what} must not be empty`;
	if (value.size() > bytes) return `${what} "${value}" is ${value.size()} bytes long; Roblox allows at most ${bytes}`;
	if (!isUtf8(value)) return `${what} is not valid UTF-8`;
	return undefined;
}

/**
 * What is wrong with the name or scope of a store, as a sentence, or undefined where nothing is. `what` names it in
 * the sentence, as in `the store name`. Does not yield.
 */
export function checkName(what: string, value: unknown): string | undefined {
	return checkText(what, value, NAME_BYTES);
}

/**
 * What is wrong with `key` as the key of a profile in `store`, as a sentence, or undefined where nothing is: its
 * length, its text, or that Baton keeps it for itself. Does not yield.
 */
export function checkKey(store: string, key: unknown): string | undefined {
	const problem = checkText(`the key for store "${store}"`, key, KEY_BYTES);
	if (problem !== undefined || !typeIs(key, "string")) return problem;
	for (const prefix of [RESERVED_PREFIX, PROBE_PREFIX]) {
		if (key.sub(1, prefix.size()) !== prefix) continue;
		return `the key "${key}" for store "${store}" begins with ${prefix}, which is reserved for Baton`;
	}
	if (key === CLOCK_KEY) return `the key "${key}" for store "${store}" is reserved for Baton's clock`;
	return undefined;
}
