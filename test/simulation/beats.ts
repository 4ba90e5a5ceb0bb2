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

/** How long a server may wait for the answer of a read of presence before it goes on without. */
const PATIENCE_SECONDS = 1.2;
/** How long before it takes a lock a server has asked for its holder's presence. */
const ASKED_SECONDS = 45;

/** Whether a server has lately asked in vain whether another one beats. */
export function cannotTell(world: World, asker: string | undefined, jobId: string): boolean {
	const now = world.now();
	return world.trace.calls.some(({ service, op, key, server, at, answeredAt, outcome }) => {
		if (service !== "MemoryStore" || op !== "GetAsync" || key !== jobId || server !== asker) return false;
		const isLate = (answeredAt ?? math.huge) - at > PATIENCE_SECONDS;
		return at >= now - ASKED_SECONDS && (outcome === "failed" || isLate);
	});
}

/** When the update of a record was sent that a server has made right now. */
export function takenSince(world: World, key: string, writer: string | undefined): number {
	const now = world.now();
	const { calls } = world.trace;
	for (let index = calls.size() - 1; index >= 0; index--) {
		const call = calls[index];
		if (call.service !== "DataStore" || call.key !== key || call.server !== writer) continue;
		if (call.op === "UpdateAsync" && call.appliedAt === now) return call.at;
	}
	return now;
}
