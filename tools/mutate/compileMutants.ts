import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileFiles } from "roblox-ts/out/Project/functions/compileFiles.js";
import { createPathTranslator } from "roblox-ts/out/Project/functions/createPathTranslator.js";
import { createProjectData } from "roblox-ts/out/Project/functions/createProjectData.js";
import { getParsedCommandLine } from "roblox-ts/out/Project/functions/getParsedCommandLine.js";
import { DEFAULT_PROJECT_OPTIONS } from "roblox-ts/out/Shared/constants.js";
import ts from "typescript";
import { fromRoot } from "../lib/root.ts";
import { StaleMutant } from "./mutant.ts";

/** Where rbxtsc puts the changed files: never where the real ones are, which it takes for up to date. */
const OUT = fromRoot("build", "mutants");
const PROJECT = fromRoot("build", "mutants.project.json");

/** The test place's Rojo project with the compiled files of {@link OUT}, so that all imports come out the same. */
function writeProject(): void {
	const text = readFileSync(fromRoot("test.project.json"), "utf8");
	const project = JSON.parse(text, (key, value: unknown) =>
		key === "$path" && typeof value === "string" ? (value === "build/test" ? OUT : fromRoot(value)) : value,
	) as unknown;
	mkdirSync(OUT, { recursive: true });
	writeFileSync(PROJECT, JSON.stringify(project));
}

/** The path in the test place of a source file's module. */
export function modulePath(file: string): string {
	return `ServerScriptService/Baton/${file.replace(/\.ts$/, "").replace(/\/index$/, "")}`;
}

/**
 * A compiler of single files of the package in which some text was changed: rbxtsc itself, in this process, which keeps
 * what it read. The first file takes a few seconds, each after it a fraction of one.
 */
export function makeMutantCompiler(): (files: ReadonlyMap<string, string>) => Map<string, string> {
	writeProject();
	const data = createProjectData(fromRoot("tsconfig.test.json"), {
		...DEFAULT_PROJECT_OPTIONS,
		includePath: fromRoot("include"),
		rojo: PROJECT,
		type: "game" as typeof DEFAULT_PROJECT_OPTIONS.type,
	});
	const { fileNames, options } = getParsedCommandLine(data);
	const settings: ts.CompilerOptions = {
		...options,
		outDir: OUT,
		incremental: false,
		tsBuildInfoFile: undefined,
		// A removed check leaves what it used unused.
		noUnusedLocals: false,
		noUnusedParameters: false,
	};
	const disk = ts.createCompilerHost(settings);
	const read = new Map<string, ts.SourceFile | undefined>();
	let changed = new Map<string, string>();
	const host: ts.CompilerHost = {
		...disk,
		getSourceFile: (path, target) => {
			const text = changed.get(path);
			if (text !== undefined) return ts.createSourceFile(path, text, target);
			if (!read.has(path)) read.set(path, disk.getSourceFile(path, target));
			return read.get(path);
		},
	};
	const ambient = fileNames.filter((path) => path.endsWith(".d.ts"));
	let last: ts.Program | undefined;

	/** The Luau of the changed files, by their modules' paths in the place. Throws where one does not compile. */
	return (files) => {
		changed = new Map([...files].map(([file, text]) => [fromRoot(file), text]));
		const program = ts.createProgram({
			rootNames: [...changed.keys(), ...ambient],
			options: settings,
			host,
			oldProgram: last,
		});
		last = program;
		const builder = { getCompilerOptions: () => settings, getProgram: () => program } as ts.BuilderProgram;
		const paths = createPathTranslator(builder, data);
		const sources = [...changed.keys()].map((path) => program.getSourceFile(path)!);
		const { diagnostics, emitSkipped } = compileFiles(program, data, paths, sources);
		if (emitSkipped || diagnostics.some(({ category }) => category === ts.DiagnosticCategory.Error)) {
			const problems = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
			throw new StaleMutant(`it does not compile: ${problems.join("; ")}`);
		}
		return new Map(
			[...files.keys()].map((file) => [
				modulePath(file),
				readFileSync(join(paths.getOutputPath(fromRoot(file))), "utf8"),
			]),
		);
	};
}
