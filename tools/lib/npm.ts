import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { StepFailure } from "./failure.ts";
import { runProgram } from "./process.ts";

/** npm's own script: told by npm to the scripts it runs, else beside this Node. */
function npmScript(): string | undefined {
	const bin = dirname(process.execPath);
	const candidates = [
		process.env.npm_execpath,
		join(bin, "node_modules", "npm", "bin", "npm-cli.js"),
		join(bin, "..", "lib", "node_modules", "npm", "bin", "npm-cli.js"),
	];
	return candidates.find((path) => path !== undefined && /\.c?js$/.test(path) && existsSync(path));
}

/** Runs npm and answers what it printed. */
export async function npm(args: ReadonlyArray<string>, cwd: string): Promise<string> {
	const script = npmScript();
	const { code, output } =
		script !== undefined
			? await runProgram(process.execPath, [script, ...args], { cwd })
			: await runProgram("npm", args, { cwd });
	if (code !== 0) throw new StepFailure(`npm ${args.join(" ")} failed`, output);
	return output;
}
