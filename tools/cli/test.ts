import { availableParallelism } from "node:os";
import { checkReadmeTable } from "../bench/check.ts";
import { checkCloudRun } from "../cloud/check.ts";
import { runSpecs } from "../host/runSpecs.ts";
import { checkDocCode } from "../docs/check.ts";
import { checkFormat, checkToolTypes, lint } from "../lib/checks.ts";
import { compilePackage } from "../lib/compile.ts";
import { checkConsumer } from "../lib/consumer.ts";
import { checkExample } from "../lib/example.ts";
import { textOf } from "../lib/failure.ts";
import { runNodeTests } from "../lib/nodeTests.ts";
import { whilePacked } from "../lib/packedGame.ts";
import { type Failure, note, print, printFailures, step } from "../lib/report.ts";
import { checkStudioScript } from "../lib/studio.ts";
import { makeTestPlace, sourceOf } from "../lib/testPlace.ts";

// `npm test` checks everything; `npm test -- <words>` runs only the specs whose path holds all of the words.
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const isPartial = words.length > 0;

let passed = 0;
const failures: Array<Failure> = [];

/** A step that counts as one test. Answers whether it went well. */
async function check(title: string, work: (progress: (text: string) => void) => Promise<void>): Promise<boolean> {
	try {
		await step(title, work);
		passed += 1;
		return true;
	} catch (error) {
		failures.push({ path: "", name: title, message: textOf(error), trace: "" });
		return false;
	}
}

/** A step without a count of its own: only its failure counts. */
async function guard(title: string, work: () => Promise<void>): Promise<boolean> {
	try {
		await work();
		return true;
	} catch (error) {
		failures.push({ path: "", name: title, message: textOf(error), trace: "" });
		return false;
	}
}

async function specs(place: string): Promise<void> {
	const run = await step("specs", (progress) =>
		runSpecs({
			place,
			accepts: (path) => words.every((word) => sourceOf(path).toLowerCase().includes(word)),
			workers: Math.min(2, availableParallelism()),
			limitSeconds: Number(process.env.BATON_SPEC_SECONDS ?? 120),
			onLog: (text, isWarning) => {
				note(isWarning ? `warning: ${text}` : text);
			},
			onProgress: (done, total, path) => {
				progress(`${done}/${total} ${sourceOf(path)}`);
			},
		}),
	);
	passed += run.passed;
	failures.push(...run.failures.map((failure) => ({ ...failure, path: sourceOf(failure.path) })));
	if (run.skipped > 0) note(`${run.skipped} specs are skipped`);
	for (const { name, seconds } of run.slowest) if (seconds > 5) note(`slow: ${seconds.toFixed(1)} s ${name}`);
}

async function specLane(): Promise<void> {
	let place: string | undefined;
	await guard("test place", async () => {
		place = await makeTestPlace();
		await specs(place);
	});
	if (isPartial) return;
	if (place !== undefined) {
		const testPlace = place;
		await check("README's cost table", (progress) => checkReadmeTable(testPlace, progress));
		await check("Studio script", checkStudioScript);
		await check("specs by way of Open Cloud's double", () => checkCloudRun(testPlace));
	}
	const isCompiled = await check("compile the package", compilePackage);
	if (!isCompiled || place === undefined) return;
	const testPlace = place;
	await guard("packed games", () =>
		whilePacked(async (packed) => {
			await check("consumer", (progress) => checkConsumer(packed, testPlace, progress));
			await check("example", (progress) => checkExample(packed, testPlace, progress));
		}),
	);
}

async function toolLane(): Promise<void> {
	if (isPartial) return;
	await check("lint", lint);
	await check("format", checkFormat);
	await check("types of the tools and the page", checkToolTypes);
	await check("code in the documentation", checkDocCode);
	await guard("tests of the tools", async () => {
		const run = await step("tests of the tools", runNodeTests);
		passed += run.passed;
		failures.push(...run.failures);
	});
}

// Two lanes for two cores: neither needs anything of the other.
await Promise.all([specLane(), toolLane()]);

printFailures(failures);
print(`${passed} passed, ${failures.length} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;
