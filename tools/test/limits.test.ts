import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { describing, runFixture } from "./fixture.ts";

const GOOD = describing(`it("works", function() expect(1).to.equal(1) end)`);
// Long enough for the specs before the one that hangs, on a busy machine.
const LIMIT = { limitSeconds: 25 };

// Each of these waits for its limit: together they wait once.
void describe("limits of real time", { concurrency: true }, () => {
	test("an endless loop is ended at the limit and named; the other specs still run", async () => {
		const run = await runFixture(
			{
				"bad.spec.luau": describing(
					`it("first", function() end)\nit("second", function() error("told") end)\n` +
						`it("loops", function() while true do end end)`,
				),
				"good.spec.luau": GOOD,
			},
			LIMIT,
		);
		assert.equal(run.passed, 2);
		assert.equal(run.failures.length, 2);
		assert.equal(run.failures[0]!.name, "bad fixture second");
		assert.equal(run.failures[1]!.name, "bad fixture loops");
		assert.match(run.failures[1]!.message, /within 25 s of real time/);
	});

	test("a module that loops while it is loaded is ended at the limit and named", async () => {
		const run = await runFixture({ "bad.spec.luau": `while true do end\nreturn nil` }, LIMIT);
		assert.equal(run.failures[0]!.path, "ServerScriptService/Fixture/bad.spec");
		assert.match(run.failures[0]!.message, /within 25 s/);
	});

	test("a spec that waits for ever on the virtual clock is ended at the limit and named", async () => {
		const run = await runFixture(
			{ "bad.spec.luau": describing(`it("waits", function() while true do task.wait(1) end end)`) },
			LIMIT,
		);
		assert.equal(run.failures[0]!.name, "bad fixture waits");
	});
});
