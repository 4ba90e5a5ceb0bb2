import { Admission, MAX_DEPTH } from "../../../src/record/storable";

/** Makes a userdata; Luau has it, the typings do not. */
declare function newproxy(withMetatable?: boolean): unknown;

function nested(levels: number): object {
	let value: object = {};
	for (let level = 1; level < levels; level++) value = { inner: value };
	return value;
}

/** Asserts the refusal's path and that its reason has `word`. */
function refused(value: unknown, path: string, word: string): void {
	const answer = new Admission().admit(value);
	if (answer.ok) error(`admitted a value that must be refused at ${path}`, 2);
	if (answer.path !== path) error(`refused at ${answer.path}, not at ${path}: ${answer.reason}`, 2);
	if (answer.reason.find(word, 1, true)[0] === undefined) error(`the reason lacks "${word}": ${answer.reason}`, 2);
}

class Pet {
	public name = "Rex";
}

export = () => {
	describe("prior fault: NaN, a function, bad UTF-8 or a mixed table made every later save fail", () => {
		it("refuses NaN and infinity, with their place", () => {
			refused({ coins: 0 / 0 }, "data.coins", "NaN");
			refused({ pets: [{ age: 1 }, { age: math.huge }] }, "data.pets[1].age", "infinite");
			refused(-math.huge, "data", "infinite");
		});

		it("refuses functions, threads and buffers", () => {
			refused({ onHit: () => {} }, "data.onHit", "function");
			refused({ job: coroutine.create(() => {}) }, "data.job", "thread");
			refused({ bytes: buffer.create(4) }, "data.bytes", "buffer");
		});

		it("refuses an object of a class and any metatable", () => {
			refused({ pet: new Pet() }, "data.pet", "class");
			refused({ guarded: setmetatable({}, { __index: {} } as never) }, "data.guarded", "metatable");
		});

		it("refuses userdata and nothing at all", () => {
			refused({ proxy: newproxy(true) }, "data.proxy", "userdata");
			refused(undefined, "data", "nothing");
		});

		it("refuses strings and keys that are not UTF-8", () => {
			refused({ name: string.char(0xff) }, "data.name", "UTF-8");
			refused({ names: { [string.char(0xc3, 0x28)]: 1 } }, "data.names", "UTF-8");
			// A surrogate half and an overlong form are not UTF-8 either.
			refused({ name: string.char(0xed, 0xa0, 0x80) }, "data.name", "UTF-8");
			refused({ name: string.char(0xc0, 0x80) }, "data.name", "UTF-8");
		});

		it("refuses mixed tables, sparse arrays, and keys of other types", () => {
			const mixed = new Map<unknown, unknown>([
				[1, "one"],
				["two", 2],
			]);
			refused({ mixed }, "data.mixed", "mixes");
			refused({ sparse: new Map([[5, "five"]]) }, "data.sparse", "holes");
			refused({ half: new Map([[1.5, "x"]]) }, "data.half", "1.5");
			refused({ zero: new Map([[0, "x"]]) }, "data.zero", "key 0");
			refused({ flags: new Map([[true, "x"]]) }, "data.flags", "boolean");
			refused({ set: new Set([new Pet()]) }, "data.set", "table");
		});

		it("refuses cycles, and takes a table that stands twice", () => {
			const loop: { next?: object } = {};
			loop.next = { back: loop };
			refused(loop, "data.next.back", "itself");
			const shared = { x: 1 };
			expect(new Admission().admit({ a: shared, b: shared }).ok).to.equal(true);
		});

		it("refuses what is nested deeper than 128 tables, also when a part of it was admitted before", () => {
			expect(new Admission().admit(nested(MAX_DEPTH)).ok).to.equal(true);
			expect(new Admission().admit(nested(MAX_DEPTH + 1)).ok).to.equal(false);
			const admission = new Admission();
			const part = nested(MAX_DEPTH);
			expect(admission.admit(part).ok).to.equal(true);
			expect(admission.admit({ part }).ok).to.equal(false);
		});

		it("quotes odd names in paths", () => {
			refused({ "my key": 0 / 0 }, 'data["my key"]', "NaN");
			const answer = new Admission().admit({ a: 0 / 0 }, "defaults");
			expect(!answer.ok && answer.path).to.equal("defaults.a");
		});
	});

	describe("an admitted value is frozen, a refused one is untouched", () => {
		it("freezes every level", () => {
			const value = { pets: [{ name: "Rex" }], bag: {} };
			expect(new Admission().admit(value).ok).to.equal(true);
			expect(table.isfrozen(value)).to.equal(true);
			expect(table.isfrozen(value.pets)).to.equal(true);
			expect(table.isfrozen(value.pets[0])).to.equal(true);
			expect(table.isfrozen(value.bag)).to.equal(true);
		});

		it("freezes and remembers nothing when a later part is refused", () => {
			const admission = new Admission();
			const good = { inner: { n: 1 } };
			const fields = new Map<string, unknown>();
			for (let index = 0; index < 20; index++) fields.set(`f${index}`, index === 10 ? 0 / 0 : { good });
			expect(admission.admit(fields).ok).to.equal(false);
			expect(table.isfrozen(fields)).to.equal(false);
			expect(table.isfrozen(good)).to.equal(false);
			expect(table.isfrozen(good.inner)).to.equal(false);
			// Were `good` remembered, what the game writes into it now would never be looked at.
			good.inner.n = 0 / 0;
			expect(admission.admit(good).ok).to.equal(false);
		});

		it("freezes and remembers nothing when the whole is too large", () => {
			const admission = new Admission(100);
			const part = { n: 1 };
			expect(admission.admit({ part, text: string.rep("x", 100) }).ok).to.equal(false);
			expect(table.isfrozen(part)).to.equal(false);
		});

		it("looks inside a frozen table that it did not freeze itself", () => {
			const inner = { n: 0 / 0 };
			const outer = table.freeze({ inner });
			expect(new Admission().admit(outer).ok).to.equal(false);
		});
	});

	describe("size: an upper bound of the JSON text, escapes counted", () => {
		const bytesOf = (value: unknown): number => {
			const answer = new Admission().admit(value);
			return answer.ok ? answer.bytes : -1;
		};
		const atLeast = (value: unknown, json: string): void => {
			if (bytesOf(value) < json.size()) error(`${bytesOf(value)} bytes for ${json}`, 2);
		};

		it("is never below the text", () => {
			atLeast("plain", '"plain"');
			atLeast('say "hi"\\/', '"say \\"hi\\"\\\\\\/"');
			atLeast("\n\0", '"\\u000a\\u0000"');
			atLeast("[a]\\[b]", '"[a]\\\\[b]"');
			atLeast('"', '"\\""');
			atLeast("a/b", '"a\\/b"');
			atLeast("\x7f", '"\\u007f"');
			atLeast(-9999, "-9999");
			atLeast(-999_999_999, "-999999999");
			atLeast(-999_999_999_999_999, "-999999999999999");
			atLeast(0.1, "0.10000000000000001");
			atLeast(-1.7976931348623157e308, "-1.7976931348623157e+308");
			atLeast([1, 2, 3], "[1,2,3]");
			atLeast({}, "[]");
			atLeast({ a: true, b: false }, '{"a":true,"b":false}');
		});

		it("counts every place of a shared table, and what was admitted before", () => {
			const admission = new Admission(1000);
			const part = { text: string.rep("x", 400) };
			expect(admission.admit(part).ok).to.equal(true);
			expect(admission.admit({ a: part, b: part }).ok).to.equal(true);
			expect(admission.admit({ a: part, b: part, c: part }).ok).to.equal(false);
		});

		it("refuses a value over 4 MB less the envelope", () => {
			expect(new Admission().admit({ text: string.rep("x", 4_100_000) }).ok).to.equal(true);
			refused({ text: string.rep("x", 4_190_000) }, "data", "bytes");
		});

		it("refuses tables shared so often that their text would never end", () => {
			let value: object = { x: 1 };
			for (let level = 0; level < 60; level++) value = { a: value, b: value };
			refused(value, "data", "bytes");
		});
	});

	it("skips what was admitted before: an update costs what is new in it", () => {
		const admission = new Admission();
		const items = new Array<object>();
		for (let index = 0; index < 1000; index++) items.push({ id: `item${index}` });
		const data = { coins: 0, items, bag: { gold: {} } };
		const first = admission.admit(data);
		expect(first.ok && first.fresh).to.equal(1004);
		const coins = admission.admit({ ...data, coins: 1 });
		expect(coins.ok && coins.fresh).to.equal(1);
		const bag = admission.admit({ ...data, bag: { ...data.bag, silver: {} } });
		expect(bag.ok && bag.fresh).to.equal(3);
		expect(first.ok && coins.ok && coins.bytes === first.bytes).to.equal(true);
		const same = admission.admit(data);
		expect(same.ok && same.fresh).to.equal(0);
	});
};
