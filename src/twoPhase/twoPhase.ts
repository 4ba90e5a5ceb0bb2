import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { Outcome } from "../record/decided";
import { Result } from "../result";
import { runAll } from "../util/parallel";

/** The one place where an operation over several records is decided: a trade's journal, a transaction's marker. */
export interface DecisionRecord {
	/** Before any record points at it. Yields. The problem that ends the operation, with nothing begun. */
	readonly open: () => BatonError | undefined;
	/** Commits, in the compare-and-set in which anybody else would abort. Yields. An error: it is not known. */
	readonly commit: () => Result<Outcome>;
	/** Calls off what nobody else can commit. Yields. An error: that cannot be said yet. */
	readonly abort: () => Result<Outcome>;
}

/** One record's share in such an operation. */
export interface TwoPhaseParticipant {
	/** Phase one: the record can go either way afterwards. Yields. The problem that ends the operation, or undefined. */
	readonly prepare: () => BatonError | undefined;
	/** The decision is made: the record goes that way. Yields. */
	readonly settle: (outcome: Outcome) => void;
}

/** How such an operation ended. */
export type TwoPhaseEnding =
	/** It was not begun. */
	| { readonly kind: "refused"; readonly problem: BatonError }
	/** Decided, durably; `problem` is what went wrong in phase one. */
	| { readonly kind: "decided"; readonly outcome: Outcome; readonly problem?: BatonError }
	/** The decision did not answer: whoever needs a record finds out. */
	| { readonly kind: "unknown"; readonly cause: BatonError };

/**
 * Two phases: everybody prepares, one record decides, everybody settles; each step for all at once. A crash at any moment
 * leaves records that name the decision, and everyone who meets one asks it. Yields.
 */
export function runTwoPhase(
	platform: Pick<Platform, "task" | "warn">,
	decision: DecisionRecord,
	participants: ReadonlyArray<TwoPhaseParticipant>,
): TwoPhaseEnding {
	const refused = decision.open();
	if (refused !== undefined) return { kind: "refused", problem: refused };
	const problem = firstProblem(
		platform,
		participants.map((participant) => () => participant.prepare()),
	);
	const decided = problem === undefined ? decision.commit() : decision.abort();
	if (!decided.success) return { kind: "unknown", cause: decided.error };
	const outcome = decided.value;
	runAll(
		platform,
		participants.map((participant) => () => participant.settle(outcome)),
	);
	return { kind: "decided", outcome, problem };
}

/** Runs all at once; the first problem that one of them gives. Yields. */
export function firstProblem(
	platform: Pick<Platform, "task" | "warn">,
	steps: ReadonlyArray<() => BatonError | undefined>,
): BatonError | undefined {
	let problem: BatonError | undefined;
	runAll(
		platform,
		steps.map((step) => () => {
			const found = step();
			problem ??= found;
		}),
	);
	return problem;
}
