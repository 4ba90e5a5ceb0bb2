import assert from "node:assert/strict";
import { test } from "node:test";
import type { Bench } from "../bench/cell.ts";
import { withTable } from "../bench/document.ts";
import { benchJson, benchMarkdown, requestsText } from "../bench/show.ts";

const NONE = { updates: 0, sets: 0, reads: 0, removes: 0, publishes: 0, subscribes: 0, memory: 0 };

const BENCH: Bench = {
	rows: [
		{ id: "join", part: "requests", title: "Join" },
		{ id: "crash", part: "waits", title: "Crash" },
	],
	libraries: ["Ours", "Other"],
	cells: [
		{ row: "join", library: "Ours", requests: { ...NONE, updates: 1, memory: 2 / 3 } },
		{ row: "join", library: "Other", text: "no joins" },
		{ row: "crash", library: "Ours", profile: "fast", outcome: "joined", seconds: 0.123 },
		{ row: "crash", library: "Ours", profile: "live", outcome: "joined", seconds: 12.34 },
		{ row: "crash", library: "Other", profile: "fast", outcome: "kicked", seconds: 8 },
		{ row: "crash", library: "Other", profile: "live", outcome: "kicked", seconds: 9 },
	],
};

test("counts read as words, without what is zero", () => {
	assert.equal(
		requestsText({ ...NONE, updates: 0.9999999, removes: 2, memory: 0.666 }),
		"1 update, 2 removes, 0.67 MemoryStore",
	);
	assert.equal(requestsText(NONE), "none");
});

test("the Markdown has a table a part, a row a case, both latency profiles in a cell", () => {
	assert.deepEqual(benchMarkdown(BENCH).split("\n"), [
		"| Requests | Ours                       | Other    |",
		"| -------- | -------------------------- | -------- |",
		"| Join     | 1 update, 0.67 MemoryStore | no joins |",
		"",
		"| Waits, fast / live | Ours            | Other                        |",
		"| ------------------ | --------------- | ---------------------------- |",
		"| Crash              | 0.12 s / 12.3 s | kicked after 8.00 s / 9.00 s |",
	]);
});

test("the JSON is one line with every cell", () => {
	const text = benchJson(BENCH);
	assert.equal(text.includes("\n"), false);
	assert.deepEqual(JSON.parse(text), BENCH);
});

test("the table goes between the markers, again and again; without them it goes nowhere", () => {
	const empty = "# A\n\n<!-- npm run bench -- --write writes from here -->\n<!-- to here -->\n\nEnd\n";
	const once = withTable(empty, "table");
	assert.equal(
		once,
		"# A\n\n<!-- npm run bench -- --write writes from here -->\n\ntable\n\n<!-- to here -->\n\nEnd\n",
	);
	assert.equal(withTable(once, "table"), once);
	assert.throws(() => withTable("# A\n", "table"), /no place for the table/);
});
