import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { Outcome } from "../record/decided";
import { Result } from "../result";
import { Holdable } from "../twoPhase/whileHeld";
import { Retry } from "../util/retry";
import { Cleanup } from "./cleanup";
import { MarkerStore } from "./markerStore";

/** One transaction while it runs. */
export interface Tx {
	/** A GUID: the marker's key. */
	readonly id: string;
	readonly retry: Retry;
	/** Seconds that others give its `Pending`, where it is not the usual time. */
	readonly txTtl?: number;
	/** Seconds that its lock on a lockless key lasts, where it is not the usual time. */
	readonly lockTtl?: number;
}

/**
 * One side of a transaction, locked or lockless: what the transaction does to its record. Everything that yields gives the
 * problem that ends the transaction, or undefined where it went as asked.
 */
export interface Participant extends Holdable {
	readonly store: string;
	readonly scope?: string;
	readonly key: string;
	readonly platform: Platform;
	readonly markers: MarkerStore;
	/** How often its driver tries a write. */
	readonly retry: Retry;
	/** The game's profile, by which the callback names it. */
	readonly profile: object;
	/** What the callback sees, once everything is locked. */
	data(): object;
	/** Checks and freezes what the callback sets. Errors: `invalid_data`. */
	admit(data: unknown): Result<object>;
	/** An upper bound of the JSON size of data that were admitted, in bytes. */
	bytesOf(data: object): number;
	/** Whether its data are not known to be stored, so that it counts as changed. */
	hasUnsaved(): boolean;
	/** Yields until no write of it is at the store. */
	awaitWrites(): void;
	/** No other write of it starts from now on, and its data stay. Yields until none is at the store. */
	pauseWrites(): void;
	/** Phase one: its outcome beside its data. */
	prepare(tx: Tx, outcome: object): BatonError | undefined;
	/** Phase one of one that was not changed: its lock was ours until now. */
	confirm(tx: Tx): BatonError | undefined;
	/** The whole transaction, where no other profile is changed: `unknown` where its last try was not answered, until it is asked again. */
	writeAlone(tx: Tx, outcome: object): AloneAnswer;
	/** Gives back what it holds for a transaction that is over without a change of it. */
	giveBack(tx: Tx): void;
	/** The outcome is durable: the profile gets it, and its next writes clear the record. */
	settle(tx: Tx, result: Outcome, outcome: object, cleanup: Cleanup): void;
	/** The outcome is not known: nothing of the data is written until it is. */
	suspend(why: BatonError): void;
	/** {@link writeAlone} was asked again and is answered: the profile goes on. */
	resume(): void;
	/** Whether the profile is closed, so that nothing waits for the outcome any more. */
	hasEnded(): boolean;
}

/** How a transaction of one changed profile ended. */
export type AloneAnswer =
	| { readonly kind: "committed" }
	/** It has not landed and cannot any more. */
	| { readonly kind: "refused"; readonly problem: BatonError }
	| { readonly kind: "unknown"; readonly problem: BatonError };
