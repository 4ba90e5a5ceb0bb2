import { Fault, FaultHandle, FaultPoint } from "../cloud/faults";
import { SeededRandom } from "../cloud/random";
import { Switches } from "../cloud/switches";
import { World } from "../cloud/world";
import { MARKER_STORE } from "../../src/transaction/markerStore";

import { Injections } from "./injections";

/** How the keys of journals begin. */
export const JOURNALS = "CKTxn_";

/** How much goes wrong: nothing at all, single calls, or anything for a while. */
export type Mood = "calm" | "windy" | "stormy";

/** What may happen to the calls of a simulated world. */
export interface Weather {
	readonly mood: Mood;
	readonly faults: ReadonlyArray<{ readonly name: string; readonly handle: FaultHandle }>;
}

const seconds = (random: SeededRandom, most: number): number => {
	const roll = random.fraction();
	return 0.05 + most * roll * roll * roll;
};

/** The faults that can be drawn, each made anew with its own strength. */
const kinds: ReadonlyArray<(random: SeededRandom) => Fault> = [
	() => ({ service: "DataStore", op: "UpdateAsync", effect: "failBefore" }),
	() => ({ service: "DataStore", op: "UpdateAsync", effect: "loseAnswer" }),
	() => ({ service: "DataStore", op: "UpdateAsync", effect: "loseAnswer", durableOnly: true }),
	(random) => ({ service: "DataStore", op: "UpdateAsync", effect: "landLate", seconds: seconds(random, 90) }),
	(random) => ({
		service: "DataStore",
		op: "UpdateAsync",
		effect: "landLate",
		durableOnly: true,
		seconds: seconds(random, 90),
	}),
	(random) => ({ service: "DataStore", op: "UpdateAsync", effect: "duplicate", seconds: seconds(random, 60) }),
	(random) => ({ service: "DataStore", op: "UpdateAsync", effect: "conflict", times: random.integer(1, 3) }),
	(random) => ({ service: "DataStore", op: "UpdateAsync", effect: "rerun", times: random.integer(1, 3) }),
	() => ({ service: "DataStore", op: "UpdateAsync", effect: "loseCommit" }),
	() => ({ service: "DataStore", op: "UpdateAsync", effect: "throttle" }),
	(random) => ({ service: "DataStore", op: "UpdateAsync", effect: "hang", lands: random.chance(0.5) }),
	(random) => ({
		service: "DataStore",
		op: "UpdateAsync",
		effect: "delay",
		stage: random.chance(0.5) ? "arrive" : "respond",
		seconds: seconds(random, 60),
	}),
	(random) => ({
		service: "DataStore",
		op: "UpdateAsync",
		effect: "delay",
		stage: "apply",
		durableOnly: true,
		seconds: seconds(random, 60),
	}),
	(random) => ({ service: "DataStore", effect: "crashBefore", durableOnly: true, nth: random.integer(1, 60) }),
	(random) => ({ service: "DataStore", effect: "crashAfter", durableOnly: true, nth: random.integer(1, 60) }),
	() => ({ service: "DataStore", op: "GetAsync", effect: "failBefore" }),
	() => ({ service: "DataStore", op: "RemoveAsync", effect: "loseAnswer" }),
	(random) => ({ service: "DataStore", op: "RemoveAsync", effect: "duplicate", seconds: seconds(random, 60) }),
	() => ({ service: "DataStore", op: "UpdateAsync", store: MARKER_STORE, effect: "failBefore" }),
	() => ({ service: "DataStore", op: "UpdateAsync", store: MARKER_STORE, effect: "loseAnswer" }),
	(random) => ({
		service: "DataStore",
		op: "UpdateAsync",
		store: MARKER_STORE,
		effect: "landLate",
		seconds: seconds(random, 120),
	}),
	(random) => ({
		service: "DataStore",
		op: "UpdateAsync",
		effect: "delay",
		stage: "apply",
		durableOnly: true,
		seconds: random.between(8, 40),
	}),
	() => ({ service: "DataStore", op: "UpdateAsync", keyPrefix: JOURNALS, effect: "failBefore" }),
	() => ({ service: "DataStore", op: "UpdateAsync", keyPrefix: JOURNALS, effect: "loseAnswer", durableOnly: true }),
	(random) => ({
		service: "DataStore",
		op: "UpdateAsync",
		keyPrefix: JOURNALS,
		effect: "landLate",
		seconds: seconds(random, 120),
	}),
	(random) => ({
		service: "DataStore",
		op: "UpdateAsync",
		keyPrefix: JOURNALS,
		effect: "delay",
		stage: random.chance(0.5) ? "apply" : "respond",
		seconds: random.between(5, 60),
	}),
	() => ({ service: "Messaging", op: "PublishAsync", effect: "failBefore" }),
	() => ({ service: "Messaging", op: "PublishAsync", effect: "loseAnswer" }),
	() => ({ service: "Messaging", op: "SubscribeAsync", effect: "failBefore" }),
	() => ({ service: "Messaging", op: "SubscribeAsync", effect: "hang" }),
	() => ({ service: "Messaging", op: "Deliver", effect: "drop" }),
	(random) => ({ service: "Messaging", op: "Deliver", effect: "duplicate", seconds: seconds(random, 600) }),
	(random) => ({ service: "Messaging", op: "Deliver", effect: "delay", seconds: seconds(random, 600) }),
	() => ({ service: "MemoryStore", effect: "failBefore" }),
	() => ({ service: "MemoryStore", op: "SetAsync", effect: "failBefore" }),
	() => ({ service: "MemoryStore", op: "SetAsync", effect: "loseAnswer" }),
	(random) => ({ service: "MemoryStore", op: "SetAsync", effect: "landLate", seconds: seconds(random, 30) }),
	() => ({ service: "MemoryStore", op: "GetAsync", effect: "failBefore" }),
	(random) => ({ service: "MemoryStore", effect: "delay", seconds: seconds(random, 15) }),
	() => ({ service: "MemoryStore", effect: "hang" }),
	() => ({ service: "MemoryStore", effect: "throttle" }),
];

