import { readdirSync } from "node:fs";
import { run } from "node:test";
import type { Failure } from "./report.ts";
import { fromRoot } from "./root.ts";

/** Runs the tests of the tools themselves (`tools/test/*.test.ts`) with Node's test runner. */
export function runNodeTests(progress: (text: string) => void): Promise<{ passed: number; failures: Array<Failure> }> {
	const files = readdirSync(fromRoot("tools", "test"))
		.filter((name) => name.endsWith(".test.ts"))
		.map((name) => fromRoot("tools", "test", name));
	let passed = 0;
	const failures: Array<Failure> = [];
	return new Promise((resolve, reject) => {
		// The loader of this process goes on to the processes of the test files.
		const stream = run({ files, concurrency: 2 });
		// A file is reported as a test of its own name, and a suite besides its tests.
		const isGroup = (data: { name: string; details: { type?: string } }): boolean =>
			files.includes(data.name) || data.details.type === "suite";
		stream.on("test:pass", (data) => {
			if (isGroup(data) || data.skip !== undefined) return;
			passed += 1;
			progress(`${passed} passed`);
		});
		stream.on("test:fail", (data) => {
			const error = data.details.error as Error & { cause?: unknown };
			const cause = error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : String(error);
			// A group that fails by itself is one that could not even start.
			if (isGroup(data) && failures.length > 0) return;
			failures.push({ path: data.file ?? "", name: data.name, message: cause, trace: "" });
		});
		stream.on("error", reject);
		stream.on("end", () => {
			if (passed === 0 && failures.length === 0) {
				failures.push({ path: "tools/test", name: "(all)", message: "no test of the tools ran", trace: "" });
			}
			resolve({ passed, failures });
		});
		stream.resume();
	});
}
