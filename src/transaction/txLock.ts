import { perPlatform } from "../util/perPlatform";

/** Seconds that a transaction's lock lasts where it does not say itself (seed "Transactions", Configuration: `lock_ttl`). */
export const LOCK_TTL_SECONDS = 10;

/**
 * Tokens of the transaction locks that this server's running transactions own, or may own once a late write lands: from
 * before the first try to take one until it is given back. A lock of this server under any other token is nobody's.
 */
export const txTokens = perPlatform(() => new Set<string>());
