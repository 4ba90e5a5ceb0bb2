import { rmSync } from "node:fs";
import { textOf } from "../lib/failure.ts";
import { print, step } from "../lib/report.ts";
import { fromRoot } from "../lib/root.ts";
import { buildSite, writeApi } from "../docs/site.ts";

// `npm run docs` builds the documentation's site into docs/.vitepress/dist, with the API's reference from the doc comments.
try {
	rmSync(fromRoot("docs", "api"), { recursive: true, force: true });
	await step("API reference", writeApi);
	await step("site", buildSite);
	print("The site is in docs/.vitepress/dist: static files, for any host.");
} catch (error) {
	print(textOf(error));
	process.exitCode = 1;
}
