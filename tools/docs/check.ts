import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StepFailure } from "../lib/failure.ts";
import { runNode } from "../lib/process.ts";
import { fromRoot } from "../lib/root.ts";
import { allBlocks, type CodeBlock } from "./blocks.ts";
import { NAMES } from "./names.ts";

/** Where the blocks are compiled, so that the relative imports of those about specs find the repository's files. */
const PLACE = ["test", "specs", "docs"];

const SETTINGS = {
	extends: "./repository/tsconfig.json",
	compilerOptions: {
		rootDir: ".",
		baseUrl: ".",
		paths: { "@rbxts/baton": ["repository/src/index"] },
		typeRoots: ["repository/node_modules/@rbxts"],
		incremental: false,
		tsBuildInfoFile: null,
		declaration: false,
		noEmit: true,
		noUnusedLocals: false,
		noUnusedParameters: false,
		preserveSymlinks: true,
		skipLibCheck: true,
	},
	include: ["test/specs", "repository/test/specs/globals.d.ts"],
};

/** Sees that every TypeScript block of the documentation compiles against the package's source. */
export async function checkDocCode(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "baton-docs-"));
	try {
		for (const [name, target] of [
			["repository", fromRoot()],
			["src", fromRoot("src")],
			["node_modules", fromRoot("node_modules")],
		] as const) {
			symlinkSync(target, join(folder, name), "junction");
		}
		mkdirSync(join(folder, ...PLACE), { recursive: true });
		symlinkSync(fromRoot("test", "cloud"), join(folder, "test", "cloud"), "junction");
		writeFileSync(join(folder, ...PLACE, "names.d.ts"), NAMES);
		const blocks = allBlocks();
		blocks.forEach((block, index) => {
			writeFileSync(join(folder, ...PLACE, `block${index}.ts`), `${block.code}\nexport {};\n`);
		});
		writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(SETTINGS));
		const { code, output } = await runNode([fromRoot("node_modules", "typescript", "bin", "tsc"), "-p", folder]);
		const problems = problemsIn(output, blocks);
		if (problems.length > 0)
			throw new StepFailure("code in the documentation does not compile", problems.join("\n"));
		if (code !== 0) throw new StepFailure("the documentation's code", output);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** The compiler's complaints about blocks, with the line of the page. */
export function problemsIn(output: string, blocks: ReadonlyArray<CodeBlock>): ReadonlyArray<string> {
	return [...output.matchAll(/block(\d+)\.ts\((\d+),\d+\): error (.*)/g)].map(([, index, line, text]) => {
		const block = blocks[Number(index)]!;
		return `${block.page}:${block.line + Number(line) - 1}: ${text}`;
	});
}
