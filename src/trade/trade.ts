import { Hold } from "../driver/hold";
import { OpenProfile, ProfileHome } from "../driver/openProfile";
import { Profile } from "../driver/profile";
import { BatonError, ErrorType } from "../errors";
import { DeepReadonly } from "../record/deepReadonly";
import { VALUE_BYTES } from "../record/limits";
import { shapeOf } from "../record/shape";
import { StoredPointer } from "../record/types";
import { err, ok, Result } from "../result";
import { noYield } from "../util/noYield";
import { runAll } from "../util/parallel";
import { Waiter } from "../util/waiter";
import { createJournal, decideJournal, Journal, JOURNAL_KIND, journalKey } from "./journal";
import { changeJournal, readRecord, removeJournal } from "./journalStore";
import { Participant, WRITE_BOUND_SECONDS } from "./participants";
import { Recovery } from "./recovery";

/** Room in a journal for all but the two data. */
const JOURNAL_ENVELOPE_BYTES = 32_768;
/** How long the decision is tried, in seconds, before it counts as unknown. */
const DECISION_BOUND_SECONDS = 30;
/** Longest id of a trade, in bytes. */
const ID_BYTES = 100;

/** What `trade` takes beside the profiles and the function. */
export interface TradeOptions {
	/**
	 * The trade's id, 1 to 100 bytes: a trade of an id that has committed is not made again, wherever it is asked for.
	 * Each record remembers its last 200 ids. Default: a fresh GUID.
	 */
	readonly id?: string;
}

/** How a trade ended. */
export type TradeResult =
	/** Both have traded. `unsettled` are the keys whose record is yet to be written, by their next load. */
	| { readonly outcome: "committed"; readonly id: string; readonly unsettled: ReadonlyArray<string> }
	/** The function returned false; nothing was written. */
	| { readonly outcome: "cancelled" };

/** What a trade's function returns: the data of both after the trade, or false to cancel. */
export type TradeChange<T extends object> = readonly [DeepReadonly<T> | T, DeepReadonly<T> | T] | false;

interface Trading<T extends object> {
	readonly home: ProfileHome<T>;
	readonly id: string;
	readonly pointer: StoredPointer;
	readonly participants: readonly [Participant<T>, Participant<T>];
}

/**
 * Changes the data of two open profiles of one driver together: both get what `mutate` returns, or neither changes,
 * whatever crashes in between. Six durable writes in four rounds, and one removal; meanwhile `update` and saves of both
 * wait. Yields: commonly for a second or two, 75 s where the store keeps failing, two and a half minutes where it never
 * answers.
 *
 * `mutate` gets both data and returns both next ones, or false to cancel. It must not yield or call methods of the
 * profiles; an error of it is thrown on, with nothing written.
 *
 * From an answered commit on, the trade has succeeded, also where a participant's own record is still to be written
 * (`unsettled`): its profile is closed, and its next load, on any server, finishes it.
 *
 * Errors: `same_profile`, `busy`, `duplicate_id`, `invalid_data`, the reason why a profile is closed (`released`,
 * `lock_lost`, …), `save_failed` with its cause, `trade_aborted`; `pending_recovery` when it is not known whether the
 * trade is committed: both profiles are closed, and their next loads find out. Throws where the profiles are not of one
 * driver, or the options are no good. (Seed "Transaction recovery".)
 */
export function trade<T extends object>(
	profileA: Profile<T>,
	profileB: Profile<T>,
	mutate: (dataA: DeepReadonly<T>, dataB: DeepReadonly<T>) => TradeChange<T>,
	options: TradeOptions = {},
): Result<TradeResult> {
	const [a, b] = [asOpen(profileA, "first"), asOpen(profileB, "second")];
	checkOptions(options);
	if (!typeIs(mutate, "function")) error("Baton: trade takes a function from both data to both next ones", 2);
	if (a.home.backend !== b.home.backend || a.home.store !== b.home.store) {
		error("Baton: trade takes two profiles of one driver; use transaction for profiles of several", 2);
	}
	const id = options.id ?? a.home.platform.http.GenerateGUID(false);
	if (!typeIs(id, "string") || id === "" || id.size() > ID_BYTES || utf8.len(id)[0] === undefined) {
		error(`Baton: a trade's id is a text of 1 to ${ID_BYTES} bytes`, 2);
	}
	if (a === b) return err(failure("same_profile", a, `a trade needs two profiles, and got "${a.key}" twice`));
	const closed = a.holdError() ?? b.holdError();
	if (closed !== undefined) return err(closed);
	const holds = holdBoth(a, b);
	if (holds === undefined) {
		return err(
			failure("busy", a, `"${a.key}" or "${b.key}" is in another trade or transaction; nothing was written`),
		);
	}
	const { platform, trades } = a.home;
	const ended = new Waiter<() => Result<TradeResult>>(platform);
	trades.begin();
	// In a thread of its own: one that the game cancels half-way would leave both held for good.
	platform.task.spawn(() => {
		const [fine, result] = pcall(() => tradeHeld(a, b, holds, mutate, id));
		for (const hold of holds) hold.finish();
		trades.end();
		ended.resolve(() => (fine ? result : error(result, 0)));
	});
	return ended.wait()!();
}

