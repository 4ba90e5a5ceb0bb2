/** MemoryStoreService's limits, as its documentation gives them. */

/** Characters of a key. */
export const MAX_KEY_CHARACTERS = 128;
/** Bytes of a value as JSON. */
export const MAX_VALUE_BYTES = 32768;
/** The longest life of an entry: 45 days. */
export const MAX_EXPIRATION_SECONDS = 3888000;

/** Request units of the experience in a minute. */
export function unitsPerMinute(users: number): number {
	return 1000 + 120 * users;
}

/** Bytes that the experience may hold. */
export function memoryQuota(users: number): number {
	return 65536 + math.floor(1.2 * 1024) * users;
}
