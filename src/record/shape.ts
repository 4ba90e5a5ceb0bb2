import { StoredRecord } from "./types";

/** What is stored under a key. */
export type Shape =
	| { readonly kind: "nothing" }
	| { readonly kind: "record"; readonly record: StoredRecord }
	/** Not a Baton record, and why. */
	| { readonly kind: "other"; readonly reason: string };

type Fields = Map<string, unknown>;

const FIELDS = new Set(["Data", "Lock", "Pending", "Meta"]);

function fieldsOf(value: unknown): Fields | undefined {
	return typeIs(value, "table") ? (value as Fields) : undefined;
}

function isText(value: unknown): boolean {
	return typeIs(value, "string") && value !== "";
}

function isCount(value: unknown): boolean {
	return typeIs(value, "number") && value >= 0 && value % 1 === 0;
}

function isFlag(value: unknown): boolean {
	return value === undefined || typeIs(value, "boolean");
}

function isSpan(value: unknown): boolean {
	return value === undefined || typeIs(value, "number");
}

/** An empty array may come back from the store as an empty dictionary; both are the empty table. */
function isTextArray(value: unknown): boolean {
	if (!typeIs(value, "table")) return false;
	const length = (value as Array<unknown>).size();
	let count = 0;
	for (const [key, each] of pairs(value as unknown as Map<unknown, unknown>)) {
		if (!typeIs(key, "number") || !typeIs(each, "string")) return false;
		count += 1;
	}
	return count === length;
}

function isCounts(value: unknown): boolean {
	if (!typeIs(value, "table")) return false;
	for (const [key, each] of pairs(value as Map<unknown, unknown>)) {
		if (!typeIs(key, "string") || !typeIs(each, "number")) return false;
	}
	return true;
}

function metaProblem(meta: Fields | undefined): string | undefined {
	if (meta === undefined) return "Meta is missing";
	if (!isCount(meta.get("Turn"))) return "Meta.Turn is not a count";
	if (!isTextArray(meta.get("Migrations"))) return "Meta.Migrations is not a list of names";
	const ids = meta.get("TransactionIds");
	if (ids !== undefined && !isTextArray(ids)) return "Meta.TransactionIds is not a list of ids";
	const refused = meta.get("RefusedTransaction");
	if (refused !== undefined && !isText(refused)) return "Meta.RefusedTransaction is not a token";
	const released = meta.get("ReleasedToken");
	if (released !== undefined && !isText(released)) return "Meta.ReleasedToken is not a token";
	const flushed = meta.get("Flushed");
	if (flushed !== undefined && !isCounts(flushed)) return "Meta.Flushed is not a table of counts";
	const floor = meta.get("FlushFloor");
	if (floor !== undefined && !typeIs(floor, "number")) return "Meta.FlushFloor is not a number";
	// A malformed PendingTransaction is for recovery to report: the record is Baton's all the same.
	return undefined;
}

function lockProblem(lock: unknown, turn: unknown): string | undefined {
	if (lock === undefined) return undefined;
	const fields = fieldsOf(lock);
	if (fields === undefined) return "Lock is not a table";
	if (!isText(fields.get("JobId"))) return "Lock.JobId is not a text";
	if (!isText(fields.get("Token"))) return "Lock.Token is not a text";
	if (!isCount(fields.get("Turn"))) return "Lock.Turn is not a count";
	if (fields.get("Turn") !== turn) return "Lock.Turn is not Meta.Turn";
	if (!isCount(fields.get("Seq"))) return "Lock.Seq is not a count";
	if (!typeIs(fields.get("Time"), "number")) return "Lock.Time is not a number";
	if (!isFlag(fields.get("Presence"))) return "Lock.Presence is not a boolean";
	if (!isFlag(fields.get("Tx"))) return "Lock.Tx is not a boolean";
	if (!isSpan(fields.get("Expires"))) return "Lock.Expires is not a number";
	return undefined;
}

function pendingProblem(pending: unknown): string | undefined {
	if (pending === undefined) return undefined;
	const fields = fieldsOf(pending);
	if (fields === undefined) return "Pending is not a table";
	if (!isText(fields.get("Id"))) return "Pending.Id is not a text";
	if (fields.get("Data") === undefined) return "Pending.Data is missing";
	if (!isTextArray(fields.get("Migrations"))) return "Pending.Migrations is not a list of names";
	if (!isText(fields.get("JobId"))) return "Pending.JobId is not a text";
	if (!isSpan(fields.get("Expires"))) return "Pending.Expires is not a number";
	return undefined;
}

/**
 * Tells whether a stored value is nothing, a Baton record, or something else, which is never guessed at: whoever
 * meets it leaves it as it is. The game's data inside is not looked at. Does not yield.
 */
export function shapeOf(value: unknown): Shape {
	if (value === undefined) return { kind: "nothing" };
	const fields = fieldsOf(value);
	if (fields === undefined) return { kind: "other", reason: `it is a ${typeOf(value)}` };
	const meta = fieldsOf(fields.get("Meta"));
	const isShared = isText(meta?.get("KeepsOut"));
	for (const [name] of pairs(fields)) {
		if (!FIELDS.has(name) && !isShared) return { kind: "other", reason: `it has the field ${tostring(name)}` };
	}
	const problem =
		(fields.get("Data") === undefined ? "Data is missing" : undefined) ??
		metaProblem(meta) ??
		lockProblem(fields.get("Lock"), meta?.get("Turn")) ??
		pendingProblem(fields.get("Pending"));
	if (problem !== undefined) return { kind: "other", reason: problem };
	if (fields.get("Pending") !== undefined && meta?.get("PendingTransaction") !== undefined) {
		return { kind: "other", reason: "it has both Pending and Meta.PendingTransaction" };
	}
	return { kind: "record", record: value as StoredRecord };
}
