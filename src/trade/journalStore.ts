import { Backend } from "../backend/backend";
import { StoreClock } from "../backend/storeClock";
import { updateWithin } from "../backend/updateWithin";
import { Platform } from "../platform/platform";
import { ok, Result } from "../result";
import { untilAnswered } from "../util/untilAnswered";
import { JournalDecision } from "./journal";

/** How long one try may go unanswered, in seconds. */
const TRY_SECONDS = 10;

/** Where journals are kept: the profiles' own backend. */
export interface JournalHome {
	readonly store: string;
	readonly platform: Platform;
	readonly backend: Backend;
	readonly storeClock: StoreClock;
}

/** Changes a journal, tried until it is answered or `seconds` have passed; its writes carry both owners' ids. Yields. */
export function changeJournal(
	home: JournalHome,
	key: string,
	seconds: number,
	decide: (value: unknown) => JournalDecision,
): Result<JournalDecision> {
	const answer = untilAnswered(home.platform, seconds, () =>
		updateWithin<JournalDecision>(home, key, TRY_SECONDS, (value) => {
			const decision = decide(value);
			if (decision.write === undefined) return { report: decision };
			return { write: decision.write, userIds: decision.write.Meta.UserIds, metadata: {}, report: decision };
		}),
	);
	if (!answer.success) return answer;
	home.storeClock.observe(answer.value.updatedTime);
	return ok(answer.value.report);
}
