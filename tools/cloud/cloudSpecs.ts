import { StepFailure } from "../lib/failure.ts";
import type { Failure } from "../lib/report.ts";
import type { OpenCloud, TaskEnd } from "./openCloud.ts";

/** The longest that Roblox lets a task run. */
const TASK_SECONDS = 300;

/** What the specs' script returns: see `test/studio/specs.ts`. */
interface Summary {
	readonly passed: number;
	readonly failed: number;
	readonly failures: Array<string>;
}

/** The Luau of one task: every `parts`th spec module, from the `part`th on, of those whose path holds all words. */
function scriptOf(words: ReadonlyArray<string>, part: number, parts: number): string {
	const list = words.map((word) => `"${word.toLowerCase()}"`).join(", ");
	return [
		`local test = game:GetService("ServerScriptService").Baton.test`,
		`local runSpecs = require(test.studio.specs).runSpecs`,
		`return runSpecs(test.specs, { words = { ${list} }, part = ${part}, parts = ${parts} })`,
	].join("\n");
}

function asSummary(value: unknown): Summary | undefined {
	const summary = value as Partial<Summary> | undefined;
	const isSummary = typeof summary?.passed === "number" && typeof summary.failed === "number";
	// Luau's empty table is any of the two in JSON.
	const failures = Array.isArray(summary?.failures) ? summary.failures : [];
	return isSummary ? { passed: summary.passed, failed: summary.failed, failures } : undefined;
}

/** Runs spec modules of a version of the test place, spread over so many tasks at once. */
export async function runCloudSpecs(
	cloud: OpenCloud,
	version: number,
	words: ReadonlyArray<string>,
	parts: number,
	progress: (text: string) => void,
): Promise<{ passed: number; failures: Array<Failure> }> {
	const odd = words.find((word) => !/^[\w./-]+$/.test(word));
	if (odd !== undefined) throw new StepFailure(`"${odd}" is no part of a path`);
	let passed = 0;
	let ended = 0;
	const failures: Array<Failure> = [];
	const fail = (name: string, message: string, logs: ReadonlyArray<string> = []): void => {
		failures.push({ path: "", name, message, trace: logs.slice(-20).join("\n") });
	};
	const take = (name: string, end: TaskEnd): void => {
		const summary = asSummary(end.results[0]);
		if (end.error !== undefined) return fail(name, end.error, end.logs);
		if (summary === undefined) return fail(name, "the task returned no summary", end.logs);
		passed += summary.passed;
		for (const text of summary.failures) fail(name, text);
		const untold = summary.failed - summary.failures.length;
		if (untold > 0) fail(name, `${untold} more have failed`);
	};
	const tasks = Array.from({ length: parts }, async (_, index) => {
		const name = `task ${index + 1} of ${parts}`;
		try {
			take(name, await cloud.run(version, scriptOf(words, index + 1, parts), TASK_SECONDS));
		} catch (error) {
			if (!(error instanceof StepFailure)) throw error;
			fail(name, error.message);
		}
		ended += 1;
		progress(`${ended}/${parts} tasks, ${passed} passed`);
	});
	await Promise.all(tasks);
	if (passed === 0 && failures.length === 0) fail("specs", "no spec ran");
	return { passed, failures };
}
