import { LatencyProfileName } from "../test/cloud/latency";
import { handoffRows } from "../test/story/handoff";
import { baton } from "./baton";
import { Cell, Row } from "./cell";
import { CpuClock, cpuRows, measureCpu } from "./cpu";
import { Library } from "./library";
import { peers } from "./peers";
import { Boot } from "./peers/openPeer";
import { countRequests, requestRows } from "./requests";
import { measureWait, waitRows } from "./waits";

/** Every row of the table, in its order. */
export const rows: ReadonlyArray<Row> = [
	...requestRows.map(({ id, part, title }) => ({ id, part, title })),
	...waitRows,
	...cpuRows,
];

/** The columns of the table. */
export const libraryNames: ReadonlyArray<string> = ["Baton", "ProfileStore", "Lapis"];

/** What to play, and with what. */
export interface PlayOptions {
	readonly part: Row["part"];
	readonly profile: LatencyProfileName;
	readonly seed: number;
	readonly boot: Boot;
	readonly cpuClock: CpuClock;
}

/** Plays a part of the benchmark and hands each figure to `emit`. */
export function play({ part, profile, seed, boot, cpuClock }: PlayOptions, emit: (cell: Cell) => void): void {
	const libraries: ReadonlyArray<Library> = [baton, ...peers(boot)];
	for (const library of libraries) {
		if (part === "cpu") measureCpu(library, cpuClock, emit);
		else if (part === "requests") for (const row of requestRows) emit(countRequests(row, library, seed));
		else for (const row of handoffRows) emit(measureWait(row, library, profile, seed));
	}
}
