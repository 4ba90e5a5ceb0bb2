import { cannotStore } from "./errors";

/** A value as it is stored: deep-frozen, shared by nobody outside, with its size in bytes of JSON. */
export interface Packed {
	readonly value: unknown;
	readonly bytes: number;
}

type AnyTable = Map<unknown, unknown>;

/** Roblox gives up on deeper nesting. */
const MAX_DEPTH = 200;

/**
 * Copies values as the trip through JSON does: metatables are gone, a table with array items loses its string keys, number
 * keys of any other table become strings, nothing is shared with the original. One walk copies, checks and measures. A
 * subtree that is deep-frozen cannot change, so its copy is remembered and used again.
 */
export class JsonCopier {
	private readonly known = new WeakMap<object, Packed>();

	public constructor(private readonly nanStorable: boolean) {}

	/** The stored form of `value`; throws the text of Roblox's error when it cannot be stored. */
	public pack(value: unknown): Packed {
		const container = typeIs(value, "table") ? tableKind(value as AnyTable) : undefined;
		const [copy, bytes] = this.walk(value, container, new Set<object>(), 0);
		return { value: copy, bytes };
	}

	private walk(
		value: unknown,
		container: string | undefined,
		open: Set<object>,
		depth: number,
	): LuaTuple<[copy: unknown, bytes: number, frozen: boolean]> {
		if (typeIs(value, "string")) {
			if (utf8.len(value)[0] === undefined || utf8.len(value)[0] === false) {
				error(cannotStore(container ?? "string"), 0);
			}
			return $tuple(value, stringBytes(value), true);
		}
		if (typeIs(value, "number")) {
			if (value !== value || value === math.huge || value === -math.huge) {
				if (!this.nanStorable) error("104: Cannot store NaN or infinity in data store", 0);
				return $tuple(value, 3, true);
			}
			return $tuple(value, tostring(value).size(), true);
		}
		if (typeIs(value, "boolean")) return $tuple(value, value ? 4 : 5, true);
		if (value === undefined) return $tuple(undefined, 4, true);
		if (!typeIs(value, "table")) error(cannotStore(container ?? typeOf(value)), 0);
		return this.walkTable(value as AnyTable, container, open, depth);
	}

	private walkTable(
		source: AnyTable,
		container: string | undefined,
		open: Set<object>,
		depth: number,
	): LuaTuple<[copy: unknown, bytes: number, frozen: boolean]> {
		const seen = this.known.get(source);
		if (seen !== undefined) return $tuple(seen.value, seen.bytes, true);
		if (open.has(source) || depth > MAX_DEPTH) error(cannotStore(container ?? "Dictionary"), 0);
		if (isInstance(source)) error(cannotStore(depth === 0 ? "Instance" : (container ?? "Instance")), 0);
		open.add(source);
		let frozen = table.isfrozen(source);
		let bytes = 2;
		let copy: object;
		const list = source as unknown as Array<unknown>;
		const size = list.size();
		if (size > 0) {
			const items = table.create<defined>(size);
			for (let index = 0; index < size; index++) {
				const [item, itemBytes, itemFrozen] = this.walk(list[index], container, open, depth + 1);
				items[index] = item as defined;
				bytes += itemBytes + (index > 0 ? 1 : 0);
				frozen = frozen && itemFrozen;
			}
			copy = items;
		} else {
			const fields = new Map<string, unknown>();
			let first = true;
			for (const [key, field] of pairs(source)) {
				if (!typeIs(key, "string") && !typeIs(key, "number")) error(cannotStore(container ?? "Dictionary"), 0);
				const name = tostring(key);
				if (typeIs(key, "string") && !isUtf8(key)) error(cannotStore(container ?? "Dictionary"), 0);
				const [item, itemBytes, itemFrozen] = this.walk(field, container, open, depth + 1);
				fields.set(name, item);
				bytes += itemBytes + stringBytes(name) + (first ? 1 : 2);
				frozen = frozen && itemFrozen;
				first = false;
			}
			copy = fields;
		}
		open.delete(source);
		table.freeze(copy);
		const packed: Packed = { value: copy, bytes };
		if (frozen) this.known.set(source, packed);
		this.known.set(copy, packed);
		return $tuple(copy, bytes, frozen);
	}
}

/** A fresh, mutable deep copy of a stored value. */
export function unpackStored<T>(value: T): T {
	if (!typeIs(value, "table")) return value;
	const copy = table.clone(value as object) as AnyTable;
	for (const [key, item] of pairs(copy)) {
		if (typeIs(item, "table")) copy.set(key, unpackStored(item));
	}
	return copy as T;
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

function tableKind(value: AnyTable): string {
	return (value as unknown as Array<unknown>).size() > 0 ? "Array" : "Dictionary";
}

// Emulated instances are tables with a metatable and a class name.
function isInstance(value: AnyTable): boolean {
	return getmetatable(value) !== undefined && typeIs((value as { ClassName?: unknown }).ClassName, "string");
}
