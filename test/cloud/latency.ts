import { SeededRandom } from "./random";

/** The services of the cloud. */
export type ServiceName = "DataStore" | "Messaging" | "MemoryStore" | "Http";

/** Shortest and longest, in seconds. */
export type LatencyRange = readonly [low: number, high: number];

/** How long calls take: from the call to its answer, per service; `delivery` is from a message's apply to a subscriber. */
export interface LatencyProfile {
	readonly DataStore: LatencyRange;
	readonly Messaging: LatencyRange;
	readonly MemoryStore: LatencyRange;
	readonly Http: LatencyRange;
	readonly delivery: LatencyRange;
}

export type LatencyProfileName = "fast" | "live";

/** The two latency profiles. `live` follows what is seen on Roblox; `fast` keeps every call well under 0.3 s. */
export const latencyProfiles: Record<LatencyProfileName, LatencyProfile> = {
	fast: {
		DataStore: [0.03, 0.08],
		Messaging: [0.02, 0.05],
		MemoryStore: [0.01, 0.03],
		Http: [0.02, 0.05],
		delivery: [0.05, 0.1],
	},
	live: {
		DataStore: [0.1, 0.5],
		Messaging: [0.05, 0.2],
		MemoryStore: [0.03, 0.15],
		Http: [0.05, 0.2],
		delivery: [1, 2],
	},
};

/** A call's three ways: until it arrives at the service, until it is applied, until its answer is back. */
export interface Legs {
	readonly arrive: number;
	readonly apply: number;
	readonly respond: number;
}

/** Draws the legs of one call. */
export function drawLegs(profile: LatencyProfile, service: ServiceName, random: SeededRandom): Legs {
	const [low, high] = profile[service];
	const total = random.between(low, high);
	return { arrive: total * 0.4, apply: total * 0.2, respond: total * 0.4 };
}
