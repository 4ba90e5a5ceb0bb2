import { TraceCall } from "../../cloud/trace";
import { KEYS, Market, must, Outcome, Setting, Side, SIDES, sibling, STORE, Traders, withTraders } from "./traders";

/** A write of a recovering server: where it goes, and what it is for. */
export interface RecoveryWrite {
	readonly at: "journal" | Side | "removal";
	readonly title: string;
}

/** A trade whose server died after one of its six writes, and what a server then writes that lets both in. */
export interface Cut {
	readonly title: string;
	readonly outcome: Outcome;
	/** Leaves the trade as it stands then, its server dead. Yields. */
	readonly make: (traders: Traders) => void;
	/** The durable writes of a server that lets A in, then B: all of them, in order. */
	readonly writes: ReadonlyArray<RecoveryWrite>;
}

const JOURNAL = "journal";
const abort: RecoveryWrite = { at: JOURNAL, title: "the abort" };
const removal: RecoveryWrite = { at: "removal", title: "the removal" };
const settleOf = (side: Side): RecoveryWrite => ({ at: side, title: `${side}'s settle` });
const noteOf = (side: Side): RecoveryWrite => ({ at: JOURNAL, title: `${side}'s acknowledgement` });
const fenceOf = (side: Side): RecoveryWrite => ({ at: side, title: `the fence of ${side}` });
const lockOf = (side: Side): RecoveryWrite => ({ at: side, title: `${side}'s lock` });

/** A recovery that finds the other one without pointer, from the settle to the removal. */
const alone = (side: Side): ReadonlyArray<RecoveryWrite> => [
	settleOf(side),
	noteOf(side),
	fenceOf(sibling(side)),
	noteOf(sibling(side)),
	removal,
];

/** Two recoveries, each with the lock that it is for. */
const BOTH: ReadonlyArray<RecoveryWrite> = [
	settleOf("A"),
	noteOf("A"),
	lockOf("A"),
	settleOf("B"),
	noteOf("B"),
	removal,
	lockOf("B"),
];

/** The trade's server dies after its `nth` durable write. */
function dieAfter(traders: Traders, nth: number): void {
	traders.fault({ durableOnly: true, nth, effect: "crashAfter" });
	traders.start();
	traders.world.waitUntil(() => !traders.host.server.alive, 60);
}

/** The same after a participant's `nth` write, and its sibling's never arrives. */
function dieBetween(traders: Traders, side: Side, nth: number): void {
	traders.fault({ key: KEYS[sibling(side)], durableOnly: true, nth, effect: "hang" });
	traders.fault({ key: KEYS[side], durableOnly: true, nth, effect: "crashAfter" });
	traders.start();
	traders.world.waitUntil(() => !traders.host.server.alive, 60);
}

const LOCKS = [lockOf("A"), lockOf("B")];

/** Every interruption point, A let in first; with B first, it is the mirror image of one of these. */
export const CUTS: ReadonlyArray<Cut> = [
	{
		title: "after write 1, the journal",
		outcome: "aborted",
		make: (traders: Traders) => dieAfter(traders, 1),
		writes: LOCKS,
	},
	{
		title: "after A's prepare alone",
		outcome: "aborted",
		make: (traders: Traders) => dieBetween(traders, "A", 1),
		writes: [abort, ...alone("A"), ...LOCKS],
	},
	{
		title: "after B's prepare alone",
		outcome: "aborted",
		make: (traders: Traders) => dieBetween(traders, "B", 1),
		writes: [lockOf("A"), abort, ...alone("B"), lockOf("B")],
	},
	{
		title: "after both prepares",
		outcome: "aborted",
		make: (traders: Traders) => dieAfter(traders, 3),
		writes: [abort, ...BOTH],
	},
	{
		title: "after write 4, the decision",
		outcome: "committed",
		make: (traders: Traders) => dieAfter(traders, 4),
		writes: BOTH,
	},
	{
		title: "after A's settle alone",
		outcome: "committed",
		make: (traders: Traders) => dieBetween(traders, "A", 2),
		writes: [lockOf("A"), ...alone("B"), lockOf("B")],
	},
	{
		title: "after B's settle alone",
		outcome: "committed",
		make: (traders: Traders) => dieBetween(traders, "B", 2),
		writes: [...alone("A"), ...LOCKS],
	},
	{
		title: "after both settles",
		outcome: "committed",
		make: (traders: Traders) => dieAfter(traders, 6),
		writes: LOCKS,
	},
];

/** Which call of the recovering server its `index`th write is, as a fault names it. */
export function placeOf(traders: Traders, { writes }: Cut, index: number): PlaceOfWrite {
	const { at } = writes[index];
	if (at === "removal") return { op: "RemoveAsync" };
	const nth = writes.filter((write, place) => place <= index && write.at === at).size();
	return { op: "UpdateAsync", key: at === JOURNAL ? traders.journalKeys()[0] : KEYS[at], nth };
}

export interface PlaceOfWrite {
	readonly op: string;
	readonly key?: string;
	readonly nth?: number;
}

/** The durable writes of a server since, as {@link Cut.writes} has them. */
export function writtenAt(traders: Traders, { server }: Market, since: number): ReadonlyArray<RecoveryWrite["at"]> {
	const calls = traders.world.trace.select({ service: "DataStore", store: STORE, server, since, wrote: true });
	const places = new Array<RecoveryWrite["at"]>();
	for (const call of calls) {
		const place = placeIn(call);
		if (place !== undefined) places.push(place);
	}
	return places;
}

function placeIn({ op, key }: TraceCall): RecoveryWrite["at"] | undefined {
	if (op === "RemoveAsync") return "removal";
	for (const side of SIDES) if (key === KEYS[side]) return side;
	// The store's time is asked with a write of its own.
	return key !== undefined && key.find("CKTxn_", 1, true)[0] === 1 ? JOURNAL : undefined;
}

/** No record points at the journal: nobody needs it, and after a crash nobody removes it. */
export function isUnreferenced(traders: Traders): boolean {
	return !traders.points("A") && !traders.points("B");
}

/** Lets A in, then B, beside the spec; what they were shown, once both are in. Does not yield. */
export function letIn(traders: Traders, market: Market): () => Outcome | undefined {
	let seen: Outcome | undefined;
	market.server.spawn(() => {
		const shown = SIDES.map((side) => traders.check(market.joined(side), side));
		must(shown[0] === shown[1], `A was loaded as ${shown[0]}, B as ${shown[1]}`);
		seen = shown[0];
	});
	return () => seen;
}

/** A trade cut as `cut` says, a server that recovers, and two more. */
export function withCut(
	cut: Cut,
	body: (traders: Traders, recoverer: Market, others: ReadonlyArray<Market>) => void,
	setting?: Setting,
): void {
	withTraders(
		(traders, fresh) => {
			cut.make(traders);
			must(traders.answer === undefined, "the trade has answered");
			body(traders, fresh[0], [fresh[1], fresh[2]]);
		},
		{ servers: 3, ...setting },
	);
}
