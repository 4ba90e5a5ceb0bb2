import { Backend, ReadRecord } from "../backend/backend";
import { readFresh } from "../backend/readFresh";
import { removeSoon } from "../backend/removeSoon";
import { StoreClock } from "../backend/storeClock";
import { updateWithin } from "../backend/updateWithin";
import { Platform } from "../platform/platform";
import { ok, Result } from "../result";
import { TRY_SECONDS } from "../util/retry";
import { untilAnswered } from "../util/untilAnswered";
import { JournalDecision } from "./journal";

/** Where journals are kept: the profiles' own backend. */
export interface JournalHome {
	readonly store: string;
	readonly platform: Platform;
	readonly backend: Backend;
	readonly storeClock: StoreClock;
	/** Age in seconds under which a lock counts as owned where nobody says otherwise. Default: 180. */
	readonly ttlSeconds?: number;
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
	return ok(answer.value.report);
}

/** Removes a journal that nobody can need. Yields. */
export function removeJournal(home: JournalHome, key: string): void {
	removeSoon(home, key, TRY_SECONDS);
}

/** A record of the journal's store as it is stored now. Yields. */
export function readRecord(home: JournalHome, key: string): Result<ReadRecord | undefined> {
	return readFresh(home, key, TRY_SECONDS);
}
