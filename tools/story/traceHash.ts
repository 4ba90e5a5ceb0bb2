import type { TimelineEntry } from "./case.ts";

/** 32-bit FNV-1a over UTF-16 code units. */
function fnv(text: string, basis: number): string {
	let hash = basis;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	}
	return (hash >>> 0).toString(16).padStart(8, "0");
}

/** A short name for everything that happened in a case: equal timelines have the same one. */
export function traceHash(timeline: ReadonlyArray<TimelineEntry>): string {
	const text = timeline.map((entry) => `${entry.at.toFixed(6)} ${entry.server} ${entry.text}`).join("\n");
	return fnv(text, 0x811c9dc5) + fnv(text, 0x9e3779b9);
}
