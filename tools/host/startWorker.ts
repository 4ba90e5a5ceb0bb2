import { Worker } from "node:worker_threads";
import type { FromWorker, HostEvent, ToWorker, WorkerInput } from "./protocol.ts";

export interface WorkerHandle {
	/** Ends the worker whatever it is doing: the only way out of an endless loop in Luau. */
	terminate(): Promise<unknown>;
}

export interface WorkerListener {
	onEvent(event: HostEvent): void;
	/** The next spec module, "" for none. */
	onNext(): string;
	onCrash(message: string): void;
	/** After all else, also after a crash. */
	onExit(): void;
}

/** Starts a worker thread with a Luau VM of its own. */
export function startWorker(input: WorkerInput, listener: WorkerListener): WorkerHandle {
	const worker = new Worker(new URL("./worker.mjs", import.meta.url), {
		workerData: input,
		resourceLimits: { stackSizeMb: 4 },
	});
	worker.on("message", (message: FromWorker) => {
		if (message.type === "event") listener.onEvent(message.event);
		else if (message.type === "next") worker.postMessage({ next: listener.onNext() } satisfies ToWorker);
		else if (message.type === "crashed") listener.onCrash(message.message);
	});
	worker.on("error", (error) => {
		listener.onCrash(error instanceof Error ? (error.stack ?? error.message) : String(error));
	});
	worker.on("exit", () => {
		listener.onExit();
	});
	return { terminate: () => worker.terminate() };
}
