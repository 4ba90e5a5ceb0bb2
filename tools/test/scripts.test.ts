import assert from "node:assert/strict";
import { test } from "node:test";
import { type ScriptRun, runScripts } from "../host/runScripts.ts";
import { type Sources, withPlace } from "./fixture.ts";

function play(sources: Sources, limitSeconds = 60): Promise<ScriptRun> {
	return withPlace(sources, (place) => runScripts(place, { limitSeconds }));
}

test("server scripts run on a virtual clock, share their modules, and errors are told with their place", async () => {
	const run = await play({
		"shared.luau": `return { count = 0 }`,
		"a.server.luau": `local shared = require(script.Parent.shared)\nshared.count += 1\ntask.wait(300)\nprint("a", shared.count)`,
		"b.server.luau": `require(script.Parent.shared).count += 1\nwarn("b warns")`,
		"broken.server.luau": `local function deep() error("broken") end\ndeep()`,
		"syntax.server.luau": `local = 1`,
	});
	assert.deepEqual(run.output, ["b warns", "a 2"]);
	assert.equal(run.errors.length, 2);
	assert.equal(run.errors[0]!.message, "ServerScriptService.Fixture.broken:1: broken");
	assert.match(run.errors[0]!.trace, /Fixture\.broken:1 function deep\nServerScriptService\.Fixture\.broken:2/);
	assert.match(run.errors[1]!.message, /Fixture\.syntax:1/);
});

test("a server script that loops for ever is ended at the limit", async () => {
	await assert.rejects(play({ "loop.server.luau": "while true do end" }, 4), /has not ended within 4 s/);
});

test("a server script that waits for ever ends with the virtual time", async () => {
	const run = await play({ "waits.server.luau": `while true do task.wait(30) end` });
	assert.deepEqual(run.errors, []);
});
