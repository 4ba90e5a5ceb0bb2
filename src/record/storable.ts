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

/** A table that passed: its size, and how many levels of tables it has. */
interface Known {
	readonly bytes: number;
	readonly height: number;
}

/** A step towards a value: a field's name or an element's place, counted from 0 as in the source. */
interface Step {
	readonly up: Step | undefined;
	readonly key: unknown;
}

interface Failure {
	readonly step: Step | undefined;
	readonly reason: string;
}

/** What one walk has found so far. */
interface Walk {
	/** Tables that passed in this walk, children first; frozen only when the whole value has passed. */
	readonly order: Array<object>;
	readonly passed: Map<object, Known>;
	/** Tables the walk is inside of. */
	readonly open: Set<object>;
	failure?: Failure;
}

/** The quotes of a string, a key's colon, and the comma between two elements. */
const QUOTES = 2;
const COLON = 1;
const COMMA = 1;
const BRACKETS = 2;

function stringBytes(text: string): number {
	let bytes = text.size() + QUOTES;
	if (text.find('[%c"\\/]')[0] === undefined) return bytes;
	// \u0000 is six bytes for one, \" is two for one.
	const [, controls] = text.gsub("%c", "");
	const [, escapes] = text.gsub('["\\/]', "");
	bytes += 5 * controls + escapes;
	return bytes;
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

function pathOf(root: string, step: Step | undefined): string {
	const parts = new Array<string>();
	let at = step;
	while (at !== undefined) {
		const key = at.key;
		if (typeIs(key, "number")) parts.push(`[${key}]`);
		else if (!typeIs(key, "string")) parts.push(`[${tostring(key)}]`);
		else if (key.match("^[%a_][%w_]*$")[0] !== undefined) parts.push(`.${key}`);
		else parts.push(isUtf8(key) ? `["${key}"]` : '["?"]');
		at = at.up;
	}
	let path = root;
	for (let index = parts.size() - 1; index >= 0; index--) path += parts[index];
	return path;
}

/**
 * The gate by which a value enters a profile. It remembers the tables it has admitted, for as long as they live, and
 * does not walk them again: they are frozen, so they cannot have changed. An update that shares most of its structure
 * with the data before it costs only what is new.
 */
export class Admission {
	private readonly known = new WeakMap<object, Known>();

	/** @param maxBytes The largest value to admit, in bytes of JSON text. */
	public constructor(private readonly maxBytes: number = DATA_BYTES) {}

	/**
	 * Checks that `value` survives being stored, and deep-freezes it: the caller's own tables, not copies. A refused
	 * value is left as it was, and nothing of it is remembered. `root` is what paths begin with. Does not yield.
	 */
	public admit(value: unknown, root = "data"): Admitted | Refused {
		const walk: Walk = { order: [], passed: new Map(), open: new Set() };
		const found = this.visit(value, undefined, 0, walk);
		const failure = walk.failure;
		if (failure !== undefined) return { ok: false, path: pathOf(root, failure.step), reason: failure.reason };
		if (found.bytes > this.maxBytes) {
			const reason = `can take ${found.bytes} bytes as JSON; at most ${this.maxBytes} fit into a record`;
			return { ok: false, path: root, reason };
		}
		for (const each of walk.order) {
			if (!table.isfrozen(each)) table.freeze(each);
			this.known.set(each, walk.passed.get(each)!);
		}
		return { ok: true, bytes: found.bytes, fresh: walk.order.size() };
	}

	private visit(value: unknown, step: Step | undefined, depth: number, walk: Walk): Known {
		if (typeIs(value, "table")) return this.visitTable(value, step, depth, walk);
		if (typeIs(value, "string")) {
			if (!isUtf8(value)) return this.refuse(walk, step, "is a string that is not valid UTF-8");
			return { bytes: stringBytes(value), height: 0 };
		}
		if (typeIs(value, "number")) {
			if (value !== value) return this.refuse(walk, step, "is NaN; store a number, or leave the field out");
			if (math.abs(value) === math.huge) return this.refuse(walk, step, "is infinite; store a finite number");
			return { bytes: numberBytes(value), height: 0 };
		}
		if (typeIs(value, "boolean")) return { bytes: 5, height: 0 };
		return this.refuse(walk, step, unstorable(value));
	}

	private visitTable(value: object, step: Step | undefined, depth: number, walk: Walk): Known {
		const before = this.known.get(value) ?? walk.passed.get(value);
		if (before !== undefined) {
			return depth + before.height > MAX_DEPTH ? this.refuse(walk, step, tooDeep()) : before;
		}
		if (walk.open.has(value)) return this.refuse(walk, step, "contains itself; store a key to it instead");
		if (depth >= MAX_DEPTH) return this.refuse(walk, step, tooDeep());
		if (getmetatable(value) !== undefined) {
			return this.refuse(walk, step, "is an object of a class, or has a metatable; store a plain table");
		}
		walk.open.add(value);
		const found = this.visitFields(value, step, depth, walk);
		walk.open.delete(value);
		if (walk.failure === undefined) {
			walk.passed.set(value, found);
			walk.order.push(value);
		}
		return found;
	}

	private visitFields(value: object, step: Step | undefined, depth: number, walk: Walk): Known {
		let bytes = BRACKETS;
		let height = 0;
		let names = 0;
		let places = 0;
		let last = 0;
		for (const [key, child] of pairs(value as Map<unknown, unknown>)) {
			if (typeIs(key, "string")) {
				names += 1;
				if (!isUtf8(key)) return this.refuse(walk, step, "has a key that is not valid UTF-8");
				bytes += stringBytes(key) + COLON;
			} else if (typeIs(key, "number")) {
				places += 1;
				if (key % 1 !== 0 || key < 1) return this.refuse(walk, step, wrongKey(key));
				if (key > last) last = key;
			} else {
				return this.refuse(walk, step, wrongKey(key));
			}
			if (names > 0 && places > 0) {
				const reason = "mixes named fields with array elements, and one kind would be lost; keep them apart";
				return this.refuse(walk, step, reason);
			}
			const at: Step = { up: step, key: typeIs(key, "number") ? key - 1 : key };
			const found = this.visit(child, at, depth + 1, walk);
			if (walk.failure !== undefined) return found;
			bytes += found.bytes + COMMA;
			if (found.height > height) height = found.height;
		}
		if (places !== last) {
			const reason = `is an array with holes (${places} elements up to place ${last}); use strings as keys instead`;
			return this.refuse(walk, step, reason);
		}
		return { bytes, height: height + 1 };
	}

	private refuse(walk: Walk, step: Step | undefined, reason: string): Known {
		if (walk.failure === undefined) walk.failure = { step, reason };
		return { bytes: 0, height: 0 };
	}
}

function tooDeep(): string {
	return `is nested deeper than ${MAX_DEPTH} tables; store it flatter`;
}

function wrongKey(key: unknown): string {
	return `has the key ${tostring(key)} (${typeOf(key)}); keys must be strings, or 1, 2, 3 and so on in an array`;
}
