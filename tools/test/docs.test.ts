import assert from "node:assert/strict";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.ts";
import { problemsIn } from "../docs/check.ts";

const PAGE = [
	"# Title",
	"",
	"```ts",
	"const a = 1;",
	"```",
	"",
	"- item",
	"",
	"    ```ts",
	"    b();",
	"    ```",
	"```json",
	"{}",
	"```",
];

void test("the code blocks of a page are found, with their lines and without their indentation", () => {
	assert.deepEqual(blocksOf("docs/page.md", PAGE.join("\n")), [
		{ page: "docs/page.md", line: 4, code: "const a = 1;" },
		{ page: "docs/page.md", line: 10, code: "b();" },
	]);
});

void test("a complaint about a block names the page and its line", () => {
	const blocks = blocksOf("docs/page.md", PAGE.join("\n"));
	const output = "x/block1.ts(1,1): error TS2304: Cannot find name 'b'.\ny/other.ts(1,1): error TS1: no";
	assert.deepEqual(problemsIn(output, blocks), ["docs/page.md:10: TS2304: Cannot find name 'b'."]);
});
