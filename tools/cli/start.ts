import { parseArgs } from "node:util";
import { textOf } from "../lib/failure.ts";
import { note, print, step } from "../lib/report.ts";
import { makeTestPlace } from "../lib/testPlace.ts";
import type { Play } from "../story/case.ts";
import { listCases, playStory } from "../story/play.ts";
import { failuresText, storyJson, storyTable, timelineText } from "../story/show.ts";
import { traceHash } from "../story/traceHash.ts";

const USAGE = `npm start                  plays the story on the emulated cloud
npm start -- <case>        plays one case and shows its timeline (--live: in the latency profile live)
npm start -- --list        lists the cases
npm start -- --json        prints the result as JSON, on the last line
npm start -- --seed <n>    with another seed`;

class UsageError extends Error {}

/** The command's arguments; an unknown one is answered with the usage. */
function readArguments() {
	try {
		return parseArgs({
			allowPositionals: true,
			options: {
				json: { type: "boolean" },
				list: { type: "boolean" },
				live: { type: "boolean" },
				help: { type: "boolean" },
				seed: { type: "string", default: "1" },
			},
		});
	} catch (error) {
		throw new UsageError(error instanceof Error ? error.message : String(error));
	}
}

/** A case's timeline, and the name of its trace: the same for the same seed, here and on the page. */
function shown(play: Play): string {
	return `${timelineText(play)}\ntrace ${traceHash(play.timeline)}`;
}

async function main(): Promise<boolean> {
	const { values, positionals } = readArguments();
	const seed = Number(values.seed);
	if (!Number.isInteger(seed) || positionals.length > 1)
		throw new UsageError("--seed takes a whole number; name one case at most");
	if (values.help === true) {
		print(USAGE);
		return true;
	}
	const place = await makeTestPlace();
	const only = positionals[0];
	if (values.list === true || only !== undefined) {
		const known = await listCases(place);
		if (values.list === true) {
			const width = Math.max(0, ...known.map(({ id }) => id.length));
			for (const { id, group, title } of known) print(`${id.padEnd(width)}  ${group}: ${title}`);
			return true;
		}
		if (!known.some(({ id }) => id === only)) {
			note(`There is no case "${only}". The cases are:\n${known.map(({ id }) => `  ${id}`).join("\n")}`);
			return false;
		}
	}
	const cases = await step("play the story", (progress) =>
		playStory(place, {
			seed,
			only,
			onProgress: (profile, id) => {
				progress(`${id} (${profile})`);
			},
			onLog: note,
		}),
	);
	const failures = failuresText(cases);
	if (failures !== "") note(failures);
	const isKept = cases.length > 0 && cases.every(({ ok }) => ok);
	if (values.json === true) print(storyJson(cases));
	else {
		print(storyTable(cases, process.stdout.columns));
		const [single] = cases;
		if (only !== undefined && single !== undefined)
			print(`\n${shown(values.live === true ? single.live : single.fast)}`);
		print(isKept ? "Every promise is kept." : "A promise is broken.");
	}
	return isKept;
}

try {
	if (!(await main())) process.exitCode = 1;
} catch (error) {
	note(error instanceof UsageError ? `${error.message}\n\n${USAGE}` : textOf(error));
	process.exitCode = 1;
}
