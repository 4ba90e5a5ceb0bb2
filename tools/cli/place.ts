import { relative } from "node:path";
import { textOf } from "../lib/failure.ts";
import { note, print } from "../lib/report.ts";
import { root } from "../lib/root.ts";
import { makeTestPlace } from "../lib/testPlace.ts";

// `npm run place` builds the test place for Roblox Studio.
try {
	print(
		`Open ${relative(root, await makeTestPlace())} in Roblox Studio and press Play: the specs run and print a summary.`,
	);
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
