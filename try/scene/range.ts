import type { Recording } from "../../tools/story/recording.ts";

/** Which part of a recording is shown, in virtual seconds. */
export interface Range {
	readonly start: number;
	readonly end: number;
}

/** From `lead` seconds before the operation, or before the first mishap if that is earlier, to the end. */
export function rangeOf({ since, mishaps, endsAt }: Recording, lead: number): Range {
	const first = Math.min(since ?? Infinity, endsAt, ...mishaps.map(({ at }) => at));
	return { start: Math.max(0, first - lead), end: endsAt };
}
