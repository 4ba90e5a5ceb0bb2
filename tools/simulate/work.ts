import type { HostEvent } from "../host/protocol.ts";
import { startWorker } from "../host/startWorker.ts";

export interface Work {
	readonly place: string;
	/** The Luau program that does it, and what it is told. */
	readonly program: string;
	readonly argument: Readonly<Record<string, string>>;
	/** The next piece of it, as text; undefined when there is no more. */
	readonly next: () => string | undefined;
	readonly onEvent: (event: HostEvent) => void;
}

/** Lets several workers do pieces of work until there are no more. */
export async function workOn(workers: number, work: Work): Promise<void> {
	await Promise.all(Array.from({ length: workers }, () => workAlone(work)));
}

function workAlone({ place, program, argument, next, onEvent }: Work): Promise<void> {
	return new Promise((resolve, reject) => {
		let current: string | undefined;
		let isEnded = false;
		const fail = (message: string): void => {
			reject(new Error(`${program} ${current ?? "(none)"}: ${message}`));
		};
		startWorker(
			{ places: [place], program, argument },
			{
				onEvent: (event) => {
					if (event.type === "end") isEnded = true;
					else onEvent(event);
				},
				onNext: () => {
					current = next();
					return current ?? "";
				},
				onCrash: fail,
				onExit: () => {
					if (isEnded) resolve();
					else fail("the Luau VM's thread ended without a result");
				},
			},
		);
	});
}
