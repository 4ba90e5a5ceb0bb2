import { runLuauProgram } from "../host/runProgram.ts";
import type { Bench, BenchCell } from "./cell.ts";

export interface BenchOptions {
	readonly seed: number;
	readonly onProgress: (text: string) => void;
	readonly onLog: (text: string) => void;
}

/** The parts, each with the latency profile it is played in; each gets a VM of its own. */
const PARTS = [
	{ part: "requests", profile: "live" },
	{ part: "waits", profile: "fast" },
	{ part: "waits", profile: "live" },
] as const;

async function playPart(place: string, part: { part: string; profile: string }, options: BenchOptions): Promise<Bench> {
	let head: Pick<Bench, "rows" | "libraries"> = { rows: [], libraries: [] };
	const cells: Array<BenchCell> = [];
	await runLuauProgram(
		{ places: [place], program: "bench", argument: { ...part, seed: String(options.seed) } },
		{
			limitSeconds: 1200,
			onEvent: (event) => {
				if (event.type === "log") options.onLog(event.text);
				else if (event.type === "benchTable") head = { rows: event.rows, libraries: event.libraries };
				else if (event.type === "benchCell") {
					cells.push(event.cell);
					options.onProgress(`${event.cell.library}, ${event.cell.row}`);
				}
			},
		},
	);
	return { ...head, cells };
}

/** CPU figures, which are of this machine; play them alone. */
export async function playCpu(place: string, options: BenchOptions): Promise<Bench> {
	return playPart(place, { part: "cpu", profile: "fast" }, options);
}

/** Counts and waits, which are the same on every machine. */
export async function playBench(place: string, options: BenchOptions): Promise<Bench> {
	const [requests, ...waits] = await Promise.all(PARTS.map((part) => playPart(place, part, options)));
	return { ...requests!, cells: [requests!, ...waits].flatMap(({ cells }) => cells) };
}
