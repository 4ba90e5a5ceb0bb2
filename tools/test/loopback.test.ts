import assert from "node:assert/strict";
import { test } from "node:test";
import { describing, runFixture } from "./fixture.ts";

test("specs reach real web servers of this machine, and no other", async () => {
	const run = await runFixture({
		"http.spec.luau": describing(`
			local function send(method, url, headers, body)
				local request = '{"method":"' .. method .. '","url":"' .. url .. '","headers":{' .. headers .. '},"body":"' .. body .. '"}'
				return __BATON_FETCH(request)
			end
			it("enforces", function()
				local url = __BATON_LOOPBACK("enforcing") .. "/key"
				expect(string.find(send("GET", url, "", ""), '"status":404', 1, true)).to.be.ok()
				expect(string.find(send("PUT", url, "", "a"), '"status":428', 1, true)).to.be.ok()
				expect(string.find(send("PUT", url, '"If-None-Match":"*"', "a"), '"status":201', 1, true)).to.be.ok()
				expect(string.find(send("PUT", url, '"If-None-Match":"*"', "b"), '"status":412', 1, true)).to.be.ok()
				expect(string.find(send("PUT", url, '"If-Match":"\\\\"9\\\\""', "b"), '"status":412', 1, true)).to.be.ok()
				expect(string.find(send("PUT", url, '"If-Match":"\\\\"1\\\\""', "c"), '"status":200', 1, true)).to.be.ok()
				expect(string.find(send("GET", url, "", ""), '"body":"c"', 1, true)).to.be.ok()
			end)
			it("ignores", function()
				local url = __BATON_LOOPBACK("ignoring") .. "/key"
				expect(string.find(send("PUT", url, '"If-None-Match":"*"', "a"), '"status":201', 1, true)).to.be.ok()
				expect(string.find(send("PUT", url, '"If-None-Match":"*"', "b"), '"status":200', 1, true)).to.be.ok()
			end)
			it("stays at home", function()
				expect(string.find(send("GET", "http://192.0.2.1/", "", ""), "not on this machine", 1, true)).to.be.ok()
			end)`),
	});
	assert.deepEqual(run.failures, []);
	assert.equal(run.passed, 3);
});
