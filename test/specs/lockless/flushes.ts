import { BatonError } from "../../../src/errors";
import { flush, FlushDecision, Flushed, FlushRequest, NumberedUpdate } from "../../../src/lockless/flush";
import { StoredLock } from "../../../src/record/types";
import { err, ok } from "../../../src/result";
import { claim } from "../record/records";

/** An update of data `{ n }` that adds `amount`. */
export function add(number: number, amount: number): NumberedUpdate {
	return { number, apply: (data) => ok({ n: (data as { n: number }).n + amount }) };
}

/** One that whatever is stored refuses. */
export function refusing(number: number): NumberedUpdate {
	return { number, apply: () => err(new BatonError("invalid_data", "no")) };
}

/** Writer w1's flush of server S2, which takes no lock, at 1000 s; `change` replaces fields. */
export function flushing(change: Partial<FlushRequest> = {}): FlushRequest {
	return {
		claim: claim({ token: "" }),
		time: 1000,
		writer: "w1",
		stamp: 1_000_000,
		updates: [],
		decided: [],
		defaults: { n: 0 },
		migrations: [],
		gate: (record) => ok(record.Data),
		...change,
	};
}

/** The same for a transaction's lock under t2. */
export function locking(change: Partial<FlushRequest> = {}): FlushRequest {
	return flushing({ claim: claim({ txTtlSeconds: 10 }), lock: {}, ...change });
}

/** A transaction's lock of server S1 under t1; `change` replaces fields. */
export function txLock(change: Partial<StoredLock> = {}): StoredLock {
	return { JobId: "S1", Token: "t1", Turn: 1, Seq: 0, Time: 1000, Tx: true, ...change };
}

/** What was written; throws where the record was kept. */
export function written(decision: FlushDecision): Flushed {
	if (decision.write === undefined) error(`kept: ${decision.keep}`, 2);
	return decision;
}

/** Why the record was kept, or `wrote`. */
export function keepOf(value: unknown, request: FlushRequest, updatedTime = 1000): string {
	const decision = flush(value, updatedTime, request);
	return decision.write !== undefined ? "wrote" : decision.keep;
}

/** `n` of what is stored. */
export function numberIn(decision: FlushDecision): number {
	return (written(decision).write.Data as { n: number }).n;
}
