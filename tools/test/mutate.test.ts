import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fromRoot } from "../lib/root.ts";
import { mutants } from "../mutants/index.ts";
import { makeMutantCompiler } from "../mutate/compileMutants.ts";
import { type Ground, type Hunted, hunt, inOrder, isCaught } from "../mutate/hunt.ts";
import { type Mutant, patched, patchedFiles, StaleMutant } from "../mutate/mutant.ts";
import { describing, withPlace } from "./fixture.ts";

const read = (file: string): string => readFileSync(fromRoot(file), "utf8");

test("an edit replaces a text that is there exactly once, taken literally", () => {
	const edit = { file: "f", find: "b.", replace: "$&c" };
	assert.equal(patched("a b. d", edit), "a $&c d");
	assert.throws(() => patched("a bx d", edit), /f holds "b." 0 times/);
	assert.throws(() => patched("b. b.", edit), StaleMutant);
});

test("several edits of one file come one after the other", () => {
	const also = [{ file: "f", find: "two", replace: "three" }];
	const mutant = { name: "m", rule: "r", file: "f", find: "one", replace: "two", hint: [], also };
	assert.deepEqual([...patchedFiles(mutant, () => "one")], [["f", "three"]]);
});

test("every mutant has a name of its own", () => {
	assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
});

test("every numbered rule of the protocols has a mutant that names it", () => {
	// Rules 1.1 to 1.4, 2.1 to 2.6, and so on; 0 is the record and 8 how they are tested.
	const counts = [4, 6, 4, 6, 8, 7, 3];
	const named = mutants.map(({ rule }) => rule).join("\n");
	const missing = counts.flatMap((count, index) =>
		Array.from({ length: count }, (_, rule) => `${index + 1}.${rule + 1}`).filter(
			(number) => !new RegExp(`(?<![\\d.])${number.replace(".", "\\.")}(?![\\d.]*\\d)`).test(named),
		),
	);
	assert.deepEqual(missing, []);
});

test("hinted specs run first, then those of the mutant's area, then the others", () => {
	const mutant = { ...FAULT, file: "src/trade/trade.ts", hint: ["handoff proof", "record"] };
	const paths = ["test/specs/a/x", "test/specs/handoff/proof", "test/specs/record/y", "test/specs/trade/z"];
	assert.deepEqual(
		inOrder(paths, mutant, (path) => path),
		["test/specs/handoff/proof", "test/specs/record/y", "test/specs/trade/z", "test/specs/a/x"],
	);
});

test("only the changed line of a mutant's Luau differs; one that does not compile is stale", () => {
	const compile = makeMutantCompiler();
	const file = "src/record/giveBack.ts";
	const path = "ServerScriptService/Baton/src/record/giveBack";
	const plain = compile(new Map([[file, read(file)]]))
		.get(path)!
		.split("\n");
	const edit = { file, find: "write, cleared: true", replace: "write, cleared: false" };
	const changed = compile(new Map([[file, patched(read(file), edit)]]))
		.get(path)!
		.split("\n");
	assert.deepEqual(
		changed.filter((line, index) => line !== plain[index]).map((line) => line.trim()),
		["cleared = false,"],
	);
	assert.throws(() => compile(new Map([[file, "export const x: number = '';"]])), StaleMutant);
});

const MODULE = `return { sum = function(a, b) return a + b end, product = function(a, b) return a * b end }`;
const SPEC = `local maths = require(script.Parent.maths)
return function()
	it("adds", function() expect(maths.sum(2, 2)).to.equal(4) end)
	it("multiplies", function() expect(maths.product(2, 2)).to.equal(4) end)
end`;

const FAULT: Mutant = { name: "adds wrongly", rule: "1", file: "maths", find: "a + b", replace: "a - b", hint: [] };
const UNSEEN: Mutant = { ...FAULT, name: "multiplies wrongly", find: "a * b", replace: "a + b" };

/** Hunts in a place of this spec and a module `maths` of two functions. */
function huntIn(spec: string, chosen: ReadonlyArray<Mutant>): Promise<Array<Hunted>> {
	return withPlace({ "maths.luau": MODULE, "maths.spec.luau": spec, "other.spec.luau": describing("") }, (place) => {
		const ground: Ground = {
			place,
			compile: (files) =>
				new Map([...files].map(([file, text]) => [`ServerScriptService/Fixture/${file}`, text])),
			read: () => MODULE,
			fileOf: (path) => path,
			accepts: (path) => path.endsWith("/maths.spec"),
			seeds: 0,
			limitSeconds: 60,
		};
		return hunt(ground, chosen, { workers: 2 });
	});
}

test("a fault is caught by the first spec that fails; one that no spec notices survives", async () => {
	const [caught, survivor] = await huntIn(SPEC, [FAULT, UNSEEN]);
	assert.ok(isCaught(caught!) && caught!.caught?.kind === "spec");
	assert.equal(caught!.caught.name, "maths adds");
	assert.equal(survivor!.caught, undefined);
	assert.equal(isCaught(survivor!), false);
});

test("a mutant whose text is gone, or there twice, is not caught", async () => {
	const hunted = await huntIn(SPEC, [
		{ ...FAULT, find: "a / b" },
		{ ...FAULT, find: "return" },
	]);
	for (const one of hunted) {
		assert.match(one.problem ?? "", /instead of once/);
		assert.equal(isCaught(one), false);
	}
});

test("a spec that fails without the mutant has caught nothing", async () => {
	const [hunted] = await huntIn(SPEC.replace("equal(4)", "equal(5)"), [FAULT]);
	assert.match(hunted!.problem ?? "", /fails without the mutant/);
	assert.equal(isCaught(hunted!), false);
});
