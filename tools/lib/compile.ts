import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { StepFailure } from "./failure.ts";
import { runNode } from "./process.ts";
import { fromRoot } from "./root.ts";

const COMPILER = ["node_modules", "roblox-ts", "out", "CLI", "cli.js"];

/** Runs rbxtsc. It emits nothing when any file is bad. */
export async function compile(what: string, args: ReadonlyArray<string>): Promise<void> {
	const { code, output } = await runNode([fromRoot(...COMPILER), ...args]);
	if (code !== 0) throw new StepFailure(`${what} does not compile`, output);
}

/** Compiles the package into `out`. */
export function compilePackage(): Promise<void> {
	removeStale(fromRoot("src"), fromRoot("out"));
	return compile("the package", ["-p", fromRoot("tsconfig.json"), "--type", "package"]);
}

/** The folders beside `src` that are compiled into the test place. */
const TEST_FOLDERS = ["test/specs", "test/cloud", "test/story", "test/simulation", "test/studio", "bench"];

/** Compiles the package with its tests into `build/test`. */
export function compileTests(): Promise<void> {
	for (const folder of TEST_FOLDERS) {
		mkdirSync(fromRoot(folder), { recursive: true });
		removeStale(fromRoot(folder), fromRoot("build", "test", folder));
	}
	removeStale(fromRoot("src"), fromRoot("build", "test", "src"));
	return compile("the test place", [
		"-p",
		fromRoot("tsconfig.test.json"),
		"--type",
		"game",
		"--rojo",
		fromRoot("test.project.json"),
		"-i",
		fromRoot("include"),
	]);
}

/** Removes compiled files whose source is gone: rbxtsc leaves them, and a removed spec would go on running. */
function removeStale(sources: string, compiled: string): void {
	if (!existsSync(compiled)) return;
	for (const entry of readdirSync(compiled, { withFileTypes: true })) {
		const path = join(compiled, entry.name);
		if (entry.isDirectory()) {
			if (existsSync(join(sources, entry.name))) removeStale(join(sources, entry.name), path);
			else rmSync(path, { recursive: true });
			continue;
		}
		const match = /^(.+?)(\.luau|\.d\.ts)$/.exec(entry.name);
		if (match === null) continue;
		const name = match[1] === "init" ? "index" : match[1]!;
		const isKept = [".ts", ".tsx", ".d.ts"].some((ending) => existsSync(join(sources, name + ending)));
		if (!isKept) rmSync(path);
	}
}
