import { ProfileHome } from "../driver/openProfile";
import { BatonError } from "../errors";
import { Outcome } from "../record/decided";
import { shapeOf } from "../record/shape";
import { hasId } from "../record/transactionIds";
import { StoredPointer } from "../record/types";
import { err, ok, Result } from "../result";
import { DecisionRecord } from "../twoPhase/twoPhase";
import { createJournal, decideJournal, Journal, JOURNAL_KIND } from "./journal";
import { changeJournal, readRecord, removeJournal } from "./journalStore";
import { Participant, WRITE_BOUND_SECONDS } from "./participants";
import { failure } from "./tradeError";

/** How long the decision is tried, in seconds, before it counts as unknown. */
const DECISION_BOUND_SECONDS = 30;

/** One trade while it runs. */
export interface Trading<T extends object> {
	readonly home: ProfileHome<T>;
	readonly id: string;
	readonly pointer: StoredPointer;
	readonly participants: readonly [Participant<T>, Participant<T>];
}

/** A trade's journal, as its own coordinator decides it. */
export function tradeDecision<T extends object>(trading: Trading<T>): DecisionRecord {
	return {
		open: () => open(trading),
		commit: () => commit(trading),
		abort: () => abort(trading),
	};
}

function open<T extends object>(trading: Trading<T>): BatonError | undefined {
	const { home, pointer, participants } = trading;
	const journal = journalOf(trading);
	const created = changeJournal(home, pointer.Key, WRITE_BOUND_SECONDS, (value) => createJournal(value, journal));
	if (!created.success) {
		// Nothing points at it, whether it landed or not.
		home.trades.noteUnanswered();
		home.platform.task.spawn(() => removeJournal(home, pointer.Key));
		return failure("save_failed", participants[0].profile, "its journal could not be written", created.error);
	}
	const cut = participants.find((participant) => participant.isCut());
	if (cut === undefined) return undefined;
	removeJournal(home, pointer.Key);
	return failure("released", cut.profile, "the server closes; nobody's data were changed");
}

function commit<T extends object>(trading: Trading<T>): Result<Outcome> {
	const { home, pointer, participants } = trading;
	const decided = changeJournal(home, pointer.Key, DECISION_BOUND_SECONDS, (value) =>
		decideJournal(value, pointer.Token, "Committed"),
	);
	if (!decided.success) return decided;
	const decision = decided.value;
	if (decision.write === undefined && decision.keep === "missing") {
		const gone = failure("roblox", participants[0].profile, "its journal is gone");
		return hasCommitted(trading) ? ok("committed") : err(gone);
	}
	const { State } = decision.write ?? decision.journal;
	return ok(State === "Committed" ? "committed" : "aborted");
}

/** Durably, before anything else: a prepare may have landed without an answer. */
function abort<T extends object>({ home, pointer }: Trading<T>): Result<Outcome> {
	const decided = changeJournal(home, pointer.Key, DECISION_BOUND_SECONDS, (value) =>
		decideJournal(value, pointer.Token, "Aborted"),
	);
	return decided.success ? ok("aborted") : decided;
}

function journalOf<T extends object>({ id, pointer, participants }: Trading<T>): Journal {
	const entries: Record<string, Journal["Entries"][string]> = {};
	const userIds = new Array<number>();
	for (const participant of participants) {
		entries[participant.profile.key] = participant.entry(id);
		for (const userId of participant.profile.userIds ?? []) userIds.push(userId);
	}
	return {
		Kind: JOURNAL_KIND,
		Token: pointer.Token,
		Id: id,
		State: "Preparing",
		Entries: entries,
		Settled: {},
		Meta: { UserIds: userIds },
	};
}

/** A journal that is gone was settled by recovery: a committed one left its id in the records. */
function hasCommitted<T extends object>({ home, id, participants }: Trading<T>): boolean {
	return participants.some(({ profile }) => {
		const found = readRecord(home, profile.key);
		if (!found.success || found.value === undefined) return false;
		const shape = shapeOf(found.value.value);
		return shape.kind === "record" && hasId(shape.record, id);
	});
}
