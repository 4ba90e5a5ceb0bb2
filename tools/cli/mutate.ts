import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { textOf } from "../lib/failure.ts";
import { note, print, step } from "../lib/report.ts";
import { fromRoot } from "../lib/root.ts";
import { makeTestPlace, sourceOf } from "../lib/testPlace.ts";
import { mutants } from "../mutants/index.ts";
import { makeMutantCompiler } from "../mutate/compileMutants.ts";
import { type Ground, hunt, isCaught } from "../mutate/hunt.ts";
import { huntLine, huntTable } from "../mutate/show.ts";

// `npm run mutate` breaks the package on purpose, one fault at a time, and fails where no check notices.
// `npm run mutate -- <words>` takes the mutants whose file and name hold all of the words; `--list` only names them.
// `--search` leaves the specs out: how many seeds the random search needs by itself; one that it does not catch is told.

const SEEDS = 200;
const LIMIT_SECONDS = 60;

/** The specs of the emulated cloud do not run the package; the search's own seeds are played last. */
function accepts(path: string): boolean {
	return !/^test\/specs\/(cloud|simulation)\//.test(sourceOf(path));
}

async function main(): Promise<boolean> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { list: { type: "boolean" }, search: { type: "boolean" } },
	});
	const isSearch = values.search === true;
	const words = positionals.map((word) => word.toLowerCase());
	const chosen = mutants.filter(({ name, file }) =>
		words.every((word) => `${file} ${name}`.toLowerCase().includes(word)),
	);
	if (values.list === true) {
		for (const { name, rule } of chosen) print(`${rule.padEnd(28)} ${name}`);
		return true;
	}
	if (chosen.length === 0) {
		note("No mutant's file and name hold these words; --list names them all.");
		return false;
	}
	const place = await makeTestPlace();
	const ground: Ground = {
		place,
		compile: makeMutantCompiler(),
		read: (file) => readFileSync(fromRoot(file), "utf8"),
		fileOf: sourceOf,
		accepts: isSearch ? undefined : accepts,
		seeds: SEEDS,
		limitSeconds: LIMIT_SECONDS,
	};
	const hunted = await step("hunt mutants", (progress) =>
		hunt(ground, chosen, {
			workers: Math.min(chosen.length, availableParallelism()),
			onHunted: (one, done) => {
				progress(`${done}/${chosen.length} ${one.mutant.name}`);
				note(huntLine(one));
			},
		}),
	);
	print(huntTable(hunted, sourceOf));
	const lost = hunted.filter((one) => !isCaught(one)).length;
	print(`${hunted.length - lost} caught, ${lost} not${isSearch ? ` within ${SEEDS} seeds` : ""}`);
	return isSearch || lost === 0;
}

try {
	if (!(await main())) process.exitCode = 1;
} catch (error) {
	note(textOf(error));
	process.exitCode = 1;
}
