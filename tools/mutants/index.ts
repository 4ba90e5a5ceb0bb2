import type { Mutant } from "../mutate/mutant.ts";
import { drivers } from "./driver.ts";
import { handoffs } from "./handoff.ts";
import { record } from "./record.ts";

/** All mutants, in the order of their areas. */
export const mutants: ReadonlyArray<Mutant> = [...record, ...drivers, ...handoffs];
