import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { Fault } from "../../cloud/faults";
import { Outcome, Party } from "./parties";

/** One durable step of a transaction. */
export interface Step {
	readonly title: string;
	readonly where: Pick<Fault, "op" | "store" | "key" | "nth">;
	/** What a crash right before, and right after it comes to. */
	readonly before: Outcome;
	readonly after: Outcome;
	/** Whether it rides on a save after the answer. */
	readonly isLater?: boolean;
}

/** Every durable step of a transaction over `cast`, in the protocol's order. */
export function stepsOf(cast: ReadonlyArray<Party>): ReadonlyArray<Step> {
	const steps = new Array<Step>();
	const add = ({ store, key }: Party, nth: number, what: string, outcome: Outcome, isLater = false) =>
		steps.push({ title: `${key}'s ${what}`, where: { store, key, nth }, before: outcome, after: outcome, isLater });
	const prepareOf = (party: Party) => (party.isLockless ? 2 : 1);
	for (const party of cast) if (party.isLockless) add(party, 1, "lock", "aborted");
	for (const party of cast) add(party, prepareOf(party), "prepare", "aborted");
	const marker = { store: MARKER_STORE, op: "UpdateAsync", nth: 1 };
	steps.push({ title: "the marker", where: marker, before: "aborted", after: "committed" });
	for (const party of cast) add(party, prepareOf(party) + 1, "cleaning", "committed", true);
	steps.push({
		title: "the marker's removal",
		where: { store: MARKER_STORE, op: "RemoveAsync" },
		before: "committed",
		after: "committed",
		isLater: true,
	});
	return steps;
}
