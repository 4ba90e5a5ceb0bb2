import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import type { SeedReport } from "../host/protocol.ts";
import { textOf } from "../lib/failure.ts";
import { note, print, step } from "../lib/report.ts";
import { makeTestPlace, TEST_PLACE } from "../lib/testPlace.ts";
import { search } from "../simulate/play.ts";

async function main(): Promise<boolean> {
	const { values } = parseArgs({
		options: {
			seconds: { type: "string", default: "60" },
			seed: { type: "string" },
			first: { type: "string", default: "1" },
			workers: { type: "string" },
			again: { type: "boolean" },
			trace: { type: "boolean" },
		},
	});
	const place = values.again === true ? TEST_PLACE : await makeTestPlace();
	const only = values.seed === undefined ? undefined : Number(values.seed);
	let seed = only ?? Number(values.first);
	const last = only ?? Infinity;
	const until = performance.now() + Number(values.seconds) * 1000;
	const reports: Array<SeedReport> = [];
	await step("simulate", (progress) =>
		search(place, {
			workers: only !== undefined ? 1 : Number(values.workers ?? availableParallelism()),
			next: () => (seed <= last && (performance.now() < until || only !== undefined) ? seed++ : undefined),
			onReport: (report) => {
				reports.push(report);
				progress(`${reports.length} seeds`);
				if (report.failure !== undefined) print(report.failure);
			},
			trace: values.trace,
			onLog: print,
		}),
	);
	const counts = new Map<string, number>();
	for (const report of reports) {
		for (const { what, times } of report.counts) counts.set(what, (counts.get(what) ?? 0) + times);
	}
	for (const what of [...counts.keys()].sort()) print(`${String(counts.get(what)).padStart(8)}  ${what}`);
	const failed = reports.filter(({ failure }) => failure !== undefined);
	const mean = reports.reduce((sum, { seconds }) => sum + seconds, 0) / reports.length;
	print(
		`${reports.length} seeds, ${mean.toFixed(2)} s each, ${failed.length} failed: ${failed.map((each) => each.seed).join(", ")}`,
	);
	return failed.length === 0;
}

try {
	if (!(await main())) process.exitCode = 1;
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
