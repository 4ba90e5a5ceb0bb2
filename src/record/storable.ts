import { DATA_BYTES } from "./limits";
import { isUtf8 } from "./utf8";

/** Deepest nesting of tables that is accepted. */
export const MAX_DEPTH = 128;

/** A value that can be stored: it is deep-frozen now. `bytes` is an upper bound of the length of its JSON text. */
export interface Admitted {
	readonly ok: true;
	readonly bytes: number;
	/** How many tables were walked: those that had not been admitted before. */
	readonly fresh: number;
}

/** A value that cannot: where, like `data.pets[3].name`, and why, with what to do. Nothing was frozen. */
export interface Refused {
	readonly ok: false;
	readonly path: string;
	readonly reason: string;
}

/**
 * What is known of a table that passed: its size, and how many levels of tables it has, in one number. A table for each
 * would take as much memory as the data.
 */
type Known = number;

/** More than any height, and no more than is needed: a size has to fit beside it. */
const HEIGHTS = 256;
/** Sizes from here on are all the same: far too large. */
const ENDLESS = 2 ** 40;

const known = (bytes: number, height: number): Known => math.min(bytes, ENDLESS) * HEIGHTS + height;
const bytesOf = (found: Known): number => math.floor(found / HEIGHTS);
const heightOf = (found: Known): number => found % HEIGHTS;

/** What is wrong, and the way to it, innermost first: fields' names, and elements' places, counted from 0 as in the source. */
interface Failure {
	readonly reason: string;
	readonly way: Array<defined>;
}

/** What one walk has found so far. */
interface Walk {
	/** Tables that passed in this walk, children first; frozen only when the whole value has passed. */
	readonly order: Array<object>;
	/** What is known of them, and {@link OPEN} for those the walk is inside of. */
	readonly met: Map<object, Known>;
	/** JSON sizes of the fields' names met, which are few and come again and again. */
	readonly names: Map<string, number>;
	failure?: Failure;
}

const OPEN = -1;

/** The quotes of a string, a key's colon, and the comma between two elements. */
const QUOTES = 2;
const COLON = 1;
const COMMA = 1;
const BRACKETS = 2;

/** The JSON size of a string; undefined where it is not valid UTF-8. */
function stringBytes(text: string): number | undefined {
	// Printable ASCII without ", / and \, nearly every string of a game, needs one look.
	const bytes = text.size() + QUOTES;
	if (text.find("^[]-~0-[ !#-.]*$")[0] !== undefined) return bytes;
	if (!isUtf8(text)) return undefined;
	// \u0000 is six bytes for one, \" is two for one.
	const [, controls] = text.gsub("%c", "");
	const [, escapes] = text.gsub('["\\/]', "");
	return bytes + 5 * controls + escapes;
}

function numberBytes(value: number): number {
	const size = math.abs(value);
	if (size < 1e15 && value % 1 === 0) return size < 1e4 ? 5 : size < 1e9 ? 10 : 16;
	// -1.7976931348623157e+308
	return 24;
}

/** What is wrong with a value that is no table and no storable leaf. */
function unstorable(value: unknown): string {
	const kind = typeOf(value);
	if (kind === "nil") return "is nothing; give a value, or leave the field out";
	if (kind === "function") return "is a function; store what is needed to make it again";
	if (kind === "thread") return "is a thread, which cannot be stored";
	if (kind === "buffer") return "is a buffer; store its contents as a string or an array of numbers";
	if (kind === "Instance") return "is an Instance; store what is needed to make it again, such as its name";
	return `is a ${kind}; store its parts as numbers or strings`;
}

function pathOf(root: string, { way }: Failure): string {
	let path = root;
	for (let index = way.size() - 1; index >= 0; index--) {
		const key = way[index];
		if (typeIs(key, "number")) path += `[${key - 1}]`;
		else if (!typeIs(key, "string")) path += `[${tostring(key)}]`;
		else if (key.match("^[%a_][%w_]*$")[0] !== undefined) path += `.${key}`;
		else path += isUtf8(key) ? `["${key}"]` : '["?"]';
	}
	return path;
}

/**
 * The gate by which a value enters a profile. It remembers the tables it has admitted, for as long as they live, and
 * does not walk them again: they are frozen, so they cannot have changed. An update that shares most of its structure
 * with the data before it costs only what is new.
 */
export class Admission {
	private readonly admitted = new WeakMap<object, Known>();

	/** @param maxBytes The largest value to admit, in bytes of JSON text. */
	public constructor(private readonly maxBytes: number = DATA_BYTES) {}

