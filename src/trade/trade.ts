import { Hold } from "../driver/hold";
import { OpenProfile } from "../driver/openProfile";
import { Profile } from "../driver/profile";
import { BatonError } from "../errors";
import { DeepReadonly } from "../record/deepReadonly";
import { VALUE_BYTES } from "../record/limits";
import { StoredPointer } from "../record/types";
import { err, ok, Result } from "../result";
import { runTwoPhase, TwoPhaseParticipant } from "../twoPhase/twoPhase";
import { whileDeciding, whileHeld } from "../twoPhase/whileHeld";
import { journalKey } from "./journal";
import { removeJournal } from "./journalStore";
import { Participant } from "./participants";
import { Recovery } from "./recovery";
import { tradeDecision, Trading } from "./tradeDecision";
import { failure } from "./tradeError";

/** Room in a journal for all but the two data. */
const JOURNAL_ENVELOPE_BYTES = 32_768;
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
	return whileHeld(
		a.home.platform,
		[a, b],
		(taken) => failure("busy", taken, `"${taken.key}" is in another trade or transaction; nothing was written`),
		([first, second]) => tradeHeld(a, b, [first, second], mutate, id),
	);
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
	// From the data that its function gets to those that are stored, neither changes, whatever write of either is waited for.
	for (const hold of holds) hold.pausesWrites = true;
	const change = whileDeciding(a.home.platform, holds, "a trade's function", () => mutate(a.data, b.data));
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
	const { home, participants } = trading;
	const ending = runTwoPhase(
		home.platform,
		tradeDecision(trading),
		participants.map((participant) => shareOf(trading, participant)),
	);
	if (ending.kind === "refused") return err(ending.problem);
	if (ending.kind === "unknown") return pending(trading, ending.cause);
	const { outcome, problem } = ending;
	const open = participants.filter((each) => each.isSent() && !each.settled && !each.lost);
	if (outcome === "aborted") {
		finish(trading, open);
		const [{ profile }] = participants;
		return err(problem ?? failure("trade_aborted", profile, "another server has finished it as aborted"));
	}
	for (const participant of participants) {
		if (participant.settled) participant.profile.take(participant.outcome!, participant.entry(trading.id).Seen);
	}
	finish(trading, open);
	return ok({ outcome: "committed", id: trading.id, unsettled: open.map(({ profile }) => profile.key) });
}

/** One side's share in the two phases. */
function shareOf<T extends object>({ id, pointer }: Trading<T>, participant: Participant<T>): TwoPhaseParticipant {
	const { profile } = participant;
	return {
		prepare: () => {
			const answer = participant.prepare(pointer, id);
			const saveFailed = (cause: BatonError) =>
				failure("save_failed", profile, `"${profile.key}" could not be saved`, cause);
			if (!answer.success) return saveFailed(answer.error);
			const { value } = answer;
			if (value.kind === "written") return undefined;
			return value.isDuplicate ? duplicate(profile, id) : saveFailed(value.error);
		},
		settle: (outcome) => {
			if (participant.isSent()) participant.settle(pointer, id, outcome === "committed");
		},
	};
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

function duplicate<T extends object>(profile: OpenProfile<T>, id: string): BatonError {
	return failure("duplicate_id", profile, `a trade "${id}" has committed already; nothing was changed`);
}
