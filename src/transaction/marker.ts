import { Outcome } from "../record/decided";

/** What is stored under a transaction's id: its outcome, and nothing before it is decided. */
export type MarkerDecision =
	| { readonly write: Outcome }
	/** It was decided before. */
	| { readonly write?: undefined; readonly keep: "decided"; readonly outcome: Outcome }
	/** Something else is stored there. */
	| { readonly write?: undefined; readonly keep: "invalid" };

/** Whether a stored value is a marker's. Pure. */
export function isOutcome(value: unknown): value is Outcome {
	return value === "committed" || value === "aborted";
}

/**
 * The one compare-and-set that decides a transaction: the coordinator's with the outcome of phase one, anyone else's
 * with `aborted`.
 *
 * Harmless when it crashes, runs again or lands late: a decision that is there stays, whoever made it.
 */
export function decideMarker(value: unknown, outcome: Outcome): MarkerDecision {
	if (value === undefined) return { write: outcome };
	return isOutcome(value) ? { keep: "decided", outcome: value } : { keep: "invalid" };
}
