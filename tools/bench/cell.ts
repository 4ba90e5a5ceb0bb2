/** Requests by kind; numbers may be fractions, where they are per minute. */
export interface Requests {
	readonly updates: number;
	readonly sets: number;
	readonly reads: number;
	readonly removes: number;
	readonly publishes: number;
	readonly subscribes: number;
	readonly memory: number;
}

export interface BenchRow {
	readonly id: string;
	readonly part: "requests" | "waits" | "cpu";
	readonly title: string;
	/** What the figures of its cells are for, in their order. */
	readonly points?: ReadonlyArray<string>;
}

/** One figure: of a row, for a library. `text` stands in place of one. */
export interface BenchCell {
	readonly row: string;
	readonly library: string;
	/** Latency profile of a wait. */
	readonly profile?: string;
	readonly requests?: Requests;
	readonly outcome?: string;
	/** Virtual seconds. */
	readonly seconds?: number;
	/** Microseconds of CPU, one for each of the row's points. */
	readonly micros?: ReadonlyArray<number>;
	readonly text?: string;
}

/** What the benchmark came to. */
export interface Bench {
	readonly rows: ReadonlyArray<BenchRow>;
	readonly libraries: ReadonlyArray<string>;
	readonly cells: ReadonlyArray<BenchCell>;
}