function checkOptions(options: unknown): void {
	if (!typeIs(options, "table")) error("Baton: trade's options are a table, such as { id }", 3);
	for (const [name] of pairs(options as Record<string, unknown>)) {
		if (name !== "id") error(`Baton: trade has no option "${name}"; it has id`, 3);
	}
}

function asOpen<T extends object>(profile: Profile<T>, which: string): OpenProfile<T> {
	if (profile instanceof OpenProfile) return profile as OpenProfile<T>;
	error(`Baton: trade's ${which} argument is not a profile`, 3);
}

/** Takes both or none, so that trades which cross never wait for each other. */
function holdBoth<T extends object>(a: OpenProfile<T>, b: OpenProfile<T>): readonly [Hold, Hold] | undefined {
	const first = a.takeHold();
	if (first === undefined) return undefined;
	const second = b.takeHold();
	if (second !== undefined) return [first, second];
	first.finish();
	return undefined;
}

function tradeHeld<T extends object>(
	a: OpenProfile<T>,
	b: OpenProfile<T>,
	holds: readonly [Hold, Hold],
	mutate: (dataA: DeepReadonly<T>, dataB: DeepReadonly<T>) => TradeChange<T>,
	id: string,
): Result<TradeResult> {
	for (const profile of [a, b]) {
		if (profile.tradeIds.includes(id)) return err(duplicate(profile, id));
	}
	for (const hold of holds) hold.deciding = true;
	const ran = noYield(() => mutate(a.data, b.data), a.home.platform.task.cancel);
	for (const hold of holds) hold.deciding = false;
	if (!ran.ok)
		error(ran.yielded ? `Baton: a trade's function yielded, which it may not\n${ran.traceback}` : ran.thrown, 0);
	const change = ran.value;
	if (change === false) return ok({ outcome: "cancelled" });
	if (!typeIs(change, "table")) error("Baton: a trade's function returns both data, or false", 0);
	const { home } = a;
	const guid = home.platform.http.GenerateGUID(false);
	const pointer: StoredPointer = { Key: journalKey(guid), Token: home.platform.http.GenerateGUID(false) };
	const participants = [new Participant(a, holds[0]), new Participant(b, holds[1])] as const;
	const admitted = [a.home.admit(change[0]), b.home.admit(change[1])] as const;
	for (const each of admitted) if (!each.success) return each;
	participants[0].outcome = admitted[0].unwrap();
	participants[1].outcome = admitted[1].unwrap();
	const tooLarge = sizeProblem(a, b, home.bytesOf(participants[0].outcome), home.bytesOf(participants[1].outcome));
	if (tooLarge !== undefined) return err(tooLarge);
	for (const profile of [a, b]) profile.awaitWrites();
	// Both may have lost their locks, or be leaving, since.
	const closed = a.closedError() ?? b.closedError();
	if (closed !== undefined) return err(closed);
	return run({ home, id, pointer, participants });
}

function sizeProblem<T extends object>(
	a: OpenProfile<T>,
	b: OpenProfile<T>,
	bytesA: number,
	bytesB: number,
): BatonError | undefined {
	if (bytesA + bytesB + JOURNAL_ENVELOPE_BYTES <= VALUE_BYTES) return undefined;
	return failure(
		"invalid_data",
		a,
		`the data of "${a.key}" (${bytesA} bytes) and "${b.key}" (${bytesB} bytes) together do not fit into one journal of ` +
			`${VALUE_BYTES} bytes; nothing was written`,
	);
}

