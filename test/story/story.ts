import { LatencyProfileName } from "../cloud/latency";
import { describeCall, TraceCall } from "../cloud/trace";
import { World } from "../cloud/world";
import { readMishaps, ThrownMishap, throwIn } from "./mishaps";
import { Recorded, Recorder } from "./recorder";

/**
 * How a case ended. `stale`: in, with older data; `stolen`: in, with the lock of a server that lives; `refused`: something
 * else did not hold.
 */
export type Outcome =
	| "joined"
	| "kicked"
	| "kept"
	| "committed"
	| "cancelled"
	| "aborted"
	| "unknown"
	| "duplicate"
	| "refused"
	| "stale"
	| "stolen";

/** What a case is to show. Seconds of waiting; both latency profiles must keep to them. */
export interface Promised {
	readonly outcome: Outcome;
	readonly minSeconds?: number;
	readonly maxSeconds?: number;
	/** A tighter bound for the latency profile `fast`, where calls take next to no time. */
	readonly fastMaxSeconds?: number;
}

/** What was measured. */
export interface Measured {
	readonly outcome: Outcome;
	/** Virtual seconds from the join, or the call, to its answer. */
	readonly waitSeconds: number;
	/** Applied `UpdateAsync` and `SetAsync` calls of the operation. */
	readonly durableWrites: number;
	/** Applied removes. */
	readonly removes: number;
	/** How many of the writes and removes came one after the other. */
	readonly rounds: number;
	/** Messages published. */
	readonly messages: number;
	/** Calls of the presence map. */
	readonly presenceOps: number;
}

/** Something that happened, for the case's timeline. */
export interface Moment {
	readonly at: number;
	readonly server: string;
	readonly text: string;
}

/** A case played once. */
export interface Played {
	readonly measured: Measured;
	readonly timeline: ReadonlyArray<Moment>;
}

/** A case played once, as a viewer plays it back. Times are virtual seconds. */
export interface Recording extends Recorded {
	readonly timeline: ReadonlyArray<Moment>;
	readonly mishaps: ReadonlyArray<ThrownMishap>;
	/** Not there where the case did not get to its end. */
	readonly measured?: Measured;
	/** When the operation began, and when it ended if that was before the case did. */
	readonly since?: number;
	readonly upTo?: number;
	/** The error that ended the case early. */
	readonly failure?: string;
}

/** One row of the story. */
export interface StoryCase {
	readonly id: string;
	readonly group: string;
	readonly title: string;
	readonly promised: Promised;
	readonly run: (profile: LatencyProfileName, seed: number) => Played;
	/** The same with everything that a viewer needs, and with mishaps thrown in: see {@link readMishaps}. */
	readonly record: (profile: LatencyProfileName, seed: number, mishaps: string) => Recording;
}

/** How a case's operation went; what it cost is read off the trace from `since` on. */
export interface Ending {
	readonly outcome: Outcome;
	readonly waitSeconds: number;
	/** Virtual second at which the operation began. */
	readonly since: number;
	/** Virtual second at which it ended; what came later is not counted. Default: the end of the case. */
	readonly upTo?: number;
}

/** A case that runs `body` in a world of its own. */
export function storyCase(
	id: string,
	group: string,
	title: string,
	promised: Promised,
	body: (world: World) => Ending,
): StoryCase {
	return {
		id,
		group,
		title,
		promised,
		run: (profile, seed) => {
			const world = new World({ profile, seed });
			return { measured: measuredOf(world, endingOf(world, body)), timeline: timelineOf(world) };
		},
		record: (profile, seed, mishaps) => {
			const world = new World({ profile, seed });
			const recorder = new Recorder(world);
			const thrown = throwIn(world, readMishaps(mishaps));
			let ending: Ending | undefined;
			const [fine, cause] = pcall(() => endingOf(world, body, (reached) => (ending = reached)));
			return {
				...recorder.recorded(),
				timeline: timelineOf(world),
				mishaps: thrown(),
				measured: ending && measuredOf(world, ending),
				since: ending?.since,
				upTo: ending?.upTo,
				failure: fine ? undefined : tostring(cause),
			};
		},
	};
}

/** Plays `body`; `onEnd` hears its ending even where an error in a server's thread fails the run. */
function endingOf(world: World, body: (world: World) => Ending, onEnd?: (ending: Ending) => void): Ending {
	let ending: Ending | undefined;
	world.run(() => {
		ending = body(world);
		onEnd?.(ending);
	});
	return ending!;
}

function measuredOf(world: World, { outcome, waitSeconds, since, upTo }: Ending): Measured {
	const during = { since, upTo };
	return {
		outcome,
		waitSeconds,
		durableWrites: world.trace.durableWrites(during),
		removes: world.trace.removes(during),
		rounds: roundsOf(world.trace.select({ service: "DataStore", wrote: true, ...during })),
		messages: world.trace.count({ service: "Messaging", op: "PublishAsync", ...during }),
		presenceOps: world.trace.count({ service: "MemoryStore", ...during }),
	};
}

/** Writes that were under way at the same time are one round; one sent after another was applied starts the next. */
export function roundsOf(calls: ReadonlyArray<TraceCall>): number {
	let rounds = 0;
	let firstApplied = -1;
	for (const call of calls) {
		const applied = call.appliedAt ?? call.at;
		if (call.at >= firstApplied) {
			rounds += 1;
			firstApplied = applied;
		} else {
			firstApplied = math.min(firstApplied, applied);
		}
	}
	return rounds;
}

function timelineOf(world: World): ReadonlyArray<Moment> {
	const moments = new Array<Moment & { readonly order: number }>();
	for (const { at, server, text } of world.trace.events) moments.push({ at, server, text, order: moments.size() });
	for (const call of world.trace.calls) {
		moments.push({ at: call.at, server: call.server, text: describeCall(call), order: moments.size() });
	}
	moments.sort((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
	return moments.map(({ at, server, text }) => ({ at, server, text }));
}
