import type { Mutant } from "../mutate/mutant.ts";
import { drivers } from "./driver.ts";
import { handoffs } from "./handoff.ts";
import { legacy } from "./legacy.ts";
import { lockless } from "./lockless.ts";
import { purchases } from "./receipts.ts";
import { record } from "./record.ts";
import { trades } from "./trade.ts";
import { transactions } from "./transaction.ts";

/** All mutants, in the order of their areas. */
export const mutants: ReadonlyArray<Mutant> = [
	...record,
	...drivers,
	...handoffs,
	...legacy,
	...trades,
	...lockless,
	...transactions,
	...purchases,
];
