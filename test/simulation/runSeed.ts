import { SeededRandom } from "../cloud/random";
import { World } from "../cloud/world";
import { Book, Violation } from "./book";
import { drawSize } from "./gameSize";
import { heal } from "./healing";
import { Injection, Injections } from "./injections";
import { Game, Lobby } from "./lobby";
import { failureText } from "./timeline";
import { drawSwitches, makeWeather, Mood, Weather } from "./weather";
import { Workload } from "./workload";

/** What a run came to. */
export interface SeedReport {
	readonly seed: number;
	readonly mood: Mood;
	/** Why it failed, with a timeline; undefined where every rule was kept. */
	readonly failure?: string;
	/** The rules that were broken, in order; none where the game itself failed. */
	readonly violations: ReadonlyArray<Violation>;
	/** What went wrong on purpose, in order. */
	readonly injections: ReadonlyArray<Injection>;
	/** Virtual seconds that its servers ran, all together. */
	readonly serverSeconds: number;
	/** How many values were stored. */
	readonly writes: number;
	/** How often each fault hit, and how often each rare thing came about; in the order of the names. */
	readonly counts: ReadonlyArray<readonly [what: string, times: number]>;
	/** Everything that crossed the cloud, as text. */
	readonly trace: () => string;
}

/**
 * From this seed on every game is rich: it draws rates of its own for messages that are lost, doubled and late and for
 * writes that fail or lose their answers, clocks that drift, and no less than five users. Those before it stay what they
 * were, so that what was found in them is played again.
 */
const FIRST_RICH = 1_000_000;

/** How a seed is to be played. */
export interface SeedOptions {
	/** What is left out of what goes wrong: names and sources of injections. */
	readonly spared?: ReadonlySet<string>;
}

/**
 * Plays a game drawn from `seed` (servers, users, what they do, what goes wrong), then lets everything work again, and
 * judges every change of the store and every answer on the way. The same seed plays the same rules.
 */
export function playSeed(seed: number, { spared = new Set() }: SeedOptions = {}): SeedReport {
	const random = new SeededRandom(seed).fork("simulation");
	const world = new World({
		seed,
		profile: random.chance(0.5) ? "fast" : "live",
		switches: drawSwitches(random.fork("switches")),
	});
	const book = new Book(world);
	const injections = new Injections(world, spared);
	const isRich = seed >= FIRST_RICH;
	const size = drawSize(random, isRich);
	let weather: Weather | undefined;
	const [fine, cause] = pcall(() =>
		world.run(() => {
			const drawn = makeWeather(world, random.fork("weather"), size.seconds, injections, isRich);
			weather = drawn;
			const soonStale = random.chance(0.4);
			if (soonStale) book.staleSeconds = 30;
			const lobbies = new Array<Lobby>();
			const rules: Game = {
				book,
				random: random.fork("players"),
				injections,
				isCalm: drawn.mood === "calm",
				isRich,
				autosaveSeconds: random.chance(0.5) ? 60 : random.integer(5, 30),
				lockWaitSeconds: drawn.mood === "calm" || random.chance(0.7) ? 15 : random.integer(5, 15),
				lockTtlSeconds: soonStale ? 20 : 180,
				lockSkewSeconds: soonStale ? 10 : 60,
				flushSeconds: random.chance(0.5) ? 30 : random.integer(1, 20),
				lobbies,
			};
			const workload = new Workload(world, rules, size);
			workload.play();
			heal(world, rules, workload, size);
		}),
	);
	const mood = weather?.mood ?? "calm";
	for (const { name, handle } of weather?.faults ?? []) book.count(`fault ${name}`, handle.hits);
	const counts = new Array<readonly [string, number]>();
	for (const [what, times] of book.counts) counts.push([what, times]);
	counts.sort((a, b) => a[0] < b[0]);
	const trace = () => world.trace.toText();
	const { violations } = book;
	const report = {
		seed,
		mood,
		violations,
		injections: injections.all,
		serverSeconds: book.serverSeconds(),
		writes: book.writes,
		counts,
		trace,
	};
	if (fine && book.violations.isEmpty()) return report;
	return { ...report, failure: failureText(`seed ${seed} (${mood})`, world, book, fine ? undefined : cause) };
}

/** The same; throws where a rule was broken, with the seed and a timeline. */
export function runSeed(seed: number): SeedReport {
	const report = playSeed(seed);
	if (report.failure !== undefined) {
		error(
			`${report.failure}\nnpm run simulate -- --seed ${seed} plays it again, with as little as possible going wrong.`,
			0,
		);
	}
	return report;
}