/** What may go wrong with a share of all calls in a rich game: each game draws every share, a third of them none. */
const shares: ReadonlyArray<readonly [most: number, fault: (random: SeededRandom) => Fault]> = [
	[0.3, () => ({ service: "Messaging", op: "Deliver", effect: "drop" })],
	[0.5, (random) => ({ service: "Messaging", op: "Deliver", effect: "duplicate", seconds: random.between(0, 600) })],
	[0.3, (random) => ({ service: "Messaging", op: "Deliver", effect: "delay", seconds: random.between(0, 600) })],
	[0.3, () => ({ service: "DataStore", op: "UpdateAsync", effect: "failBefore" })],
	[0.3, () => ({ service: "DataStore", op: "UpdateAsync", effect: "loseAnswer" })],
];

/** Puts the faults of a seed in force, over a run of so many seconds. */
export function makeWeather(
	world: World,
	random: SeededRandom,
	duration: number,
	injections: Injections,
	isRich: boolean,
): Weather {
	const roll = random.fraction();
	const mood: Mood = roll < 0.15 ? "calm" : roll < 0.6 ? "windy" : "stormy";
	const faults = new Array<{ readonly name: string; readonly handle: FaultHandle }>();
	const add = (source: string, fault: Fault): void => {
		const name = `${fault.service}.${fault.op ?? "any"} ${fault.effect}`;
		const decides = (point: FaultPoint) =>
			injections.happens(source, `${name} for ${point.server}, ${point.store} ${point.key}`);
		faults.push({ name, handle: world.faults.add({ ...fault, decides }) });
	};
	const count = mood === "calm" ? 0 : mood === "windy" ? random.integer(1, 4) : random.integer(4, 12);
	for (let index = 0; index < count; index++) {
		const drawn = kinds[random.integer(0, kinds.size() - 1)](random);
		const strength = random.fraction();
		const isCrash = drawn.effect === "crashBefore" || drawn.effect === "crashAfter";
		const always = random.chance(0.25);
		const from = random.between(0, duration * 0.7);
		const fault: Fault = {
			...drawn,
			chance: isCrash ? undefined : always ? 1 : mood === "windy" ? strength * 0.2 : strength * 0.7,
			from: !always && random.chance(0.4) ? 0 : from,
			until: always ? from + seconds(random, 120) : random.chance(0.5) ? duration : from + random.between(5, 90),
			server: random.chance(0.4) ? { name: `S${random.integer(1, 4)}` } : undefined,
		};
		add(`W${index + 1}`, fault);
	}
	if (isRich && mood !== "calm") {
		shares.forEach(([most, fault], index) => {
			const share = random.chance(1 / 3) ? 0 : random.between(0, most);
			if (share > 0) add(`R${index + 1}`, { ...fault(random), chance: share });
		});
	}
	return { mood, faults };
}

/** How the platform of a seed behaves where Roblox does not say. */
export function drawSwitches(random: SeededRandom): Partial<Switches> {
	return {
		memorySetTellsCreation: !random.chance(0.2),
		deferredSignals: random.chance(0.4),
		frames: random.chance(0.7),
		selfDelivery: random.chance(0.7),
		// Budgets that run dry.
		startupBurst: random.chance(0.7) ? 100 : 0,
		budgetRules: random.chance(0.85) ? "current" : "former",
		teardownSeconds: random.chance(0.3) ? 3 : 0,
		shutdownError: random.chance(0.5) ? "dataModel" : "webService",
	};
}
