/** MemoryStoreService's limits, as its documentation gives them. */

export const MAX_KEY_CHARACTERS = 128;
export const MAX_VALUE_BYTES = 32768;
/** 45 days. */
export const MAX_EXPIRATION_SECONDS = 3888000;

/** Request units of the experience in a minute. */
export function unitsPerMinute(users: number): number {
	return 1000 + 120 * users;
}

/** Bytes that the experience may hold. */
export function memoryQuota(users: number): number {
	return 65536 + math.floor(1.2 * 1024) * users;
}
