import type { CaseInfo } from "../../tools/story/case.ts";
import type { Recording } from "../../tools/story/recording.ts";

/** What the page asks its worker to play. */
export interface RecordRequest {
	readonly case: string;
	readonly seed: number;
	readonly profile: string;
	/** Separated by commas. */
	readonly mishaps: string;
}

/** What the worker tells; the first five are what tools/host/luau/record.luau emits. */
export type WorkerMessage =
	| { readonly type: "cases"; readonly cases: Array<CaseInfo> }
	| { readonly type: "recorded"; readonly recording: Recording }
	| { readonly type: "unrecorded"; readonly problem: string }
	| { readonly type: "log"; readonly text: string }
	| { readonly type: "end" }
	| { readonly type: "crashed"; readonly problem: string };
