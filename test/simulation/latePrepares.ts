import { World } from "../cloud/world";
import { TradeMaker } from "./evidence";

/** A record on which a trade's prepare has been ruled out, while the trade's own session holds its lock. */
export interface Fence {
	readonly key: string;
	readonly maker: TradeMaker;
	/** When it was ruled out. */
	readonly since: number;
}

/**
 * How many prepares of that trade, sent before it, have come upon the stamp until now, with nothing written since. While a
 * server makes a trade, it sends nothing else for the record than the trade's own writes; and one that ends the trade would
 * write.
 */
export function refusedPrepares(world: World, { key, maker, since }: Fence): number {
	let count = 0;
	for (const { service, op, key: called, server, at, appliedAt, wrote } of world.trace.calls) {
		if (service !== "DataStore" || op !== "UpdateAsync" || called !== key || server !== maker.server) continue;
		const landed = appliedAt ?? 0;
		// What is applied right now is the very write that ends the stamp's time.
		if (!wrote && at >= maker.at && at <= since && landed > since && landed < world.now()) count += 1;
	}
	return count;
}
