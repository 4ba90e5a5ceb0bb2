import { World } from "../cloud/world";

/** When beats of a server reached the presence map, in virtual seconds, oldest first. */
export function beatsBetween(world: World, jobId: string, from: number, to: number): Array<number> {
	const beats = new Array<number>();
	for (const call of world.trace.calls) {
		if (call.service !== "MemoryStore" || call.op !== "SetAsync" || call.key !== jobId) continue;
		const at = call.appliedAt;
		if (at !== undefined && at >= from && at <= to) beats.push(at);
	}
	beats.sort();
	return beats;
}
