import type { HostEvent, WorkerInput } from "./protocol.ts";
import { startWorker } from "./startWorker.ts";

/**
 * Runs a Luau program of the host in a worker. Resolves when it has ended well; rejects when it throws, exits without a
 * result or takes longer than the limit.
 */
export function runLuauProgram(
	input: WorkerInput,
	options: { limitSeconds?: number; onEvent?: (event: HostEvent) => void } = {},
): Promise<void> {
	const limitSeconds = options.limitSeconds ?? 120;
	return new Promise((resolve, reject) => {
		let isEnded = false;
		const settle = (failure?: string): void => {
			clearTimeout(timer);
			if (failure === undefined) resolve();
			else reject(new Error(failure));
		};
		const worker = startWorker(input, {
			onEvent: (event) => {
				if (event.type === "end") isEnded = true;
				options.onEvent?.(event);
			},
			onNext: () => "",
			onCrash: settle,
			onExit: () => {
				settle(isEnded ? undefined : "the Luau VM's thread ended without a result");
			},
		});
		const timer = setTimeout(() => {
			settle(`${input.program} has not ended within ${limitSeconds} s of real time: an endless loop?`);
			void worker.terminate();
		}, limitSeconds * 1000);
	});
}
