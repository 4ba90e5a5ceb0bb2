/** What `HttpService:JSONDecode` says about any text that is not JSON. */
const UNREADABLE = "Can't parse JSON";

const UNESCAPES: Record<string, string> = {
	['"']: '"',
	["\\"]: "\\",
	["/"]: "/",
	b: "\b",
	f: "\f",
	n: "\n",
	r: "\r",
	t: "\t",
};

const WORDS: Array<[word: string, value: unknown]> = [
	["null", undefined],
	["true", true],
	["false", false],
	// Written by the encoder, though no JSON.
	["nan", 0 / 0],
	["inf", math.huge],
	["-inf", -math.huge],
];

function fail(): never {
	error(UNREADABLE, 0);
}

class Reader {
	/** 1-based, as Luau's string library counts. */
	private position = 1;

	public constructor(private readonly text: string) {}

	public readDocument(): unknown {
		const value = this.readValue();
		this.skipSpace();
		if (this.position <= this.text.size()) fail();
		return value;
	}

	private skipSpace(): void {
		const [, last] = string.find(this.text, "^[ \t\r\n]*", this.position);
		this.position = (last as number) + 1;
	}

	/** Skips white space, then takes `char` if it comes next. */
	private take(char: string): boolean {
		this.skipSpace();
		if (string.sub(this.text, this.position, this.position) !== char) return false;
		this.position += 1;
		return true;
	}

	private readValue(): unknown {
		if (this.take('"')) return this.readString();
		if (this.take("{")) return this.readObject();
		if (this.take("[")) return this.readArray();
		for (const [word, value] of WORDS) {
			if (string.sub(this.text, this.position, this.position + word.size() - 1) === word) {
				this.position += word.size();
				return value;
			}
		}
		return this.readNumber();
	}

	private readNumber(): number {
		const [digits] = string.match(this.text, "^-?%d+%.?%d*[eE]?[+-]?%d*", this.position);
		const value = typeIs(digits, "string") ? tonumber(digits) : undefined;
		if (value === undefined) fail();
		this.position += (digits as string).size();
		return value;
	}

	private readString(): string {
		const parts = new Array<string>();
		while (true) {
			const [, last, plain] = string.find(this.text, '^([^%c"\\]*)', this.position);
			if (last === undefined) fail();
			parts.push(plain as string);
			this.position = last + 2;
			const stop = string.sub(this.text, last + 1, last + 1);
			if (stop === '"') return parts.join("");
			if (stop !== "\\") fail();
			parts.push(this.readEscape());
		}
	}

	private readEscape(): string {
		const char = string.sub(this.text, this.position, this.position);
		this.position += 1;
		if (char !== "u") return UNESCAPES[char] ?? fail();
		const code = this.readHex();
		if (code < 0xd800 || code > 0xdfff) return utf8.char(code);
		// Two escapes make one character beyond the basic plane.
		if (string.sub(this.text, this.position, this.position + 1) !== "\\u") fail();
		this.position += 2;
		const low = this.readHex();
		return utf8.char(0x10000 + (code - 0xd800) * 0x400 + (low - 0xdc00));
	}

	private readHex(): number {
		const [digits] = string.match(this.text, "^%x%x%x%x", this.position);
		const code = typeIs(digits, "string") ? tonumber(digits, 16) : undefined;
		if (code === undefined) fail();
		this.position += 4;
		return code;
	}

	private readObject(): object {
		const result: Record<string, unknown> = {};
		if (this.take("}")) return result;
		while (true) {
			if (!this.take('"')) fail();
			const key = this.readString();
			if (!this.take(":")) fail();
			result[key] = this.readValue();
			if (this.take("}")) return result;
			if (!this.take(",")) fail();
		}
	}

	private readArray(): object {
		const result: Record<number, unknown> = {};
		if (this.take("]")) return result;
		let count = 0;
		while (true) {
			count += 1;
			// By its Luau index, so that a null leaves a hole and the rest keeps its place.
			rawset(result, count, this.readValue());
			if (this.take("]")) return result;
			if (!this.take(",")) fail();
		}
	}
}

/**
 * The value of a JSON text by the rules of `HttpService:JSONDecode`: null leaves a field out, an array and an object without
 * members are both an empty table. Throws on anything that is not JSON.
 */
export function decodeJson(text: string): unknown {
	return new Reader(text).readDocument();
}
