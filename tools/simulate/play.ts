import type { SeedReport } from "../host/protocol.ts";
import { startWorker } from "../host/startWorker.ts";

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
	const lists = await Promise.all(Array.from({ length: options.workers }, () => work(place, options)));
	return lists[0] ?? [];
}

function work(place: string, options: SearchOptions): Promise<ReadonlyArray<string>> {
	return new Promise((resolve, reject) => {
		let current: number | undefined;
		let isEnded = false;
		let names: ReadonlyArray<string> = [];
		const fail = (message: string): void => {
			reject(new Error(`seed ${current ?? "(none)"}: ${message}`));
		};
		startWorker(
			{
				places: [place],
				program: "simulate",
				argument: {
					hash: options.hash === true ? "yes" : "",
					trace: options.trace === true ? "yes" : "",
					shrinkSeconds: String(options.shrinkSeconds),
				},
			},
			{
				onEvent: (event) => {
					if (event.type === "log") options.onLog(event.text);
					else if (event.type === "rareStates") names = event.names;
					else if (event.type === "game") options.onReport(event.report);
					else if (event.type === "end") isEnded = true;
				},
				onNext: () => {
					current = options.next();
					return current === undefined ? "" : String(current);
				},
				onCrash: fail,
				onExit: () => {
					if (isEnded) resolve(names);
					else fail("the Luau VM's thread ended without a result");
				},
			},
		);
	});
}
