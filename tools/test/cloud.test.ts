import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { runCloudSpecs } from "../cloud/cloudSpecs.ts";
import { type DoubleEnd, type DoubleOptions, startDouble } from "../cloud/double.ts";
import { OpenCloud } from "../cloud/openCloud.ts";
import { readTarget } from "../cloud/target.ts";
import { runNode } from "../lib/process.ts";
import { fromRoot } from "../lib/root.ts";

const KEY = "the secret key";
const RIGHT = { key: KEY, universe: "11", place: "22" };
const HASTE = 0.002;
const folder = mkdtempSync(join(tmpdir(), "baton-cloud-test-"));
const file = join(folder, "small.rbxlx");
writeFileSync(file, "<roblox version='4'></roblox>");
after(() => {
	rmSync(folder, { recursive: true, force: true });
});

async function withDouble<T>(
	options: Partial<DoubleOptions>,
	body: (cloud: OpenCloud, double: Awaited<ReturnType<typeof startDouble>>) => Promise<T>,
	target = RIGHT,
): Promise<T> {
	const double = await startDouble({ ...RIGHT, ...options });
	try {
		return await body(new OpenCloud({ url: double.url, ...target }, HASTE), double);
	} finally {
		double.close();
	}
}

function ending(...ends: Array<DoubleEnd>): Partial<DoubleOptions> {
	return { runTask: () => Promise.resolve(ends.shift() ?? {}) };
}

const nothing = (): void => undefined;

void test("an upload sends the place as it is, and answers its version", () =>
	withDouble({}, async (cloud, double) => {
		assert.equal(await cloud.upload(file, "Published"), 1);
		assert.equal(await cloud.upload(file, "Saved"), 2);
		assert.deepEqual(
			double.uploads.map(({ versionType }) => versionType),
			["Published", "Saved"],
		);
		assert.equal(double.uploads[0]?.body, "<roblox version='4'></roblox>");
	}));

void test("requests that fail for the moment are made again, others are not", async () => {
	await withDouble({ trouble: [502, 429, 500] }, async (cloud, double) => {
		assert.equal(await cloud.upload(file, "Saved"), 1);
		assert.equal(double.requests.length, 4);
	});
	await withDouble({ trouble: [403] }, async (cloud, double) => {
		await assert.rejects(
			cloud.upload(file, "Saved"),
			/403, the key may not do this: it needs universe-places:write/,
		);
		assert.equal(double.requests.length, 1);
	});
	await withDouble({ trouble: [500, 500, 500, 500, 500] }, async (cloud, double) => {
		await assert.rejects(cloud.upload(file, "Saved"), /500/);
		assert.equal(double.requests.length, 5);
	});
	const gone = new OpenCloud({ url: "http://127.0.0.1:9", ...RIGHT }, HASTE);
	await assert.rejects(gone.upload(file, "Saved"), /fetch failed/);
});

void test("a wrong key or place is told in words, without the key", async () => {
	for (const [wrong, what] of [
		[{ key: "another key" }, /401, the key is not accepted/],
		[{ place: "23" }, /409, the place does not belong to the experience/],
		[{ universe: "12" }, /404, there is no such experience/],
	] as const) {
		await withDouble(
			{},
			(cloud) =>
				assert.rejects(cloud.upload(file, "Saved"), (error: Error) => {
					assert.match(error.message, what);
					assert.doesNotMatch(error.message, /secret|another key/);
					return true;
				}),
			{ ...RIGHT, ...wrong },
		);
	}
});

void test("a task runs on the version that was uploaded, and is waited for", () =>
	withDouble(ending({ results: [{ a: 1 }], logs: ["one", "two", "three"] }), async (cloud) => {
		const end = await cloud.run(await cloud.upload(file, "Saved"), "return {}", 60);
		assert.deepEqual(end, {
			state: "COMPLETE",
			results: [{ a: 1 }],
			error: undefined,
			logs: ["one", "two", "three"],
		});
		await assert.rejects(cloud.run(9, "return 1", 60), /404/);
	}));

void test("the specs of all tasks are counted together; whatever else they return fails", () =>
	withDouble(
		ending(
			{ results: [{ passed: 5, failed: 0, failures: {} }] },
			{ results: [{ passed: 2, failed: 3, failures: ["a b\n  reason"] }] },
			{ error: { code: "DEADLINE_EXCEEDED", message: "too long" }, logs: ["last words"] },
			{ results: ["what"] },
		),
		async (cloud) => {
			const version = await cloud.upload(file, "Saved");
			const { passed, failures } = await runCloudSpecs(cloud, version, ["Trade"], 4, nothing);
			assert.equal(passed, 7);
			const messages = failures.map(({ message }) => message).sort();
			assert.deepEqual(messages, [
				"2 more have failed",
				"DEADLINE_EXCEEDED: too long",
				"a b\n  reason",
				"the task returned no summary",
			]);
			assert.equal(failures.find(({ message }) => message.startsWith("DEAD"))?.trace, "last words");
			await assert.rejects(runCloudSpecs(cloud, version, ['"] os'], 1, nothing), /no part of a path/);
		},
	));

void test("a run in which nothing ran has failed", () =>
	withDouble(ending({ results: [{ passed: 0, failed: 0, failures: [] }] }), async (cloud) => {
		const { failures } = await runCloudSpecs(cloud, await cloud.upload(file, "Saved"), [], 1, nothing);
		assert.equal(failures[0]?.message, "no spec ran");
	}));

void test("the environment says where to; what is missing is named, and other addresses are refused", () => {
	const env = { ROBLOX_OPEN_CLOUD_API_KEY: KEY, ROBLOX_UNIVERSE_ID: "11", ROBLOX_PLACE_ID: "22" };
	assert.deepEqual(readTarget(env), { url: "https://apis.roblox.com", ...RIGHT });
	assert.throws(() => readTarget({ ...env, ROBLOX_PLACE_ID: "" }), /Set in the environment:\n {2}ROBLOX_PLACE_ID/);
	assert.throws(() => readTarget({ ...env, ROBLOX_PLACE_ID: "my place" }), /must be a number/);
	assert.throws(() => readTarget({ ...env, ROBLOX_OPEN_CLOUD_URL: "https://example.com" }), /for tests/);
});

void test("both commands say what is missing before they build or send anything", async () => {
	const env = { ...process.env };
	for (const name of Object.keys(env)) if (name.startsWith("ROBLOX_")) delete env[name];
	for (const command of ["publish-place", "test-cloud"]) {
		const cli = fromRoot("tools", "cli", `${command}.ts`);
		const { code, output } = await runNode(["--import", "tsx", cli], { env });
		assert.equal(code, 1);
		assert.match(output, /^Nothing was sent to Roblox\. Set in the environment:\n {2}ROBLOX_OPEN_CLOUD_API_KEY/);
		assert.doesNotMatch(output, /\n\s+at /);
	}
});
