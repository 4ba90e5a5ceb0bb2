import { Fault } from "../../cloud/faults";
import { KEYS, Outcome } from "./traders";

/** One of the six writes, or the removal. */
export interface TradeWrite {
	readonly title: string;
	/** Which of the trading server's calls it is, or which of the durable ones. */
	readonly where: Pick<Fault, "op" | "key" | "nth">;
	/** What a crash right before, and right after it comes to. */
	readonly before: Outcome;
	readonly after: Outcome;
}

/** Every write of a trade in order, and its removal. */
export const WRITES: ReadonlyArray<TradeWrite> = [
	{ title: "write 1, the journal", where: { nth: 1 }, before: "aborted", after: "aborted" },
	{ title: "write 2, A's prepare", where: { key: KEYS.A, nth: 1 }, before: "aborted", after: "aborted" },
	{ title: "write 3, B's prepare", where: { key: KEYS.B, nth: 1 }, before: "aborted", after: "aborted" },
	{ title: "write 4, the decision", where: { nth: 4 }, before: "aborted", after: "committed" },
	{ title: "write 5, A's settle", where: { key: KEYS.A, nth: 2 }, before: "committed", after: "committed" },
	{ title: "write 6, B's settle", where: { key: KEYS.B, nth: 2 }, before: "committed", after: "committed" },
	{ title: "the removal", where: { op: "RemoveAsync" }, before: "committed", after: "committed" },
];
