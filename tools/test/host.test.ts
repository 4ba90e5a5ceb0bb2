import assert from "node:assert/strict";
import { test } from "node:test";
import { describing, runFixture } from "./fixture.ts";

test("what scripts see of Roblox, the heap and the stack", async () => {
	const run = await runFixture({
		"clock.spec.luau": describing(
			`it("virtual waits take no real time", function() expect(task.wait(100000) >= 100000).to.equal(true) end)`,
		),
		"heap.spec.luau": describing(
			`it("holds 300 MB", function() local list = {}\nfor i = 1, 100 do list[i] = string.rep("x", 3000000) .. i end\nexpect(#list).to.equal(100) end)`,
		),
		"nested.spec.luau": describing(
			`it("nests 150 pcalls that yield", function() local function f(n) if n == 0 then return task.wait(1) end local ok, v = pcall(f, n - 1)\nassert(ok, v) return v end\nexpect(f(150) >= 1).to.equal(true) end)`,
		),
		"instances.spec.luau": describing(`
			it("is a tree of instances", function()
				expect(typeof(script)).to.equal("Instance")
				expect(type(game)).to.equal("userdata")
				expect(script.Parent.Name).to.equal("Fixture")
				expect(script:GetFullName()).to.equal("ServerScriptService.Fixture.instances.spec")
				expect(script:FindFirstAncestorOfClass("DataModel")).to.equal(game)
				expect(game:GetService("ServerScriptService").Fixture).to.equal(script.Parent)
				expect(script:IsA("LuaSourceContainer")).to.equal(true)
				expect(script.Parent:FindFirstChild("helper").ClassName).to.equal("ModuleScript")
				expect(require(script.Parent.helper)).to.equal(require(script.Parent:WaitForChild("helper")))
				expect(({ [script] = 5 })[script]).to.equal(5)
				expect(pcall(function() return script.Missing end)).to.equal(false)
				expect(typeof(Instance.new("DataStoreGetOptions"))).to.equal("Instance")
				expect(Enum.SortDirection.Ascending).to.equal(Enum.SortDirection.Ascending)
				expect(game:GetService("RunService"):IsServer()).to.equal(true)
			end)`),
		"helper.luau": "return {}",
		"tasks.spec.luau": describing(`
			it("runs threads in their order", function()
				local seen = {}
				task.defer(function() table.insert(seen, "deferred") end)
				task.delay(2, function() table.insert(seen, "late") end)
				task.delay(1, function() table.insert(seen, "early") end)
				local never = task.delay(1, function() table.insert(seen, "never") end)
				task.spawn(function() table.insert(seen, "spawned") end)
				task.cancel(never)
				task.cancel(never)
				task.wait(3)
				expect(table.concat(seen, " ")).to.equal("spawned deferred early late")
			end)`),
	});
	assert.deepEqual(run.failures, []);
	assert.equal(run.passed, 5);
});

test("two workers share the modules and lose none", async () => {
	const good = describing(`it("works", function() end)`);
	const sources = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`m${index}.spec.luau`, good]));
	const run = await runFixture(sources, { workers: 2 });
	assert.deepEqual([run.passed, run.files, run.failures], [9, 9, []]);
});
