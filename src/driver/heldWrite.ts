import { Answer } from "../backend/backend";
import { updateWithin } from "../backend/updateWithin";
import { asTransform } from "../record/asTransform";
import { DeepReadonly } from "../record/deepReadonly";
import { HeldRequest } from "../record/heldWrite";
import { StoredRecord } from "../record/types";
import { ok, Result } from "../result";
import { TRY_SECONDS } from "../util/retry";
import { OpenProfile } from "./openProfile";

/** A decision of a held write: `mine` where an earlier try of the same write has landed. */
type Decision = { readonly write?: StoredRecord; readonly keep?: string };

/**
 * One write of a profile that a trade or transaction holds, tried as `tries` says. All tries have one number, so that
 * each recognizes the others. `stored` are the data that the record holds once it is written, where that is known. Yields.
 * Errors: that of the last try; the write may have landed, or may yet.
 */
export function heldWrite<T extends object, D extends Decision>(
	profile: OpenProfile<T>,
	tries: (call: () => Result<Answer<D>>) => Result<Answer<D>>,
	stored: DeepReadonly<T> | undefined,
	decide: (value: unknown, request: HeldRequest) => D,
): Result<D> {
	const { home, key, userIds } = profile;
	const id = profile.nextWrite();
	const presence = home.presence();
	const answer = tries(() => {
		const request = { ...id, time: home.platform.time(), presence };
		const tried = updateWithin(
			home,
			key,
			TRY_SECONDS,
			asTransform((value) => decide(value, request), userIds),
		);
		// Changes that were not stored before go with it.
		const hasChanges = stored !== undefined && profile.hasUnsaved();
		const mayHaveLanded = tried.success ? tried.value.mayHaveWritten === true : tried.error.retryable !== false;
		if (mayHaveLanded && hasChanges) profile.writes.noteUnanswered();
		return tried;
	});
	if (!answer.success) return answer;
	const decision = answer.value.report;
	if (decision.write !== undefined || decision.keep === "mine") profile.noteWritten(id, stored, presence);
	return ok(decision);
}
