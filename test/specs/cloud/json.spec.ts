import { copyThroughJson, decodeJson, encodeJson } from "../../cloud/json";

function refuses(call: () => unknown): string {
	const [success, problem] = pcall(call);
	if (success) error("was accepted", 2);
	return tostring(problem);
}

// HttpService's JSON: what a value looks like after a journey to the cloud and back.
export = () => {
	describe("JSON text", () => {
		it("writes strings, numbers and booleans", () => {
			expect(encodeJson("a")).to.equal('"a"');
			expect(encodeJson(1)).to.equal("1");
			expect(encodeJson(-0.5)).to.equal("-0.5");
			expect(encodeJson(true)).to.equal("true");
			expect(encodeJson(undefined)).to.equal("null");
		});

		it("escapes quotes, backslashes and control characters", () => {
			expect(encodeJson(`a"b\\c\n${string.char(1)}`)).to.equal('"a\\"b\\\\c\\n\\u0001"');
		});

		it("writes an empty table as an array", () => {
			expect(encodeJson({})).to.equal("[]");
			expect(encodeJson({ a: {} })).to.equal('{"a":[]}');
		});

		it("drops the string keys of a mixed table", () => {
			const mixed = [1, 2] as unknown as Record<string, unknown>;
			mixed.name = "lost";
			expect(encodeJson(mixed)).to.equal("[1,2]");
		});

		it("turns the numeric keys of a table without array part into strings", () => {
			const sparse = new Map<number, string>([[5, "a"]]);
			expect(encodeJson(sparse)).to.equal('{"5":"a"}');
			const back = copyThroughJson(sparse) as unknown as Map<unknown, string>;
			expect(back.get(5)).to.equal(undefined);
			expect(back.get("5")).to.equal("a");
		});

		it("writes what has no JSON form as null", () => {
			expect(encodeJson([() => {}, 1])).to.equal("[null,1]");
		});

		it("refuses a table that contains itself, but not one that occurs twice", () => {
			const loop: { self?: unknown } = {};
			loop.self = loop;
			expect(refuses(() => encodeJson(loop))).to.equal("tables cannot be cyclic");
			const twice = { a: 1 };
			expect(encodeJson([twice, twice])).to.equal('[{"a":1},{"a":1}]');
		});

		it("refuses a string that is not UTF-8, as a value and as a key", () => {
			expect(refuses(() => encodeJson(string.char(255)))).to.equal("Can't convert to JSON");
			expect(refuses(() => encodeJson({ [string.char(255)]: 1 }))).to.equal("Can't convert to JSON");
		});

		it("carries infinity and NaN, which are no JSON", () => {
			expect(encodeJson([math.huge, -math.huge])).to.equal("[inf,-inf]");
			expect(decodeJson("[inf,-inf]")).to.be.ok();
			const back = copyThroughJson([0 / 0, -math.huge]);
			expect(back[0] !== back[0]).to.equal(true);
			expect(back[1]).to.equal(-math.huge);
		});

		it("loses metatables", () => {
			class Thing {
				public size = 1;
			}
			expect(getmetatable(copyThroughJson(new Thing()))).to.equal(undefined);
		});

		it("gives a copy that shares nothing", () => {
			const value = { list: [{ a: 1 }] };
			const copy = copyThroughJson(value);
			expect(copy).never.to.equal(value);
			copy.list[0].a = 2;
			expect(value.list[0].a).to.equal(1);
		});

		it("keeps every number a double can hold", () => {
			for (const value of [0.1, 1e300, 9007199254740991, -1 / 3, 5e-324]) {
				expect(decodeJson(encodeJson(value))).to.equal(value);
			}
		});

		it("reads white space, nesting, escapes and numbers", () => {
			const value = decodeJson(
				' { "a" : [ 1 , -2.5e+3 , true , "x\\u00e9\\ud83d\\ude00\\/" ] , "b" : null } ',
			) as {
				a: Array<unknown>;
				b?: unknown;
			};
			expect(value.a[0]).to.equal(1);
			expect(value.a[1]).to.equal(-2500);
			expect(value.a[2]).to.equal(true);
			expect(value.a[3]).to.equal("xé😀/");
			expect(value.b).to.equal(undefined);
		});

		it("leaves a hole where an array holds null", () => {
			const list = decodeJson("[1,null,3]") as Array<number | undefined>;
			expect(list[0]).to.equal(1);
			expect(list[1]).to.equal(undefined);
			expect(list[2]).to.equal(3);
		});

		it("refuses what is not JSON", () => {
			const broken = [
				"",
				"{",
				"[1",
				"[1,]",
				"[1 2]",
				'{"a"}',
				"{a:1}",
				'"a',
				"tru",
				"1 2",
				"-",
				'"\\x"',
				'"a\nb"',
				'"\\ud83d"',
			];
			for (const text of broken) expect(refuses(() => decodeJson(text))).to.equal("Can't parse JSON");
		});
	});
};
