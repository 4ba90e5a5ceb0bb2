import { Retry } from "../util/retry";

/** What `transaction` takes beside the profiles and the function (seed "Transactions", Configuration). */
export interface TransactionConfig {
	/** Seconds that others give this transaction to finish, from when they first meet it on a lockless key. Default: 60. */
	readonly txTtl?: number;
	/** Seconds that a lockless key stays locked at most, between the read and the prepare. Default: 10. */
	readonly lockTtl?: number;
	/** How often each step is tried. Default: that of the first profile's driver, 5. */
	readonly retryAttempts?: number;
	/** Pause in seconds after a step's first try; it doubles with every further one. Default: that of the same driver, 1. */
	readonly retryBase?: number;
}

/** A checked configuration; what is left out of it is the usual. */
export interface TransactionSettings {
	readonly retry: Retry;
	readonly txTtl?: number;
	readonly lockTtl?: number;
}

const NAMES = ["txTtl", "lockTtl", "retryAttempts", "retryBase"];

/** Checks a configuration and fills in the retry settings. Throws a message that names the option. */
export function readConfig(config: TransactionConfig, retry: Retry): TransactionSettings {
	if (!typeIs(config, "table")) error("Baton: transaction's config is a table, such as { lockTtl: 20 }", 3);
	for (const [name, value] of pairs(config as unknown as Record<string, unknown>)) {
		if (!NAMES.includes(name)) error(`Baton: transaction has no option "${name}"; it has ${NAMES.join(", ")}`, 3);
		const least = name === "retryBase" ? 0 : 1;
		const isNumber = typeIs(value, "number") && value >= least && value < math.huge;
		const isWhole = name !== "retryAttempts" || (typeIs(value, "number") && value % 1 === 0);
		if (!isNumber || !isWhole) {
			const unit = name === "retryAttempts" ? "whole number" : "number of seconds";
			error(`Baton: transaction: option "${name}" must be a ${unit}, ${least} or more`, 3);
		}
	}
	const { txTtl, lockTtl, retryAttempts = retry.attempts, retryBase = retry.base } = config;
	return { txTtl, lockTtl, retry: { attempts: retryAttempts, base: retryBase } };
}
