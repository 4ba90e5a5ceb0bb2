import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { blocksOf } from "../docs/blocks.ts";
import { problemsIn } from "../docs/check.ts";
import { fromRoot } from "../lib/root.ts";

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

const read = (file: string): string => readFileSync(fromRoot(file), "utf8");

void test("the versions of the other libraries that the docs name are those that are installed", () => {
	const { devDependencies } = JSON.parse(read("package.json")) as { devDependencies: Record<string, string> };
	const readme = read("README.md");
	for (const name of ["@rbxts/profile-store", "@rbxts/lapis"]) {
		assert.ok(readme.includes(`(\`${name}\` ${devDependencies[name]})`), `README.md names another ${name}`);
	}
	const moving = `ProfileStore ${devDependencies["@rbxts/profile-store"]} and Lapis ${devDependencies["@rbxts/lapis"]} `;
	assert.ok(read("docs/moving-over.md").includes(moving), "docs/moving-over.md names others");
});

void test("the docs say how many games the specs play", () => {
	const [, seeds] = /const SEEDS = (\d+);/.exec(read("test/specs/simulation/games.ts"))!;
	assert.ok(read("docs/testing.md").includes(`\`npm test\` plays ${seeds} seeds`));
});
