import { StepFailure } from "./failure.ts";
import { runNode } from "./process.ts";
import { fromRoot } from "./root.ts";

async function check(what: string, script: ReadonlyArray<string>, args: ReadonlyArray<string>): Promise<void> {
	const { code, output } = await runNode([fromRoot("node_modules", ...script), ...args]);
	if (code !== 0) throw new StepFailure(what, output);
}

/** ESLint over everything, warnings count. */
export function lint(): Promise<void> {
	return check("ESLint found problems", ["eslint", "bin", "eslint.js"], [".", "--max-warnings", "0"]);
}

/** Prettier over everything. */
export function checkFormat(): Promise<void> {
	return check(
		"Prettier would change files",
		["prettier", "bin", "prettier.cjs"],
		["--check", ".", "--log-level", "warn"],
	);
}

/** TypeScript over `tools` and the page. */
export async function checkToolTypes(): Promise<void> {
	for (const folder of ["tools", "try"]) {
		await check(`${folder} has type errors`, ["typescript", "bin", "tsc"], ["-p", fromRoot(folder)]);
	}
}
