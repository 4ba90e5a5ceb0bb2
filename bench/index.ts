import { LatencyProfileName } from "../test/cloud/latency";
import { handoffRows } from "../test/story/handoff";
import { baton } from "./baton";
import { Cell, Row } from "./cell";
import { Library } from "./library";
import { countRequests, requestRows } from "./requests";
import { measureWait, waitRows } from "./waits";

/** Every row of the table, in its order. */
export const rows: ReadonlyArray<Row> = [
	...requestRows.map(({ id, part, title }) => ({ id, part, title })),
	...waitRows,
];

const libraries: ReadonlyArray<Library> = [baton];

/** The columns of the table. */
export const libraryNames: ReadonlyArray<string> = libraries.map(({ name }) => name);

/** Plays a part of the benchmark, `requests` or `waits`, and hands each figure to `emit`. */
export function play(part: Row["part"], profile: LatencyProfileName, seed: number, emit: (cell: Cell) => void): void {
	for (const library of libraries) {
		if (part === "requests") for (const row of requestRows) emit(countRequests(row, library, seed));
		else for (const row of handoffRows) emit(measureWait(row, library, profile, seed));
	}
}
