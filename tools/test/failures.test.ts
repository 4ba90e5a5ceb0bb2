import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { SpecFailure, SpecRun } from "../host/runSpecs.ts";
import { describing, runFixture } from "./fixture.ts";

const GOOD = describing(`it("works", function() expect(1).to.equal(1) end)`);

/** Modules that fail in ways that leave the worker alive: one run shows them all. */
const SURVIVABLE = {
	"good.spec.luau": GOOD,
	"deep.spec.luau": describing(
		`local function deep() error("the reason") end\ndescribe("inner", function() it("fails", function()\ndeep()\nend) end)`,
	),
	"expects.spec.luau": describing(`it("fails", function()\nexpect(1).to.equal(2)\nend)`),
	"table.spec.luau": describing(
		`it("fails", function() error(setmetatable({}, { __tostring = function() return "told" end })) end)`,
	),
	"loading.spec.luau": `error("no way")\nreturn nil`,
	"syntax.spec.luau": `local x = = 1\nreturn nil`,
	"value.spec.luau": `return 1`,
	"empty.spec.luau": describing(``),
	"describing.spec.luau": describing(`error("while describing")`),
	"focused.spec.luau": describing(`itFOCUS("alone", function() end)\nit("other", function() end)`),
	"hook.spec.luau": describing(`beforeAll(function() error("in the hook") end)\nit("x", function() end)`),
	"spawned.spec.luau": describing(
		`it("spawns", function() task.spawn(function() error("at once") end) end)\n` +
			`it("delays", function() task.delay(5, function() error("later") end) end)`,
	),
	"asleep.spec.luau": describing(`it("sleeps", function()\ncoroutine.yield()\nend)`),
	"cancelled.spec.luau": describing(
		`it("cancels", function() local me = coroutine.running()\ntask.defer(function() task.cancel(me) end)\ncoroutine.yield() end)`,
	),
	"recursion.spec.luau": describing(`it("recurses", function() local function f() return 1 + f() end f() end)`),
};

let survivable: SpecRun;
before(async () => {
	survivable = await runFixture(SURVIVABLE);
});

function failureOf(module: string, spec = ""): SpecFailure {
	const found = survivable.failures.filter(
		(failure) => failure.path === `ServerScriptService/Fixture/${module}.spec` && failure.name.includes(spec),
	);
	assert.ok(found.length > 0, `${module} has no failure: ${JSON.stringify(survivable.failures)}`);
	return found[0]!;
}

test("each failing module fails alone: the good one is counted", () => {
	assert.equal(survivable.files, Object.keys(SURVIVABLE).length);
	assert.equal(survivable.passed, 2, "good.spec, and the focused spec itself");
});

test("a failing spec shows its full name, the message, the module with the line, and a traceback", () => {
	const { name, message, trace } = failureOf("deep");
	assert.equal(name, "deep fixture inner fails");
	assert.equal(message, "ServerScriptService.Fixture.deep.spec:3: the reason");
	assert.match(trace, /Fixture\.deep\.spec:3 function deep/);
	assert.match(trace, /Fixture\.deep\.spec:5/);
});

test("an expectation that does not hold names the spec's own line", () => {
	assert.match(failureOf("expects").message, /^ServerScriptService\.Fixture\.expects\.spec:4: Expected value "2"/);
});

test("an error that is a table is shown by its tostring", () => {
	assert.equal(failureOf("table").message, "told");
});

test("a module that errors when it is loaded is a failure", () => {
	assert.match(failureOf("loading").message, /loading\.spec:1: no way/);
});

test("a module that does not compile is a failure with its line", () => {
	assert.match(failureOf("syntax").message, /syntax\.spec:1: Expected identifier/);
});

test("a spec module that exports no function is a failure", () => {
	assert.match(failureOf("value").message, /must export one function/);
});

test("a spec module without a spec is a failure", () => {
	assert.match(failureOf("empty").message, /it has no spec/);
});

test("a describe that throws is a failure", () => {
	assert.match(failureOf("describing", "fixture").message, /describing\.spec:3: while describing/);
});

test("a focused spec is a failure, since it hides the others", () => {
	assert.match(failureOf("focused").message, /focused/);
});

test("a hook that throws is a failure", () => {
	assert.match(failureOf("hook").message, /in the hook/);
});

test("an error in a thread that a spec started fails that spec, also when it comes later", () => {
	assert.match(failureOf("spawned", "spawns").message, /spawned\.spec:3: at once/);
	assert.match(failureOf("spawned", "delays").message, /spawned\.spec:4: later/);
});

test("a spec that nothing resumes fails with the line where it yielded", () => {
	const { message, trace } = failureOf("asleep");
	assert.match(message, /never resumed/);
	assert.match(trace, /asleep\.spec:4/);
});

test("a spec whose own thread is cancelled is a failure", () => {
	assert.match(failureOf("cancelled").message, /cancelled/);
});

test("endless recursion is a failure", () => {
	assert.match(failureOf("recursion").message, /stack overflow/);
});

test("a place without specs is a failure", async () => {
	const run = await runFixture({ "other.luau": "return 1" });
	assert.match(run.failures[0]!.message, /no spec module was found/);
});

test("zero specs run is a failure, skipped ones included", async () => {
	const run = await runFixture({ "a.spec.luau": describing(`itSKIP("later", function() end)`) });
	assert.equal(run.skipped, 1);
	assert.match(run.failures[0]!.message, /no spec ran/);
});

test("words that match no spec module are a failure", async () => {
	const run = await runFixture({ "good.spec.luau": GOOD }, { accepts: () => false });
	assert.equal(run.failures.length, 1);
});

test("a source that the place file cuts is a failure that names it", async () => {
	const run = await runFixture({ "bad.spec.luau": `local text = "a]]>b"\n${GOOD}` });
	assert.equal(run.passed, 0);
	assert.match(run.failures[0]!.message, /source of bad\.spec is cut/);
});

test("a worker that exits without a result is a failure", async () => {
	const run = await runFixture({ "good.spec.luau": GOOD }, { program: "../../test/exits" });
	assert.match(run.failures[0]!.message, /ended without a result/);
});

test("a place file that cannot be read is a failure", async () => {
	const run = await runFixture({ "good.spec.luau": GOOD }, { place: "missing.rbxlx" });
	assert.match(run.failures[0]!.message, /ENOENT/);
});

test("running out of memory is a failure", async () => {
	const run = await runFixture({
		"bad.spec.luau": describing(
			`it("grows", function() local list = {}\nfor i = 1, 1000 do list[i] = string.rep("x", 3000000) .. i end end)`,
		),
	});
	assert.equal(run.passed, 0);
	assert.equal(run.failures[0]!.name, "bad fixture grows");
});
