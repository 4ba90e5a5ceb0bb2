import { caseOf } from "./cases.ts";
import { isSpeed, type Speed } from "./playback/speeds.ts";

export type Latency = "fast" | "live";

/** What the address holds: a link shows the same thing. */
export interface Address {
	readonly case: string;
	readonly seed: number;
	readonly speed: Speed;
	readonly latency: Latency;
	/** Mishaps as test/story/mishaps.ts reads them: `lose@21.5`. */
	readonly mishaps: ReadonlyArray<string>;
}

/** Whether a case can be played with this seed. */
export function isSeed(seed: number): boolean {
	return Number.isSafeInteger(seed) && seed >= 0 && seed < 2 ** 31;
}

/** Reads the query of an address; what is missing or means nothing gets its default. */
export function readAddress(query: string): Address {
	const params = new URLSearchParams(query);
	const shown = caseOf(params.get("case"));
	const seed = Number(params.get("seed") ?? "1");
	const speed = Number(params.get("speed") ?? "");
	return {
		case: shown.id,
		seed: isSeed(seed) ? seed : 1,
		speed: isSpeed(speed) ? speed : shown.speed,
		latency: params.get("latency") === "fast" ? "fast" : "live",
		mishaps: (params.get("mishaps") ?? "").split(",").filter((mishap) => mishap !== ""),
	};
}

/** The query that {@link readAddress} reads back. */
export function writeAddress({ case: id, seed, speed, latency, mishaps }: Address): string {
	const params = [`case=${id}`, `seed=${seed}`, `speed=${speed}`, `latency=${latency}`];
	if (mishaps.length > 0) params.push(`mishaps=${mishaps.map((mishap) => encodeURIComponent(mishap)).join(",")}`);
	return `?${params.join("&")}`;
}
