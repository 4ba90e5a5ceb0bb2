import { cannotStore } from "./errors";

/** A value as it is stored: never changed, shared with nobody outside, with its size in bytes of JSON. */
export interface Packed {
	readonly value: unknown;
	readonly bytes: number;
	/** The tables inside, by their keys: a copy clones each and looks at nothing else. */
	readonly inner?: ReadonlyArray<InnerTable>;
}

interface InnerTable {
	readonly key: string | number;
	readonly packed: Packed;
}

type AnyTable = Map<unknown, unknown>;

/** Roblox gives up on deeper nesting. */
const MAX_DEPTH = 200;
const MIXED_TABLE = "Cannot convert mixed or non-array tables: keys must be strings";
/** A smaller table is copied faster than looked up. */
const REMEMBER_BYTES = 128;
/** Longer strings are measured each time. */
const REMEMBER_LENGTH = 100;
/** How many strings and numbers are remembered before it starts over. */
const REMEMBER_COUNT = 20000;

/**
 * Copies values as the trip through JSON does: metatables are gone, a table with array items loses its string keys, number
 * keys of any other table become strings, nothing is shared with the original. One walk copies, checks and measures. A
 * subtree that is deep-frozen cannot change, so its copy is remembered and used again.
 */
export class JsonCopier {
	private readonly known = new WeakMap<object, Packed>();
	/** Bytes of strings and numbers met before: a look-up is much faster than measuring. */
	private sizes = new Map<unknown, number>();
	private sizeCount = 0;

	public constructor(
		private readonly nanStorable: boolean,
		private readonly refuseOdd = false,
	) {}

	/** The stored form of `value`; throws the text of Roblox's error when it cannot be stored. */
	public pack(value: unknown): Packed {
		if (!typeIs(value, "table")) return { value, bytes: this.measure(value, undefined) };
		const [packed] = this.walk(value as AnyTable, tableKind(value as AnyTable), new Set<object>(), 0);
		return packed;
	}

	/** The bytes of a value that is no table. */
	private measure(value: unknown, container: string | undefined): number {
		if (value === undefined) return 4;
		let bytes: number;
		if (typeIs(value, "string")) {
			if (!isUtf8(value)) error(cannotStore(container ?? "string"), 0);
			bytes = stringBytes(value);
			if (value.size() > REMEMBER_LENGTH) return bytes;
		} else if (typeIs(value, "number")) {
			if (value !== value || value === math.huge || value === -math.huge) {
				if (!this.nanStorable) error("104: Cannot store NaN or infinity in data store", 0);
				return 3;
			}
			bytes = tostring(value).size();
		} else if (typeIs(value, "boolean")) bytes = value ? 4 : 5;
		else error(cannotStore(container ?? typeOf(value)), 0);
		if (this.sizeCount >= REMEMBER_COUNT) {
			this.sizes = new Map();
			this.sizeCount = 0;
		}
		this.sizeCount += 1;
		this.sizes.set(value, bytes);
		return bytes;
	}

	private walk(
		source: AnyTable,
		container: string,
		open: Set<object>,
		depth: number,
	): LuaTuple<[packed: Packed, frozen: boolean]> {
		const seen = this.known.get(source);
		if (seen !== undefined) return $tuple(seen, true);
		if (open.has(source) || depth > MAX_DEPTH) error(cannotStore(container), 0);
		if (isInstance(source)) error(cannotStore(depth === 0 ? "Instance" : container), 0);
		open.add(source);
		let frozen = table.isfrozen(source);
		let bytes = 2;
		let inner: Array<InnerTable> | undefined;
		const copy: AnyTable = new Map();
		// Scalars met before cost a look-up only.
		const sizes = this.sizes;
		const length = (source as unknown as Array<unknown>).size();
		if (this.refuseOdd && isOdd(source, length)) error(MIXED_TABLE, 0);
		// An array's items without what else is in the table.
		const entries = length > 0 ? itemsOf(source, length) : source;
		for (const [key, item] of pairs(entries)) {
			const name = length > 0 ? (key as number) : this.nameOf(key, container);
			if (length === 0) bytes += (sizes.get(name) ?? this.measure(name, container)) + 1;
			const size = sizes.get(item);
			if (size !== undefined) {
				bytes += size + 1;
				copy.set(name, item);
			} else if (typeIs(item, "table")) {
				const [packed, itemFrozen] = this.walk(item as AnyTable, container, open, depth + 1);
				frozen = frozen && itemFrozen;
				bytes += packed.bytes + 1;
				copy.set(name, packed.value);
				inner ??= [];
				inner.push({ key: name, packed });
			} else {
				bytes += this.measure(item, container) + 1;
				copy.set(name, item);
			}
		}
		// A comma less than items.
		if (bytes > 2) bytes -= 1;
		open.delete(source);
		const packed: Packed = { value: copy, bytes, inner };
		if (frozen && bytes >= REMEMBER_BYTES) this.known.set(source, packed);
		return $tuple(packed, frozen);
	}

	private nameOf(key: unknown, container: string): string {
		if (typeIs(key, "string")) return key;
		if (typeIs(key, "number")) return tostring(key);
		error(cannotStore(container), 0);
	}
}

/** A fresh, mutable deep copy of a stored value. */
export function unpackStored(packed: Packed): unknown {
	const { value, inner } = packed;
	if (!typeIs(value, "table")) return value;
	return cloneTable(value as AnyTable, inner);
}

function cloneTable(value: AnyTable, inner: ReadonlyArray<InnerTable> | undefined): AnyTable {
	const copy = table.clone(value);
	if (inner !== undefined) {
		for (const { key, packed } of inner) copy.set(key, cloneTable(packed.value as AnyTable, packed.inner));
	}
	return copy;
}

/** The length of a string in JSON, with quotes and escapes. */
export function stringBytes(text: string): number {
	if (text.find('[%c"\\]')[0] === undefined) return text.size() + 2;
	let bytes = text.size() + 2;
	for (const [character] of text.gmatch('[%c"\\]')) {
		const code = string.byte(character as string)[0];
		if (code === 127) continue;
		const short = code >= 32 || (code >= 8 && code <= 13 && code !== 11);
		bytes += short ? 1 : 5;
	}
	return bytes;
}

function isUtf8(text: string): boolean {
	const [length] = utf8.len(text);
	return length !== undefined && length !== false;
}

/** Whether a table has string keys beside array items, or number keys that are no array. */
function isOdd(source: AnyTable, length: number): boolean {
	let count = 0;
	for (const [key] of pairs(source)) {
		if (typeIs(key, "number") !== length > 0) return true;
		count += 1;
	}
	return length > 0 && count !== length;
}

function itemsOf(source: AnyTable, length: number): AnyTable {
	const items: AnyTable = new Map();
	for (let index = 1; index <= length; index++) items.set(index, source.get(index));
	return items;
}

function tableKind(value: AnyTable): string {
	return (value as unknown as Array<unknown>).size() > 0 ? "Array" : "Dictionary";
}

// Emulated instances are tables with a class name and a metatable.
function isInstance(value: AnyTable): boolean {
	return typeIs((value as { ClassName?: unknown }).ClassName, "string") && getmetatable(value) !== undefined;
}
