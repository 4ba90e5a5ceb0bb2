import { compilePackage } from "../lib/compile.ts";
import { textOf } from "../lib/failure.ts";
import { note, step } from "../lib/report.ts";

// `npm run build` compiles the package into `out`; npm runs it before it packs or publishes.
try {
	await step("compile the package", compilePackage);
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
