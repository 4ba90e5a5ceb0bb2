import { runLuauProgram } from "../host/runProgram.ts";
import { runSpecs } from "../host/runSpecs.ts";
import { editsOf, type Mutant, patchedFiles, StaleMutant } from "./mutant.ts";

/** Where mutants are hunted. */
export interface Ground {
	/** The place with the unchanged package and its specs. */
	readonly place: string;
	/** Compiles files whose text was changed, into sources by their modules' paths in the place. Throws {@link StaleMutant}. */
	readonly compile: (files: ReadonlyMap<string, string>) => ReadonlyMap<string, string>;
	/** The text of a file. */
	readonly read: (file: string) => string;
	/** The file of a spec module, by its path in the place: what hints are compared with. */
	readonly fileOf: (path: string) => string;
	/** Spec modules that no mutant can fail, and the random search's own, are left out. Undefined: all are. */
	readonly accepts?: (path: string) => boolean;
	/** How many seeds of the random search a mutant must survive; 0 where the place has none. */
	readonly seeds: number;
	/** Real seconds that a spec may take; one that a fault makes endless counts as failed. */
	readonly limitSeconds: number;
}

/** What noticed a mutant: a spec, or a seed of the random search. */
export type Catch =
	| { readonly kind: "spec"; readonly path: string; readonly name: string; readonly message: string }
	| { readonly kind: "seed"; readonly seed: number; readonly message: string };

export interface Hunted {
	readonly mutant: Mutant;
	/** Undefined where nothing noticed it. */
	readonly caught?: Catch;
	/** Why it could not be tried, or what caught it proves nothing. */
	readonly problem?: string;
	readonly seconds: number;
}

/** Whether it was caught, by something that does not fail without it. */
export function isCaught({ caught, problem }: Hunted): boolean {
	return caught !== undefined && problem === undefined;
}

/** Seeds that one VM plays. */
const SEEDS_PER_RUN = 25;

/** The spec modules in the order in which they are most likely to catch the mutant. */
export function inOrder(paths: ReadonlyArray<string>, mutant: Mutant, fileOf: Ground["fileOf"]): Array<string> {
	const area = mutant.file.split("/")[1] ?? "";
	const hints = [...mutant.hint, `/${area}/`].map((hint) => hint.toLowerCase().split(" "));
	const rank = (path: string): number => {
		const file = fileOf(path).toLowerCase();
		const found = hints.findIndex((words) => words.every((word) => file.includes(word)));
		return found < 0 ? hints.length : found;
	};
	return [...paths].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** The first failure of the random search with these sources. */
async function search(ground: Ground, sources: Readonly<Record<string, string>>): Promise<Catch | undefined> {
	for (let first = 1; first <= ground.seeds; first += SEEDS_PER_RUN) {
		const last = Math.min(ground.seeds, first + SEEDS_PER_RUN - 1);
		let playing = first;
		let failed: { seed: number; failure: string } | undefined;
		try {
			await runLuauProgram(
				{
					places: [ground.place],
					program: "seeds",
					sources,
					argument: { first: String(first), last: String(last) },
				},
				{
					limitSeconds: ground.limitSeconds * SEEDS_PER_RUN,
					onEvent: (event) => {
						if (event.type === "playingSeed") playing = event.seed;
						else if (event.type === "seed") failed = event;
					},
				},
			);
		} catch (error) {
			failed = { seed: playing, failure: error instanceof Error ? error.message : String(error) };
		}
		if (failed !== undefined) return { kind: "seed", seed: failed.seed, message: failed.failure };
	}
	return undefined;
}

async function catchOf(ground: Ground, mutant: Mutant, files: ReadonlyMap<string, string>): Promise<Catch | undefined> {
	const sources = Object.fromEntries(ground.compile(files));
	const { accepts } = ground;
	if (accepts === undefined) return search(ground, sources);
	const { failures } = await runSpecs({
		place: ground.place,
		accepts,
		inOrder: (paths) => inOrder(paths, mutant, ground.fileOf),
		stopsAtFailure: true,
		sources,
		limitSeconds: ground.limitSeconds,
	});
	const [first] = failures;
	if (first !== undefined) return { kind: "spec", path: first.path, name: first.name, message: first.message };
	return search(ground, sources);
}

/** Lets the specs, then the random search loose on one mutant. */
async function huntOne(ground: Ground, mutant: Mutant, files: () => ReadonlyMap<string, string>): Promise<Hunted> {
	const started = performance.now();
	const seconds = (): number => (performance.now() - started) / 1000;
	try {
		const caught = await catchOf(ground, mutant, files());
		return { mutant, caught, seconds: seconds() };
	} catch (error) {
		if (error instanceof StaleMutant) return { mutant, problem: error.message, seconds: seconds() };
		throw error;
	}
}

/** What fails without any mutant, of all that caught one: those catches prove nothing. */
async function falseCatches(ground: Ground, hunted: ReadonlyArray<Hunted>, workers: number): Promise<Set<Catch>> {
	const catches = hunted.flatMap(({ caught }) => (caught === undefined ? [] : [caught]));
	const paths = new Set(catches.map((caught) => (caught.kind === "spec" ? caught.path : "")));
	const accepts = (path: string): boolean => paths.has(path);
	const lastSeed = Math.max(0, ...catches.map((caught) => (caught.kind === "seed" ? caught.seed : 0)));
	const [specs, seed] = await Promise.all([
		catches.some(({ kind }) => kind === "spec")
			? runSpecs({ place: ground.place, accepts, workers, limitSeconds: ground.limitSeconds })
			: undefined,
		search({ ...ground, seeds: lastSeed }, {}),
	]);
	const failed = new Set((specs?.failures ?? []).map(({ path }) => path));
	return new Set(catches.filter((caught) => (caught.kind === "spec" ? failed.has(caught.path) : seed !== undefined)));
}

/**
 * Hunts mutants, `workers` at a time, each in a VM of its own. Then plays what caught them once more without any: a
 * check that fails on the unchanged package has caught nothing.
 */
export async function hunt(
	ground: Ground,
	mutants: ReadonlyArray<Mutant>,
	options: { workers: number; onHunted?: (hunted: Hunted, done: number) => void },
): Promise<Array<Hunted>> {
	// All texts as of now: somebody may go on working while the hunt lasts.
	const texts = new Map<string, string>();
	for (const { file } of mutants.flatMap(editsOf)) texts.set(file, texts.get(file) ?? ground.read(file));
	const queue = [...mutants];
	const hunted: Array<Hunted> = [];
	const work = async (): Promise<void> => {
		for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
			const next = mutant;
			const one = await huntOne(ground, next, () => patchedFiles(next, (file) => texts.get(file)!));
			hunted.push(one);
			options.onHunted?.(one, hunted.length);
		}
	};
	await Promise.all(Array.from({ length: options.workers }, work));
	const wrong = await falseCatches(ground, hunted, options.workers);
	const judged = hunted.map((one) =>
		one.caught !== undefined && wrong.has(one.caught)
			? { ...one, problem: "what caught it fails without the mutant, too" }
			: one,
	);
	return judged.sort((a, b) => mutants.indexOf(a.mutant) - mutants.indexOf(b.mutant));
}
