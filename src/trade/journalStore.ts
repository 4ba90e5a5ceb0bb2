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
/** How long a removal that failed is tried on in the background, in seconds. */
const REMOVAL_SECONDS = 300;

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

/**
 * Removes a journal that nobody can need, where the backend can: one try, and where that fails, more in the background.
 * A removal that lands late or twice finds nothing. Yields.
 */
export function removeJournal(home: JournalHome, key: string): void {
	const { store, platform, backend } = home;
	if (backend.remove === undefined) return;
	const attempt = (): Result<undefined> =>
		answerWithin({ store, platform, key, what: "the removal" }, TRY_SECONDS, () => backend.remove!(key));
	const removed = attempt();
	if (removed.success || removed.error.retryable === false) return;
	platform.task.spawn(() => untilAnswered(platform, REMOVAL_SECONDS, attempt));
}

/** A record as it is stored now, past any cache. Yields. */
export function readFresh({ store, platform, backend }: JournalHome, key: string): Result<ReadRecord | undefined> {
	return answerWithin({ store, platform, key, what: "the read" }, TRY_SECONDS, () => backend.read(key, true));
}
