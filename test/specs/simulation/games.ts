import { runSeed } from "../../simulation/runSeed";

/** How many spec files share the seeds, so that workers can share them. */
const FILES = 8;
const SEEDS = 600;
/** From this seed on games are rich (`test/simulation/runSeed.ts`): every second file plays those. */
const RICH = 1_000_000;
/** Seeds of one spec. */
const CHUNK = 15;

/** The specs of one file's part of the fixed seeds: games that nobody chose, in which every invariant I1 to I16 holds. */
export function games(file: number): () => void {
	return () => {
		describe("games with random faults", () => {
			const first = (file % 2 === 0 ? RICH : 0) + ((file - 1) * SEEDS) / FILES + 1;
			for (let from = first; from < first + SEEDS / FILES; from += CHUNK) {
				it(`keep every rule, seeds ${from} to ${from + CHUNK - 1}`, () => {
					for (let seed = from; seed < from + CHUNK; seed++) runSeed(seed);
				});
			}
		});
	};
}
