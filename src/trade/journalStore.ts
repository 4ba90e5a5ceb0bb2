import { answerWithin } from "../backend/answerWithin";
import { Backend, ReadRecord } from "../backend/backend";
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

/** Removes a journal that nobody needs, where the backend can; one that stays is never read again. Yields. */
export function removeJournal(home: JournalHome, key: string): void {
	const { backend } = home;
	// Without the bound, one removal that is never answered would hold both profiles, or a load, for good.
	if (backend.remove !== undefined) answered(home, key, "the removal", () => backend.remove!(key));
}

/** A record as it is stored now, past every cache. Yields. */
export function readFresh(home: JournalHome, key: string): Result<ReadRecord | undefined> {
	return answered(home, key, "the read", () => home.backend.read(key, true));
}

function answered<R>({ store, platform }: JournalHome, key: string, what: string, call: () => Result<R>): Result<R> {
	return answerWithin({ store, platform, key, what }, TRY_SECONDS, call);
}
