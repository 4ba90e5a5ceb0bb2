import { availableParallelism } from "node:os";
import { runSpecs } from "../host/runSpecs.ts";
import { compileTests } from "../lib/compile.ts";
import { StepFailure } from "../lib/failure.ts";
import { fromRoot } from "../lib/root.ts";
import { buildPlace } from "../lib/rojo.ts";
import { printFailures, step } from "../lib/report.ts";

const words = process.argv.slice(2);
const PLACE = fromRoot("build", "test.rbxlx");

/** The source of a spec module, as its path in the repository. */
function sourceOf(path: string): string {
	return path.replace(/^ServerScriptService\/Baton\//, "") + ".ts";
}

let passed = 0;
let failed = 0;
try {
	await step("compile the test place", compileTests);
	await step("build the test place", () => buildPlace(fromRoot("test.project.json"), PLACE));
	const run = await step("run the specs", (progress) =>
		runSpecs({
			place: PLACE,
			accepts: (path) => words.every((word) => sourceOf(path).toLowerCase().includes(word.toLowerCase())),
			workers: Math.min(2, availableParallelism()),
			limitSeconds: Number(process.env.BATON_SPEC_SECONDS ?? 120),
			onLog: (text) => {
				process.stdout.write(`${text}\n`);
			},
			onProgress: (done, total, path) => {
				progress(`${done}/${total} ${sourceOf(path)}`);
			},
		}),
	);
	passed += run.passed;
	failed += run.failures.length;
	printFailures(
		run.failures.map((failure) => ({ ...failure, path: failure.path === "" ? "" : sourceOf(failure.path) })),
	);
	if (run.skipped > 0) process.stdout.write(`${run.skipped} skipped\n`);
} catch (error) {
	failed += 1;
	if (error instanceof StepFailure) process.stdout.write(`${error.message}\n${error.details}\n`);
	else process.stdout.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
