import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { playBench } from "../bench/play.ts";
import { withTable } from "../bench/readme.ts";
import { benchJson, benchMarkdown, benchTable } from "../bench/show.ts";
import { textOf } from "../lib/failure.ts";
import { note, print, step } from "../lib/report.ts";
import { fromRoot } from "../lib/root.ts";
import { makeTestPlace } from "../lib/testPlace.ts";

const USAGE = `npm run bench               counts requests and waits on the emulated cloud
npm run bench -- --json     prints the figures as JSON, on the last line
npm run bench -- --readme   writes the table into README.md, too`;

class UsageError extends Error {}

function readArguments() {
	try {
		return parseArgs({
			options: { json: { type: "boolean" }, readme: { type: "boolean" }, help: { type: "boolean" } },
		}).values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

async function main(): Promise<void> {
	const { json, readme, help } = readArguments();
	if (help === true) {
		print(USAGE);
		return;
	}
	const place = await makeTestPlace();
	const bench = await step("count requests and waits", (onProgress) =>
		playBench(place, { seed: 1, onProgress, onLog: note }),
	);
	if (readme === true) {
		const path = fromRoot("README.md");
		writeFileSync(path, withTable(readFileSync(path, "utf8"), benchMarkdown(bench)));
	}
	print(json === true ? benchJson(bench) : benchTable(bench, process.stdout.columns));
}

try {
	await main();
} catch (error) {
	note(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : textOf(error));
	process.exitCode = 1;
}
