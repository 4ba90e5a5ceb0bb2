import type { PlaceInstance } from "../host/place.ts";

/** What the page runs of the test place: the package, the emulated cloud, the story, and what they import. */
const KEPT = [
	["ServerScriptService", "Baton", "src"],
	["ServerScriptService", "Baton", "test", "cloud"],
	["ServerScriptService", "Baton", "test", "story"],
	["ReplicatedStorage", "include", "RuntimeLib"],
	["ReplicatedStorage", "include", "Promise"],
	["ReplicatedStorage", "include", "node_modules", "@rbxts", "services"],
	["ReplicatedStorage", "include", "node_modules", "@rbxts", "t"],
];

/** The place without specs, benchmarks and other libraries: a quarter of its size. */
export function pagePlace(place: ReadonlyArray<PlaceInstance>): Array<PlaceInstance> {
	const paths: Array<Array<string>> = [];
	const positions = new Map<number, number>([[-1, -1]]);
	const kept: Array<PlaceInstance> = [];
	for (const [index, instance] of place.entries()) {
		const path = [...(paths[instance.parent] ?? []), instance.name];
		paths.push(path);
		// Whatever is kept, above it, or below it.
		if (!KEPT.some((each) => each.slice(0, path.length).every((name, depth) => name === path[depth]))) continue;
		positions.set(index, kept.length);
		kept.push({ ...instance, parent: positions.get(instance.parent)! });
	}
	return kept;
}
