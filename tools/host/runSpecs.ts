import { type HostEvent, type SpecResult } from "./protocol.ts";
import { type WorkerHandle, startWorker } from "./startWorker.ts";

export interface SpecFailure {
	/** The spec module's path in the place. */
	readonly path: string;
	/** The spec's full name. */
	readonly name: string;
	readonly message: string;
	readonly trace: string;
}

export interface SpecRun {
	readonly passed: number;
	readonly skipped: number;
	readonly failures: ReadonlyArray<SpecFailure>;
	readonly files: number;
	readonly slowest: ReadonlyArray<{ name: string; seconds: number }>;
}

export interface SpecOptions {
	readonly place: string;
	/** Which spec modules to run, by their path in the place. */
	readonly accepts?: (path: string) => boolean;
	/** Puts the spec modules into the order in which they run; as they are named, if not given. */
	readonly inOrder?: (paths: Array<string>) => Array<string>;
	/** Ends the run with the first spec that fails. */
	readonly stopsAtFailure?: boolean;
	/** Other sources for modules of the place, by their path in it. */
	readonly sources?: Readonly<Record<string, string>>;
	/** Spec modules run at once, each in a worker and VM of its own. */
	readonly workers?: number;
	/** Real seconds that a spec (or the loading of a module) may take. */
	readonly limitSeconds?: number;
	/** The Luau program to run, instead of the one that runs specs. */
	readonly program?: string;
	readonly onLog?: (text: string, isWarning: boolean) => void;
	readonly onProgress?: (done: number, total: number, path: string) => void;
}

const MODULES_PER_WORKER = 4;

/** Real seconds until a worker must have started its first module. */
const START_SECONDS = 120;

/** Runs the TestEZ specs of a place in real Luau. Never throws for a spec's sake: all that goes wrong is a failure. */
export async function runSpecs(options: SpecOptions): Promise<SpecRun> {
	const limitSeconds = options.limitSeconds ?? 120;
	const failures: Array<SpecFailure> = [];
	const slowest: Array<{ name: string; seconds: number }> = [];
	let queue: Array<string> | undefined;
	let passed = 0;
	let skipped = 0;
	let files = 0;
	let total = 0;
	let tellKnown = (): void => {};
	const known = new Promise<void>((resolve) => {
		tellKnown = resolve;
	});

	const take = (paths: Array<string>): void => {
		if (queue !== undefined) return;
		queue = paths.filter((path) => options.accepts?.(path) ?? true);
		queue = options.inOrder?.(queue) ?? queue;
		total = queue.length;
		tellKnown();
	};
	const settle = (path: string, results: ReadonlyArray<SpecResult>): void => {
		files += 1;
		if (results.length === 0) failures.push({ path, name: "(the module)", message: "it has no spec", trace: "" });
		for (const result of results) {
			if (result.status === "passed") passed += 1;
			else if (result.status === "skipped") skipped += 1;
			else {
				const { name, message = "", trace = "" } = result;
				failures.push({ path, name, message, trace });
			}
			if (result.seconds !== undefined) slowest.push({ name: result.name, seconds: result.seconds });
		}
		if (options.stopsAtFailure === true && failures.length > 0) queue = [];
		options.onProgress?.(files, total, path);
	};

	/** One worker until the queue is empty or the worker is lost. */
	const work = (): Promise<void> =>
		new Promise((resolve) => {
			let current: { path: string; name: string } | undefined;
			let ranInFile: Array<SpecResult> = [];
			let isOver = false;
			let isFinished = false;
			let timer: NodeJS.Timeout | undefined;
			const lose = (message: string): void => {
				if (isOver) return;
				isOver = true;
				clearTimeout(timer);
				const unrun = current === undefined ? "" : "; the specs after it in this file did not run";
				const lost = {
					name: current?.name ?? "(starting the place)",
					status: "failed",
					message: message + unrun,
				} as const;
				if (current === undefined) failures.push({ path: "", name: lost.name, message, trace: "" });
				else settle(current.path, [...ranInFile, lost]);
				void worker.terminate().then(() => resolve());
			};
			const halt = (): void => {
				isOver = true;
				clearTimeout(timer);
				settle(current!.path, ranInFile);
				void worker.terminate().then(() => resolve());
			};
			const arm = (seconds: number): void => {
				clearTimeout(timer);
				timer = setTimeout(() => {
					lose(`it neither ended nor failed within ${seconds} s of real time: an endless loop?`);
				}, seconds * 1000);
			};
			const hear = (event: HostEvent): void => {
				if (event.type === "log") options.onLog?.(event.text, event.warning === true);
				else if (event.type === "specs") take(event.paths);
				else if (event.type === "file") {
					current = { path: event.path, name: "(loading the module)" };
					ranInFile = [];
					arm(limitSeconds);
				} else if (event.type === "spec") {
					current = { path: event.path, name: event.name };
					arm(limitSeconds);
				} else if (event.type === "ran") {
					ranInFile.push(event.result);
					if (options.stopsAtFailure === true && event.result.status === "failed") halt();
				} else if (event.type === "done") {
					settle(event.path, event.results);
					current = undefined;
				} else if (event.type === "end") isFinished = true;
			};
			const worker: WorkerHandle = startWorker(
				{ places: [options.place], program: options.program ?? "specs", sources: options.sources },
				{
					onEvent: (event) => {
						if (!isOver) hear(event);
					},
					onNext: () => queue?.shift() ?? "",
					onCrash: (message) => {
						lose(message);
					},
					onExit: () => {
						if (isFinished && !isOver) {
							isOver = true;
							clearTimeout(timer);
							resolve();
						} else lose("the Luau VM's thread ended without a result");
					},
				},
			);
			arm(START_SECONDS);
		});

	const keepWorking = async (): Promise<void> => {
		do {
			const before = files;
			await work();
			// A worker that was lost before it took a module would be lost again.
			if (queue === undefined || files === before) break;
		} while (queue.length > 0);
	};
	const first = keepWorking();
	// The first worker tells which modules there are; few are not worth the start of another worker.
	await Promise.race([first, known]);
	const workers = Math.min(options.workers ?? 1, Math.ceil(total / MODULES_PER_WORKER));
	await Promise.all([first, ...Array.from({ length: Math.max(0, workers - 1) }, () => keepWorking())]);

	for (const path of queue ?? []) {
		failures.push({ path, name: "(the module)", message: "it was not run: no worker was left", trace: "" });
	}
	if (passed === 0 && failures.length === 0) {
		const why = total === 0 ? "no spec module was found to run" : "no spec ran";
		failures.push({ path: "", name: "(all specs)", message: why, trace: "" });
	}
	slowest.sort((a, b) => b.seconds - a.seconds);
	return { passed, skipped, failures, files, slowest: slowest.slice(0, 5) };
}
