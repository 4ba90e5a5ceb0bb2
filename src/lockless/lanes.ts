import { StoredMeta } from "../record/types";

/** A day in milliseconds: how old an entry grows before anyone removes it. */
const ENTRY_MILLISECONDS = 86_400_000;

/** The part of a record's metadata that lockless writers share. */
export type Lanes = Pick<StoredMeta, "Flushed" | "FlushFloor">;

/**
 * How a writer's updates stand to what is stored: those with a number above `above` are not in the data yet; or the lane
 * starts over, for a `floor` that its first number is not above.
 */
export type LaneStanding = { readonly above: number } | { readonly floor: number };

/**
 * Which updates of a writer the record holds, `first` being its lowest unanswered number. A writer with an entry holds
 * what is up to it. One without has either never landed or was removed, and only a first number above the floor tells
 * the first from the second: everything that was ever removed is at or below it. Pure.
 */
export function laneOf({ Flushed, FlushFloor }: Lanes, writer: string, first: number | undefined): LaneStanding {
	const entry = Flushed?.[writer];
	if (entry !== undefined) return { above: entry };
	if (FlushFloor === undefined) return { above: -math.huge };
	return first !== undefined && first <= FlushFloor ? { floor: FlushFloor } : { above: FlushFloor };
}

/** What a write does to the lanes. */
export interface LaneChange {
	readonly writer: string;
	/** The writer's new entry, where the write applied updates. */
	readonly stamp?: number;
	/** Removes the writer's entry: it will write no more, and everything it sent was answered. */
	readonly closes?: boolean;
	/** The store's time in milliseconds, where there is such a time. */
	readonly now?: number;
}

/**
 * The lanes after a write. Entries of other writers that are a day old go, and the floor rises to the highest of what
 * goes, so that no flush of theirs that lands later is applied. Pure.
 *
 * An entry's age is told from the number itself: it is the store's time in milliseconds when the flush was sent.
 */
export function lanesAfter({ Flushed, FlushFloor }: Lanes, { writer, stamp, closes, now }: LaneChange): Lanes {
	const kept = new Map<string, number>();
	let floor = FlushFloor;
	for (const [name, entry] of pairs((Flushed ?? {}) as Record<string, number>)) {
		const isOld = now !== undefined && entry < now - ENTRY_MILLISECONDS;
		const goes = name === writer ? closes === true : isOld;
		if (goes) floor = math.max(floor ?? entry, entry);
		else kept.set(name, entry);
	}
	if (stamp !== undefined) kept.set(writer, stamp);
	const isEmpty = next(kept)[0] === undefined;
	return { Flushed: isEmpty ? undefined : (kept as unknown as Record<string, number>), FlushFloor: floor };
}
