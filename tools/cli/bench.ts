import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { playBench, playCpu } from "../bench/play.ts";
import { withTable } from "../bench/document.ts";
import { benchJson, benchMarkdown, benchTable } from "../bench/show.ts";
import { textOf } from "../lib/failure.ts";
import { note, print, step } from "../lib/report.ts";
import { fromRoot } from "../lib/root.ts";
import { makeTestPlace } from "../lib/testPlace.ts";

const USAGE = `npm run bench              counts requests and waits on the emulated cloud, then measures CPU
npm run bench -- --json    prints the figures as JSON, on the last line
npm run bench -- --write   writes the tables into README.md and docs/cost.md, too`;

class UsageError extends Error {}

function readArguments() {
	try {
		return parseArgs({
			options: { json: { type: "boolean" }, write: { type: "boolean" }, help: { type: "boolean" } },
		}).values;
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

function writeTable(document: string, table: string): void {
	const path = fromRoot(document);
	writeFileSync(path, withTable(readFileSync(path, "utf8"), table));
}

/** What CPU figures are of. */
function machine(): string {
	const model = cpus()[0]?.model ?? process.arch;
	return `One run, on ${model}, Node ${process.versions.node}:`;
}

async function main(): Promise<void> {
	const { json, write, help } = readArguments();
	if (help === true) {
		print(USAGE);
		return;
	}
	const place = await makeTestPlace();
	const bench = await step("count requests and waits", (onProgress) =>
		playBench(place, { seed: 1, onProgress, onLog: note }),
	);
	const cpu = await step("measure CPU", (onProgress) => playCpu(place, { seed: 1, onProgress, onLog: note }));
	if (write === true) {
		writeTable("README.md", benchMarkdown(bench));
		writeTable("docs/cost.md", `${machine()}\n\n${benchMarkdown(cpu)}`);
	}
	const all = { ...bench, cells: [...bench.cells, ...cpu.cells] };
	print(json === true ? benchJson(all) : benchTable(all, process.stdout.columns));
}

try {
	await main();
} catch (error) {
	note(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : textOf(error));
	process.exitCode = 1;
}
