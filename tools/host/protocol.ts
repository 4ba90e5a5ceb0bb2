import type { BenchCell, BenchRow } from "../bench/cell.ts";
import type { CaseInfo, Measured, TimelineEntry } from "../story/case.ts";

/** What the game of one seed of the random search came to. */
export interface SeedReport {
	readonly seed: number;
	readonly mood: string;
	/** Virtual seconds that its servers ran, all together. */
	readonly serverSeconds: number;
	/** How many values were stored. */
	readonly writes: number;
	/** The rules that were broken and a timeline, of the shortest game that still breaks them. */
	readonly failure?: string;
	/** What goes wrong on purpose in that game. */
	readonly injections?: Array<string>;
	/** How much did in the seed's own game, and how many games it took to shorten that. */
	readonly injectionsBefore?: number;
	readonly games?: number;
	/** Of the whole trace of the seed's own game: the same seed, the same hash. */
	readonly hash?: string;
	readonly counts: Array<{ readonly what: string; readonly times: number }>;
	/** Real seconds that it took. */
	readonly seconds: number;
}

/** What orders of one small case came to: all of one part, or a single one. */
export interface OrdersReport {
	readonly case: string;
	/** How many were played. */
	readonly orders: number;
	/** The most decisions in one of them. */
	readonly decisions: number;
	/** How many orders the depth left out that would have been next. */
	readonly beyond: number;
	/** The one that broke a rule, or the only one. */
	readonly order?: string;
	/** The rules that were broken and a timeline. */
	readonly failure?: string;
}

/** What a worker is started with. */
export interface WorkerInput {
	/** Paths of `.rbxlx` files; the program decides what it boots from which. */
	readonly places: ReadonlyArray<string>;
	/** The file of the Luau runtime to run, without its ending. */
	readonly program: string;
	/** What the program is told, by name. */
	readonly argument?: Readonly<Record<string, string>>;
	/** Other sources for modules of the first place, by their path in it. */
	readonly sources?: Readonly<Record<string, string>>;
}

/** The answer to `next`: the spec module to run, or "" when there are no more. */
export interface ToWorker {
	readonly next: string;
}

export type FromWorker =
	| { readonly type: "event"; readonly event: HostEvent }
	| { readonly type: "next" }
	| { readonly type: "finished" }
	| { readonly type: "crashed"; readonly message: string };

export interface SpecResult {
	readonly name: string;
	readonly status: "passed" | "failed" | "skipped";
	readonly message?: string;
	readonly trace?: string;
	readonly seconds?: number;
}

/** What the Luau side tells. */
export type HostEvent =
	| { readonly type: "log"; readonly text: string; readonly warning?: boolean }
	| { readonly type: "specs"; readonly paths: Array<string>; readonly testez: boolean }
	| { readonly type: "file"; readonly path: string }
	| { readonly type: "spec"; readonly path: string; readonly name: string }
	| { readonly type: "ran"; readonly result: SpecResult }
	| { readonly type: "done"; readonly path: string; readonly results: Array<SpecResult> }
	| { readonly type: "scriptError"; readonly message: string; readonly trace: string }
	| { readonly type: "playing"; readonly id: string }
	| {
			readonly type: "case";
			readonly case: CaseInfo;
			readonly measured?: Measured;
			readonly timeline?: Array<TimelineEntry>;
			readonly failure?: string;
	  }
	| { readonly type: "benchTable"; readonly rows: Array<BenchRow>; readonly libraries: Array<string> }
	| { readonly type: "benchCell"; readonly cell: BenchCell }
	| { readonly type: "playingSeed"; readonly seed: number }
	| { readonly type: "seed"; readonly seed: number; readonly failure: string }
	| { readonly type: "taskResults"; readonly results: Array<unknown> }
	| { readonly type: "rareStates"; readonly names: Array<string> }
	| { readonly type: "game"; readonly report: SeedReport }
	| { readonly type: "smallCases"; readonly names: Array<string> }
	| { readonly type: "orders"; readonly report: OrdersReport }
	| { readonly type: "end" };
