/** Requests of one kind of each service, as the emulated cloud's trace counts them. */
export interface Requests {
	/** `UpdateAsync` calls, whether they wrote or found nothing to write. */
	readonly updates: number;
	/** `SetAsync` calls of a data store. */
	readonly sets: number;
	/** `GetAsync` calls of a data store that were not answered from its cache. */
	readonly reads: number;
	readonly removes: number;
	readonly publishes: number;
	readonly subscribes: number;
	/** Calls of MemoryStore. */
	readonly memory: number;
}

/** One figure: of a row, for a library. */
export interface Cell {
	readonly row: string;
	readonly library: string;
	/** Latency profile of a wait. */
	readonly profile?: string;
	readonly requests?: Requests;
	readonly outcome?: string;
	/** Virtual seconds. */
	readonly seconds?: number;
	/** Microseconds of CPU, for each of the row's sizes or numbers of players. */
	readonly micros?: ReadonlyArray<number>;
	/** Stands in place of a figure: why there is none. */
	readonly text?: string;
}

/** A row of the cost table. */
export interface Row {
	readonly id: string;
	readonly part: "requests" | "waits" | "cpu";
	readonly title: string;
	/** What the figures of its cells are for, in their order. */
	readonly points?: ReadonlyArray<string>;
}