	/**
	 * Checks that `value` survives being stored, and deep-freezes it: the caller's own tables, not copies. A refused
	 * value is left as it was, and nothing of it is remembered. `root` is what paths begin with. Does not yield.
	 */
	public admit(value: unknown, root = "data"): Admitted | Refused {
		const walk: Walk = { order: [], met: new Map(), names: new Map() };
		const found = typeIs(value, "table") ? this.visit(value, 0, walk) : known(leafBytes(value, walk) ?? 0, 0);
		const { failure } = walk;
		if (failure !== undefined) return { ok: false, path: pathOf(root, failure), reason: failure.reason };
		const bytes = bytesOf(found!);
		if (bytes > this.maxBytes) {
			const reason = `can take ${bytes} bytes as JSON; at most ${this.maxBytes} fit into a record`;
			return { ok: false, path: root, reason };
		}
		const { order, met } = walk;
		for (const each of order) {
			if (!table.isfrozen(each)) table.freeze(each);
			this.admitted.set(each, met.get(each)!);
		}
		return { ok: true, bytes, fresh: order.size() };
	}

	/** Walks a table, and answers what is known of it then; undefined where it is refused. */
	private visit(value: object, depth: number, walk: Walk): Known | undefined {
		const { met } = walk;
		const before = this.admitted.get(value) ?? met.get(value);
		if (before === OPEN) return refuse(walk, "contains itself; store a key to it instead");
		if (before !== undefined) return depth + heightOf(before) > MAX_DEPTH ? refuse(walk, tooDeep()) : before;
		if (depth >= MAX_DEPTH) return refuse(walk, tooDeep());
		if (getmetatable(value) !== undefined) {
			return refuse(walk, "is an object of a class, or has a metatable; store a plain table");
		}
		met.set(value, OPEN);
		const { names } = walk;
		let bytes = BRACKETS;
		let height = 0;
		let hasNames = false;
		let places = 0;
		let last = 0;
		for (const [key, child] of pairs(value as Map<defined, unknown>)) {
			if (typeIs(key, "string")) {
				hasNames = true;
				let size = names.get(key);
				if (size === undefined) {
					size = stringBytes(key);
					if (size === undefined) return refuse(walk, "has a key that is not valid UTF-8");
					names.set(key, size);
				}
				bytes += size + COLON;
			} else if (typeIs(key, "number")) {
				places += 1;
				if (key % 1 !== 0 || key < 1) return refuse(walk, wrongKey(key));
				if (key > last) last = key;
			} else {
				return refuse(walk, wrongKey(key));
			}
			if (hasNames && places > 0) {
				return refuse(
					walk,
					"mixes named fields with array elements, and one kind would be lost; keep them apart",
				);
			}
			let size: number | undefined;
			if (typeIs(child, "table")) {
				const found = this.visit(child, depth + 1, walk);
				if (found !== undefined) {
					size = bytesOf(found);
					height = math.max(height, heightOf(found));
				}
			} else {
				size = leafBytes(child, walk);
			}
			if (size === undefined) {
				walk.failure!.way.push(key);
				return undefined;
			}
			bytes += size + COMMA;
		}
		if (places !== last) {
			const reason = `is an array with holes (${places} elements up to place ${last}); use strings as keys instead`;
			return refuse(walk, reason);
		}
		const found = known(bytes, height + 1);
		met.set(value, found);
		walk.order.push(value);
		return found;
	}
}

/** The JSON size of a value that is no table; undefined where it is refused. */
function leafBytes(value: unknown, walk: Walk): number | undefined {
	if (typeIs(value, "number")) {
		if (value !== value) return refuse(walk, "is NaN; store a number, or leave the field out");
		if (math.abs(value) === math.huge) return refuse(walk, "is infinite; store a finite number");
		return numberBytes(value);
	}
	if (typeIs(value, "string")) return stringBytes(value) ?? refuse(walk, "is a string that is not valid UTF-8");
	if (typeIs(value, "boolean")) return 5;
	return refuse(walk, unstorable(value));
}

/** Ends the walk: whoever hears of it goes back at once and notes its own step. */
function refuse(walk: Walk, reason: string): undefined {
	walk.failure = { reason, way: [] };
	return undefined;
}

function tooDeep(): string {
	return `is nested deeper than ${MAX_DEPTH} tables; store it flatter`;
}

function wrongKey(key: unknown): string {
	return `has the key ${tostring(key)} (${typeOf(key)}); keys must be strings, or 1, 2, 3 and so on in an array`;
}
