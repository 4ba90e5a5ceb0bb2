import type { SeedReport } from "../host/protocol.ts";
import { workOn } from "./work.ts";

export interface SearchOptions {
	readonly workers: number;
	/** The next seed; undefined when there are no more. */
	readonly next: () => number | undefined;
	/** Real seconds for shortening what goes wrong in a failing game. */
	readonly shrinkSeconds: number;
	/** Whether each game's trace is hashed, and printed. */
	readonly hash?: boolean;
	readonly trace?: boolean;
	readonly onReport: (report: SeedReport) => void;
	readonly onLog: (text: string) => void;
}

/** Plays seeds on several workers until there are no more. Returns the states that the search has to come by. */
export async function search(place: string, options: SearchOptions): Promise<ReadonlyArray<string>> {
	let names: ReadonlyArray<string> = [];
	await workOn(options.workers, {
		place,
		program: "simulate",
		argument: {
			hash: options.hash === true ? "yes" : "",
			trace: options.trace === true ? "yes" : "",
			shrinkSeconds: String(options.shrinkSeconds),
		},
		next: () => options.next()?.toString(),
		onEvent: (event) => {
			if (event.type === "log") options.onLog(event.text);
			else if (event.type === "rareStates") names = event.names;
			else if (event.type === "game") options.onReport(event.report);
		},
	});
	return names;
}
