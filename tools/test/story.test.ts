import assert from "node:assert/strict";
import { test } from "node:test";
import { type Measured, keepsPromise } from "../story/case.ts";
import { storyJson } from "../story/show.ts";

const MEASURED: Measured = {
	outcome: "joined",
	waitSeconds: 2,
	durableWrites: 1,
	removes: 0,
	rounds: 1,
	messages: 0,
	presenceOps: 0,
};

test("a promise is kept by its outcome within its times, bounds included", () => {
	assert.equal(keepsPromise({ outcome: "joined" }, MEASURED), true);
	assert.equal(keepsPromise({ outcome: "kicked" }, MEASURED), false);
	assert.equal(keepsPromise({ outcome: "joined", minSeconds: 2, maxSeconds: 2 }, MEASURED), true);
	assert.equal(keepsPromise({ outcome: "joined", minSeconds: 2.1 }, MEASURED), false);
	assert.equal(keepsPromise({ outcome: "joined", maxSeconds: 1.9 }, MEASURED), false);
});

test("the JSON of the story has one line with one entry a case", () => {
	const play = { measured: MEASURED, timeline: [] };
	const text = storyJson([
		{ id: "a", group: "g", title: "t", promised: { outcome: "joined" }, fast: play, live: play, ok: true },
	]);
	assert.equal(text.includes("\n"), false);
	assert.deepEqual(JSON.parse(text), {
		cases: [
			{
				id: "a",
				group: "g",
				title: "t",
				promised: { outcome: "joined" },
				measured: MEASURED,
				live: MEASURED,
				ok: true,
			},
		],
	});
});
