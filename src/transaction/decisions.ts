import { Decided, Outcome } from "../record/decided";

/** A decided transaction, and who wants to know what becomes of it on this record. */
interface Noted extends Decided {
	/** An answered write has left nothing of it on the record. */
	readonly onClean: () => void;
	/** The profile was closed before that. */
	readonly onGivenUp: () => void;
}

function nobody(): void {}

/** The decided transactions of one profile that its record may still carry: every write names them until one is answered. */
export class Decisions {
	private noted: ReadonlyArray<Noted> = [];

	/** What a write that begins now has to name; the same list until something is noted or seen clean. Does not yield. */
	public list(): ReadonlyArray<Decided> {
		return this.noted;
	}

	/** Whether there are none. */
	public isEmpty(): boolean {
		return this.noted.isEmpty();
	}

	/** Adds one; one of the two callbacks is called once. Does not yield. */
	public note(decided: Decided, onClean: () => void, onGivenUp: () => void): void {
		this.noted = [...this.noted, { ...decided, onClean, onGivenUp }];
	}

	/** Adds one of another server, met on the record: nobody waits for it to go. Does not yield. */
	public find(id: string, outcome: Outcome): void {
		if (this.noted.some((each) => each.id === id)) return;
		this.note({ id, outcome }, nobody, nobody);
	}

	/** A write that named these was answered, and they have left the record. Does not yield. */
	public seenClean(named: ReadonlyArray<Decided>): void {
		const seen = this.noted.filter((each) => named.includes(each));
		if (seen.isEmpty()) return;
		this.noted = this.noted.filter((each) => !seen.includes(each));
		for (const { onClean } of seen) onClean();
	}

	/** No further write of the profile will be made. Does not yield. */
	public giveUp(): void {
		const left = this.noted;
		this.noted = [];
		for (const { onGivenUp } of left) onGivenUp();
	}
}