/** The protocol: journal, both prepares, decision, both settles, removal. */
function run<T extends object>(trading: Trading<T>): Result<TradeResult> {
	const { home, pointer, participants } = trading;
	const created = changeJournal(home, pointer.Key, WRITE_BOUND_SECONDS, (value) =>
		createJournal(value, journalOf(trading)),
	);
	if (!created.success) {
		// Nothing points at it, whether it landed or not.
		home.trades.noteUnanswered();
		home.platform.task.spawn(() => removeJournal(home, pointer.Key));
		return err(failure("save_failed", participants[0].profile, "its journal could not be written", created.error));
	}
	const cut = participants.find((participant) => participant.isCut());
	if (cut !== undefined) {
		removeJournal(home, pointer.Key);
		return err(failure("released", cut.profile, "the server closes; nobody's data were changed"));
	}
	const problem = prepareBoth(trading);
	if (problem !== undefined) return abort(trading, problem);
	const decided = changeJournal(home, pointer.Key, DECISION_BOUND_SECONDS, (value) =>
		decideJournal(value, pointer.Token, "Committed"),
	);
	if (!decided.success) return pending(trading, decided.error);
	const decision = decided.value;
	const state =
		decision.write !== undefined
			? decision.write.State
			: decision.keep === "missing"
				? undefined
				: decision.journal.State;
	if (state === "Committed") return commit(trading);
	if (state === "Aborted") {
		return abort(
			trading,
			failure("trade_aborted", participants[0].profile, "another server has finished it as aborted"),
		);
	}
	return hasCommitted(trading)
		? commit(trading)
		: pending(trading, failure("roblox", participants[0].profile, "its journal is gone"));
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

/** Both at once; the first problem, or undefined when both were answered as written. */
function prepareBoth<T extends object>({ home, id, pointer, participants }: Trading<T>): BatonError | undefined {
	let problem: BatonError | undefined;
	runAll(
		home.platform,
		participants.map((participant) => () => {
			const answer = participant.prepare(pointer, id);
			const { profile } = participant;
			if (!answer.success)
				problem ??= failure("save_failed", profile, `"${profile.key}" could not be saved`, answer.error);
			else if (answer.value.kind === "refused") {
				const { decision, error: cause } = answer.value;
				const isDuplicate = decision.write === undefined && decision.keep === "duplicate";
				problem ??= isDuplicate
					? duplicate(profile, id)
					: failure("save_failed", profile, `"${profile.key}" could not be saved`, cause);
			}
		}),
	);
	return problem;
}

function settleBoth<T extends object>(
	{ home, id, pointer, participants }: Trading<T>,
	committed: boolean,
): ReadonlyArray<Participant<T>> {
	const sent = participants.filter((participant) => participant.isSent());
	runAll(
		home.platform,
		sent.map((participant) => () => {
			participant.settle(pointer, id, committed);
		}),
	);
	return sent.filter((participant) => !participant.settled && !participant.lost);
}

function commit<T extends object>(trading: Trading<T>): Result<TradeResult> {
	const { id, participants } = trading;
	const open = settleBoth(trading, true);
	for (const participant of participants) {
		if (participant.settled) participant.profile.take(participant.outcome!, participant.entry(id).Seen);
	}
	finish(trading, open);
	return ok({ outcome: "committed", id, unsettled: open.map(({ profile }) => profile.key) });
}

/** Off: decided so durably before anything else, since a prepare may have landed without an answer. */
function abort<T extends object>(trading: Trading<T>, problem: BatonError): Result<TradeResult> {
	const { home, pointer } = trading;
	const decided = changeJournal(home, pointer.Key, DECISION_BOUND_SECONDS, (value) =>
		decideJournal(value, pointer.Token, "Aborted"),
	);
	if (!decided.success) return pending(trading, decided.error);
	finish(trading, settleBoth(trading, false));
	return err(problem);
}

/** Blocks whoever is not settled, and removes the journal once nobody can need it. */
function finish<T extends object>(trading: Trading<T>, open: ReadonlyArray<Participant<T>>): void {
	const { home, pointer } = trading;
	for (const { profile } of open) {
		profile.block();
		// Each profile's own: it ends the session of that one.
		profile.home.onBlocked(profile.key);
	}
	if (open.isEmpty()) removeJournal(home, pointer.Key);
	else clearUpLater(trading, open);
}

/**
 * A write without an answer may have landed, or land yet: then no record points at the journal, and no load would come
 * upon it. So once every open participant has let go of its lock, after which none of those writes can land, the trade
 * itself looks whether anyone still needs it. Does not yield.
 */
function clearUpLater<T extends object>(
	{ home, pointer, participants }: Trading<T>,
	open: ReadonlyArray<Participant<T>>,
): void {
	home.platform.task.spawn(() => {
		for (const { profile } of open) profile.awaitEnd();
		const done = participants.filter((each) => !open.includes(each)).map(({ profile }) => profile.key);
		new Recovery(home).acknowledgeAll(pointer.Key, pointer.Token, done);
	});
}

function pending<T extends object>(trading: Trading<T>, cause: BatonError): Result<TradeResult> {
	trading.home.trades.noteUnanswered();
	finish(trading, trading.participants);
	const [{ profile }] = trading.participants;
	return err(
		failure(
			"pending_recovery",
			profile,
			"whether it is committed is not known yet; the next load of each finds out",
			cause,
		),
	);
}

/** A journal that is gone was settled by recovery: a committed one left its id in the records. */
function hasCommitted<T extends object>({ home, id, participants }: Trading<T>): boolean {
	return participants.some(({ profile }) => {
		const found = readRecord(home, profile.key);
		if (!found.success || found.value === undefined) return false;
		const shape = shapeOf(found.value.value);
		return shape.kind === "record" && shape.record.Meta.TransactionIds?.includes(id) === true;
	});
}

function failure<T extends object>(
	kind: ErrorType,
	profile: OpenProfile<T>,
	what: string,
	cause?: BatonError,
): BatonError {
	const { key } = profile;
	const { store } = profile.home;
	const message = `Baton: a trade of "${key}" in store "${store}": ${what}${cause !== undefined ? `. ${cause.message}` : ""}`;
	return new BatonError(kind, message, { store, key, cause });
}

function duplicate<T extends object>(profile: OpenProfile<T>, id: string): BatonError {
	return failure("duplicate_id", profile, `a trade "${id}" has committed already; nothing was changed`);
}
