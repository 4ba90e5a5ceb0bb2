import { StepFailure } from "../lib/failure.ts";
import { runNode } from "../lib/process.ts";
import { fromRoot } from "../lib/root.ts";

async function run(what: string, script: ReadonlyArray<string>, args: ReadonlyArray<string>): Promise<void> {
	const { code, output } = await runNode([fromRoot("node_modules", ...script), ...args]);
	if (code !== 0) throw new StepFailure(what, output);
}

/** Writes the API's reference from the doc comments, as pages of the site. */
export function writeApi(): Promise<void> {
	return run(
		"the API's reference could not be written",
		["typedoc", "bin", "typedoc"],
		[
			...["--plugin", "typedoc-plugin-markdown", "--tsconfig", fromRoot("tsconfig.json")],
			...["--out", fromRoot("docs", "api"), "--readme", "none", "--entryFileName", "index"],
			...["--skipErrorChecking", "--excludePrivate", "--excludeInternal", "--disableSources"],
			...[
				"--hidePageHeader",
				"--hideBreadcrumbs",
				"--validation.notExported",
				"false",
				"--treatWarningsAsErrors",
			],
			fromRoot("src", "index.ts"),
		],
	);
}

/** Builds the site; a link that leads nowhere fails it. */
export function buildSite(): Promise<void> {
	return run("the site could not be built", ["vitepress", "bin", "vitepress.js"], ["build", fromRoot("docs")]);
}
