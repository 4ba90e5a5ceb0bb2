import { MarkerStore } from "./markerStore";

/**
 * Removes a transaction's marker once no record can need it: after its own decision was answered and every participant
 * was seen without it since. A participant of which that cannot be told any more leaves the marker where it is, a few
 * bytes that nothing points at.
 */
export class Cleanup {
	private isDecided = false;

	/** @param left How many participants are to be seen clean. */
	public constructor(
		private readonly markers: MarkerStore,
		private readonly id: string,
		private left: number,
	) {}

	/** The decision was answered. May yield. */
	public decided(): void {
		this.isDecided = true;
		this.removeIfDone();
	}

	/** A participant was seen clean. May yield. */
	public seenClean(): void {
		this.left -= 1;
		this.removeIfDone();
	}

	private removeIfDone(): void {
		if (this.isDecided && this.left === 0) this.markers.remove(this.id);
	}
}
