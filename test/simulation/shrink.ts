import { Injection } from "./injections";
import { playSeed, SeedReport } from "./runSeed";

/** The shortest game of a failing seed that was found. */
export interface Shrunk {
	readonly report: SeedReport;
	/** What was left out of it. */
	readonly spared: ReadonlySet<string>;
	/** How many games it took. */
	readonly games: number;
}

/** The failure without what differs from game to game. */
function kindOf({ violations }: SeedReport): string {
	const [first] = violations;
	// Tokens are told by their first four digits, ids in full.
	return first === undefined ? "" : first.text.gsub("%f[%w]%x*%d%x*%f[%W]", "0")[0].gsub("%d+%.?%d*", "0")[0];
}

/**
 * Plays a failing seed again and again with less and less going wrong: whole sources left out first, then ever smaller
 * parts of the list, as long as the same rule breaks. Stops where nothing more can be left out, or `goesOn` says so.
 */
export function shrink(first: SeedReport, goesOn: () => boolean, play: typeof playSeed = playSeed): Shrunk {
	const kind = kindOf(first);
	let report = first;
	let spared: ReadonlySet<string> = new Set<string>();
	let games = 0;
	const tryWithout = (names: ReadonlyArray<string>): boolean => {
		games += 1;
		const more = new Set<string>([...spared]);
		for (const name of names) more.add(name);
		const again = play(first.seed, { spared: more });
		if (again.failure === undefined || kindOf(again) !== kind) return false;
		report = again;
		spared = more;
		return true;
	};
	for (const source of sourcesOf(first.injections)) if (goesOn()) tryWithout([source]);
	let part = math.max(1, math.ceil(report.injections.size() / 2));
	while (goesOn() && !report.injections.isEmpty()) {
		let hasShrunk = false;
		for (let from = 0; from < report.injections.size() && goesOn();) {
			const names = report.injections.filter((_, index) => index >= from && index < from + part);
			if (tryWithout(names.map(({ name }) => name))) hasShrunk = true;
			else from += part;
		}
		if (part === 1 && !hasShrunk) break;
		part = math.max(1, math.floor(part / 2));
	}
	return { report, spared, games };
}

function sourcesOf(injections: ReadonlyArray<Injection>): ReadonlyArray<string> {
	const sources = new Array<string>();
	for (const { source } of injections) if (!sources.includes(source)) sources.push(source);
	return sources;
}
