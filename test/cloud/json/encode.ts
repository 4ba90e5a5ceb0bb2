/** What `HttpService:JSONEncode` says about a table that contains itself. */
const CYCLE = "tables cannot be cyclic";
/** What it says about a string that is not UTF-8. */
const NOT_UTF8 = "Can't convert to JSON";

const ESCAPES: Record<string, string> = {
	['"']: '\\"',
	["\\"]: "\\\\",
	["\b"]: "\\b",
	["\f"]: "\\f",
	["\n"]: "\\n",
	["\r"]: "\\r",
	["\t"]: "\\t",
};

function escape(char: string): string {
	return ESCAPES[char] ?? string.format("\\u%04x", string.byte(char)[0]);
}

function encodeString(text: string): string {
	const [length] = utf8.len(text);
	if (!typeIs(length, "number")) error(NOT_UTF8, 0);
	const [special] = string.find(text, '[%c"\\]');
	if (special === undefined) return `"${text}"`;
	const [escaped] = string.gsub(text, '[%c"\\]', escape);
	return `"${escaped}"`;
}

function encodeNumber(value: number): string {
	// `inf`, `-inf` and `nan` are no JSON, but Roblox writes them; `-nan` is only how Luau prints some NaNs.
	return value !== value ? "nan" : tostring(value);
}

function append(parts: Array<string>, value: unknown, open: Set<unknown>): void {
	if (typeIs(value, "string")) parts.push(encodeString(value));
	else if (typeIs(value, "number")) parts.push(encodeNumber(value));
	else if (typeIs(value, "boolean")) parts.push(value ? "true" : "false");
	else if (typeIs(value, "table")) {
		if (open.has(value)) error(CYCLE, 0);
		open.add(value);
		appendTable(parts, value, open);
		open.delete(value);
	} else parts.push("null"); // functions, threads, instances
}

function appendTable(parts: Array<string>, value: object, open: Set<unknown>): void {
	const list = value as ReadonlyArray<unknown>;
	const length = list.size();
	if (length > 0 || isEmpty(value)) {
		// A table with an array part is an array, and its string keys are dropped without a word.
		parts.push("[");
		for (let i = 0; i < length; i++) {
			if (i > 0) parts.push(",");
			append(parts, list[i], open);
		}
		parts.push("]");
		return;
	}
	let first = true;
	parts.push("{");
	for (const [key, item] of pairs(value as Record<string | number, unknown>)) {
		// Numeric keys become text when the table has no array part.
		if (!typeIs(key, "string") && !typeIs(key, "number")) continue;
		if (!first) parts.push(",");
		first = false;
		parts.push(encodeString(tostring(key)), ":");
		append(parts, item, open);
	}
	parts.push("}");
}

function isEmpty(value: object): boolean {
	for (const [_] of pairs(value as Record<string, unknown>)) return false;
	return true;
}

/**
 * The JSON text of a value by the rules of `HttpService:JSONEncode`: an empty table is `[]`, a table with an array part is
 * an array, `inf` and `nan` are written as such, whatever has no JSON form is `null`. Throws on a cycle and on invalid UTF-8.
 */
export function encodeJson(value: unknown): string {
	const parts = new Array<string>();
	append(parts, value, new Set());
	return parts.join("");
}
