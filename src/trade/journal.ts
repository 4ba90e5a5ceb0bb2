import { RESERVED_PREFIX } from "../record/limits";

/** What `Kind` says in a journal. */
export const JOURNAL_KIND = "CKTransaction";

/** Whether a trade is decided, and how. */
export type JournalState = "Preparing" | "Committed" | "Aborted";

/** A participant's side of a trade. */
export interface JournalEntry {
	/** Its data after the trade, in storage form. */
	readonly Data: unknown;
	/** Its trade ids after the trade, this one included. */
	readonly Seen: ReadonlyArray<string>;
}

/** A trade's one durable decision, with both outcomes. Field names are the stored format and never change. */
export interface Journal {
	readonly Kind: typeof JOURNAL_KIND;
	/** A GUID that the participants' pointers repeat, so that a stale pointer never meets another trade's journal. */
	readonly Token: string;
	/** The trade's id. */
	readonly Id: string;
	readonly State: JournalState;
	/** By the participants' keys. */
	readonly Entries: Readonly<Record<string, JournalEntry>>;
	/** The participants that are known to be done. */
	readonly Settled: Readonly<Record<string, boolean>>;
	readonly Meta: { readonly UserIds: ReadonlyArray<number> };
}

/** How a change of a journal ended. */
export type JournalDecision =
	| { readonly write: Journal }
	/** It was as wanted already, or decided before: this is the journal. */
	| { readonly write?: undefined; readonly keep: "as it is"; readonly journal: Journal }
	/** There is no journal of this token. */
	| { readonly write?: undefined; readonly keep: "missing" };

/** The key of a journal's record; `guid` without braces. */
export function journalKey(guid: string): string {
	return `${RESERVED_PREFIX}${guid}`;
}

/** Whether a stored value is a well-formed journal for `token`. Pure. */
export function isJournal(value: unknown, token: string): value is Journal {
	if (!typeIs(value, "table")) return false;
	const { Kind, Token, Id, State, Entries, Settled } = value as unknown as Journal;
	if (Kind !== JOURNAL_KIND || Token !== token || !typeIs(Id, "string")) return false;
	if (State !== "Preparing" && State !== "Committed" && State !== "Aborted") return false;
	return typeIs(Entries, "table") && (Settled === undefined || typeIs(Settled, "table"));
}

/** A participant's usable entry, or undefined. Pure. */
export function entryOf(journal: Journal, key: string): JournalEntry | undefined {
	const entry = (journal.Entries as Partial<Record<string, JournalEntry>>)[key];
	if (!typeIs(entry, "table") || entry.Data === undefined) return undefined;
	return typeIs(entry.Seen, "table") ? entry : undefined;
}

/** Whether a participant is known to be done; a store may have left out an empty table of them. Pure. */
export function isSettled(journal: Journal, key: string): boolean {
	return (journal.Settled as Journal["Settled"] | undefined)?.[key] === true;
}

/** Whether every participant is settled. Pure. */
export function isAllSettled(journal: Journal): boolean {
	for (const [key] of pairs(journal.Entries)) {
		if (!isSettled(journal, key)) return false;
	}
	return true;
}

/**
 * Write 1: makes the journal.
 *
 * Harmless when it crashes, runs again or lands late: nothing points at it before it is answered, a second run finds
 * its own token, and one that lands after the journal is gone leaves a record that nothing points at.
 */
export function createJournal(value: unknown, journal: Journal): JournalDecision {
	if (value === undefined) return { write: journal };
	return isJournal(value, journal.Token) ? { keep: "as it is", journal: value } : { keep: "missing" };
}

/**
 * Write 4, and recovery's first: the one compare-and-set that decides a trade. Only an undecided journal takes a
 * decision, and none is ever made here.
 *
 * Harmless when it crashes, runs again or lands late: a decision that is there stays, whoever made it.
 */
export function decideJournal(value: unknown, token: string, decision: "Committed" | "Aborted"): JournalDecision {
	if (!isJournal(value, token)) return { keep: "missing" };
	if (value.State !== "Preparing") return { keep: "as it is", journal: value };
	return { write: { ...value, State: decision } };
}

/**
 * Notes participants that are done. The caller removes the journal once all of them are.
 *
 * Harmless when it crashes, runs again or lands late: what it notes stays true.
 */
export function settleJournal(value: unknown, token: string, keys: ReadonlyArray<string>): JournalDecision {
	if (!isJournal(value, token)) return { keep: "missing" };
	const settled = value.Settled ?? {};
	if (keys.every((key) => settled[key] === true)) return { keep: "as it is", journal: value };
	const grown: Record<string, boolean> = { ...settled };
	for (const key of keys) grown[key] = true;
	return { write: { ...value, Settled: grown } };
}
