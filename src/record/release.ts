import { WriteId, standingOf } from "./holding";
import { DataPart, SaveDecision, withPart } from "./save";

/** Everything a release goes by. */
export interface ReleaseRequest extends WriteId {
	/**
	 * The session's last data; left out by a metadata-only release, which gives the lock back and leaves data, pointer
	 * and `Pending` as stored (after a failed load, from a blocked profile, of an orphan).
	 */
	readonly part?: DataPart;
}

/**
 * Gives the session lock back, with the last data in the same write, and stamps `ReleasedToken`.
 *
 * Harmless when it crashes, runs again or lands late: it needs its own token, turn and a higher number than the stored
 * one, so it cannot end another session or undo a later write, and a second run finds its stamp.
 */
export function release(value: unknown, request: ReleaseRequest): SaveDecision {
	const standing = standingOf(value, request);
	if (standing.kind === "lost") return { keep: "lost", why: standing.why, holder: standing.holder };
	if (standing.kind === "released") return { keep: "released" };
	// A lock that is still there with this number was written by something else: the number was used twice.
	if (standing.kind !== "accept" && standing.kind !== "adopt") return { keep: "superseded" };
	const decision = withPart(standing.record, request.part);
	if (decision.write === undefined) return decision;
	const record = decision.write;
	return {
		write: {
			...record,
			Lock: undefined,
			// Under an adoption that never landed, this is the turn that it would have opened: it cannot land any more.
			Meta: { ...record.Meta, Turn: request.turn, ReleasedToken: request.token },
		},
	};
}
