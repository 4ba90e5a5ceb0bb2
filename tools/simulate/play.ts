import type { SeedReport } from "../host/protocol.ts";
import { startWorker } from "../host/startWorker.ts";

export interface SearchOptions {
	readonly workers: number;
	/** The next seed; undefined when there are no more. */
	readonly next: () => number | undefined;
	readonly onReport: (report: SeedReport) => void;
	readonly trace?: boolean;
	readonly onLog: (text: string) => void;
}

/** Plays seeds on several workers until there are no more. */
export async function search(place: string, options: SearchOptions): Promise<void> {
	await Promise.all(Array.from({ length: options.workers }, () => work(place, options)));
}

function work(place: string, options: SearchOptions): Promise<void> {
	return new Promise((resolve, reject) => {
		let current: number | undefined;
		let isEnded = false;
		startWorker(
			{ places: [place], program: "simulate", argument: { trace: options.trace === true ? "yes" : "" } },
			{
				onEvent: (event) => {
					if (event.type === "log") options.onLog(event.text);
					else if (event.type === "game") options.onReport(event.report);
					else if (event.type === "end") isEnded = true;
				},
				onNext: () => {
					current = options.next();
					return current === undefined ? "" : String(current);
				},
				onCrash: (message) => {
					reject(new Error(`seed ${current ?? "(none)"}: ${message}`));
				},
				onExit: () => {
					if (isEnded) resolve();
					else reject(new Error(`seed ${current ?? "(none)"}: the Luau VM's thread ended without a result`));
				},
			},
		);
	});
}
