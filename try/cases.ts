import type { Speed } from "./playback/speeds.ts";

/** A case of the story that the page shows. */
export interface ShownCase {
	readonly id: string;
	/** How the list names it. */
	readonly name: string;
	/** Virtual seconds shown before its operation begins. */
	readonly lead: number;
	/** How fast it plays unless the viewer chooses. */
	readonly speed: Speed;
}

const interrupted = ["the journal", "A's prepare", "B's prepare", "the decision", "A's settle", "B's settle"];

/** The cases in the order of the list, by group. */
export const groups: ReadonlyArray<{ readonly title: string; readonly cases: ReadonlyArray<ShownCase> }> = [
	{
		title: "From another server",
		cases: [
			{ id: "other-server-connected", name: "Elsewhere: an old connection is still there", lead: 1.5, speed: 1 },
			{ id: "other-server-save-failed", name: "Elsewhere: the leave save failed", lead: 4.5, speed: 1 },
			{ id: "other-server-crashed", name: "Elsewhere: the server crashed", lead: 4, speed: 4 },
			{ id: "other-server-stalling", name: "Elsewhere: the server lives, its saves stall", lead: 4, speed: 4 },
		],
	},
	{
		title: "Back on the same server",
		cases: [
			{ id: "same-server-saving", name: "Back again: the leave save is running", lead: 0.3, speed: 0.25 },
			{ id: "same-server-save-failed", name: "Back again: the leave save failed", lead: 1.4, speed: 0.25 },
			{ id: "lost-release-response", name: "Back again: the save's answer was lost", lead: 1.4, speed: 0.25 },
		],
	},
	{
		title: "A trade between two players",
		cases: [
			{ id: "trade-committed", name: "Trade: nothing goes wrong", lead: 0.3, speed: 0.25 },
			...interrupted.map((write, index) => ({
				id: `trade-interrupted-${index + 1}`,
				name: `Trade: crash after ${write}`,
				lead: 0.3,
				speed: 1 as const,
			})),
		],
	},
	{
		title: "A player pays into a guild bank",
		cases: [
			{ id: "transaction-mixed-stores", name: "Guild bank: nothing goes wrong", lead: 0.3, speed: 0.25 },
			{ id: "transaction-crash-before-marker", name: "Guild bank: crash before the marker", lead: 0.3, speed: 1 },
			{ id: "transaction-crash-after-marker", name: "Guild bank: crash after the marker", lead: 0.3, speed: 1 },
		],
	},
];

const all = groups.flatMap(({ cases }) => cases);

/** The case of that id, or the first. */
export function caseOf(id: string | null): ShownCase {
	return all.find((each) => each.id === id) ?? all[0]!;
}
