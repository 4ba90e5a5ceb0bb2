import { relative } from "node:path";
import { makeExamplePlace } from "../lib/example.ts";
import { textOf } from "../lib/failure.ts";
import { note, print } from "../lib/report.ts";
import { root } from "../lib/root.ts";
import { makeTestPlace } from "../lib/testPlace.ts";

// `npm run place` builds the test place for Roblox Studio, `npm run place -- example` the example game's.
try {
	if (process.argv[2] === "example") {
		const place = relative(root, await makeExamplePlace());
		print(
			`Open ${place} in Roblox Studio, or publish it: npm run publish-place. docs/live-check.md tells what to try there.`,
		);
	} else {
		const place = relative(root, await makeTestPlace());
		print(`Open ${place} in Roblox Studio and press Play: the specs run and print a summary.`);
	}
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
