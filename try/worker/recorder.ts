import type { CaseInfo } from "../../tools/story/case.ts";
import type { Recording } from "../../tools/story/recording.ts";
import type { RecordRequest, WorkerMessage } from "./messages.ts";

/** A case takes a second or so; a phone may need ten times that. */
const LIMIT_SECONDS = 60;

interface Pending {
	readonly resolve: (recording: Recording) => void;
	readonly reject: (problem: Error) => void;
}

/** The worker with the Luau VM, which plays one case after the other. */
export class Recorder {
	/** The cases that the place holds, once the VM runs. */
	public readonly cases: Promise<ReadonlyArray<CaseInfo>>;
	private readonly worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
	private readonly pending: Array<Pending> = [];

	public constructor() {
		this.cases = new Promise((resolve, reject) => {
			const fail = (problem: string): void => {
				reject(new Error(problem));
				for (const each of this.pending.splice(0)) each.reject(new Error(problem));
			};
			this.worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
				if (data.type === "cases") resolve(data.cases);
				else if (data.type === "recorded") this.pending.shift()?.resolve(data.recording);
				else if (data.type === "unrecorded") this.pending.shift()?.reject(new Error(data.problem));
				else if (data.type === "crashed") fail(data.problem);
				else if (data.type === "log") console.info(data.text);
			});
			this.worker.addEventListener("error", (event) => {
				fail(event.message);
			});
		});
	}

	/** Plays a case in virtual time. Rejects where it cannot be played. */
	public record(request: RecordRequest): Promise<Recording> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => {
				reject(new Error(`The case has not ended within ${LIMIT_SECONDS} s. Reload the page to try again.`));
			}, LIMIT_SECONDS * 1000);
			this.pending.push({
				resolve: (recording) => {
					clearTimeout(timer);
					resolve(recording);
				},
				reject: (problem) => {
					clearTimeout(timer);
					reject(problem);
				},
			});
			this.worker.postMessage(request);
		});
	}
}
