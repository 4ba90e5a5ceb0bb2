import { compileTests } from "./compile.ts";
import { step } from "./report.ts";
import { buildPlace } from "./rojo.ts";
import { fromRoot } from "./root.ts";

/** The place that holds the package, the emulated cloud, the specs and the story. */
export const TEST_PLACE = fromRoot("build", "test.rbxlx");

/** Compiles the package with its tests, and builds their place. */
export async function makeTestPlace(): Promise<string> {
	await step("compile the test place", compileTests);
	await step("build the test place", () => buildPlace(fromRoot("test.project.json"), TEST_PLACE));
	return TEST_PLACE;
}

/** The source file of a module of the test place, as a path in the repository. */
export function sourceOf(path: string): string {
	return path === "" ? "" : `${path.replace(/^ServerScriptService\/Baton\//, "")}.ts`;
}
