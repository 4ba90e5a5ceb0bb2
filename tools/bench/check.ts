import { readFileSync } from "node:fs";
import { fromRoot } from "../lib/root.ts";
import { playBench } from "./play.ts";
import { withTable } from "./document.ts";
import { benchMarkdown } from "./show.ts";

/** Checks that the table in README.md is the one that `npm run bench` makes: counts and virtual waits never vary. */
export async function checkReadmeTable(place: string, onProgress: (text: string) => void): Promise<void> {
	const bench = await playBench(place, { seed: 1, onProgress, onLog: onProgress });
	const text = readFileSync(fromRoot("README.md"), "utf8").replaceAll("\r\n", "\n");
	if (withTable(text, benchMarkdown(bench)) === text) return;
	throw new Error(
		"The cost table in README.md is not what the emulated cloud counts now; look why, then run " +
			`npm run bench -- --write. It would be:\n${benchMarkdown(bench)}`,
	);
}
