import { StoredLock } from "./types";

/** Which lock of a stopped server a taker has proved to be silent; every field must still be the stored one. */
export interface StoppedProof {
	readonly jobId: string;
	readonly token: string;
	readonly turn: number;
	readonly seq: number;
	readonly time: number;
}

/** What the asking server knows. All of it is fixed before the transform runs, so that a re-run decides alike. */
export interface Claim {
	/** The asking server. */
	readonly jobId: string;
	/** The token that the asker writes under. */
	readonly token: string;
	/** Tokens of this server's profiles, loads and transactions, other than the asker's. */
	readonly otherTokens?: ReadonlySet<string>;
	/** Unix seconds on the store's clock; undefined where this server has no figure yet, or the store no clock. */
	readonly storeNow?: number;
	/** Whether the store has a clock of its own. */
	readonly hasStoreTime: boolean;
	/** Unix seconds on this server's wall clock: what age goes by where the store has no clock. */
	readonly wallNow: number;
	readonly ttlSeconds: number;
	readonly skewSeconds: number;
	/** Whether any other server's session lock may be taken at once: data of Studio alone, whose servers are stopped by hand. */
	readonly anyLock?: boolean;
	/** Whether this server can read the presence of a lock's holder, and does before it takes one by age. */
	readonly asksPresence?: boolean;
	/** Token of a lock whose holder was just asked for and does not beat, or cannot be told to. */
	readonly silentToken?: string;
	/** Proof that a lock's holder stopped; counts only for a lock that carries `Presence`. */
	readonly stoppedProof?: StoppedProof;
	/**
	 * Turn of a transaction's lock that this server has seen for as long as such locks last. Not its token: a lock that was
	 * lost and is taken anew by a late try of the same acquisition has its whole time before it.
	 */
	readonly expiredTxTurn?: number;
	/** Seconds by store time after which a transaction's lock counts as expired, where it does not say itself. */
	readonly txTtlSeconds?: number;
}

/**
 * Who may write a record:
 *
 * - `free`: nobody holds it.
 * - `mine`: the asker's own token is in the lock.
 * - `orphan`: this server's JobId under a token that nothing here owns: an acquire of ours that landed late.
 * - `held`: somebody else's, and not to be taken. `needsStoreTime` says that its age could not be told, `needsPresence`
 *   that it is old enough, unless its holder still beats.
 * - `stale`: by age; a transaction's lock when it has expired.
 * - `stopped`: its holder was proved to have stopped.
 */
export type Ownership =
	| { readonly verdict: "free" }
	| { readonly verdict: "mine" | "orphan" | "stale" | "stopped"; readonly lock: StoredLock }
	| {
			readonly verdict: "held";
			readonly lock: StoredLock;
			readonly needsStoreTime?: boolean;
			readonly needsPresence?: boolean;
	  };

/** Seconds since the lock was last known to be alive, or undefined where this server cannot tell. */
function ageOf(lock: StoredLock, updatedTime: number | undefined, claim: Claim): number | undefined {
	if (!claim.hasStoreTime) return claim.wallNow - lock.Time;
	if (claim.storeNow === undefined || updatedTime === undefined) return undefined;
	return claim.storeNow - updatedTime;
}

function provedStopped(lock: StoredLock, proof: StoppedProof | undefined): boolean {
	return (
		proof !== undefined &&
		lock.Presence === true &&
		lock.JobId === proof.jobId &&
		lock.Token === proof.token &&
		lock.Turn === proof.turn &&
		lock.Seq === proof.seq &&
		lock.Time === proof.time
	);
}

/** A transaction's lock is a lease of seconds: presence neither protects nor ends it. */
function txOwnership(lock: StoredLock, updatedTime: number | undefined, claim: Claim): Ownership {
	if (claim.expiredTxTurn === lock.Turn) return { verdict: "stale", lock };
	if (!claim.hasStoreTime) return { verdict: "held", lock };
	const age = ageOf(lock, updatedTime, claim);
	const ttl = lock.Expires ?? claim.txTtlSeconds;
	if (age === undefined) return { verdict: "held", lock, needsStoreTime: true };
	return ttl !== undefined && age > ttl ? { verdict: "stale", lock } : { verdict: "held", lock };
}

/**
 * The ownership rule: the one answer to "may this server write the record, and why", for every operation alike.
 * `updatedTime` is the record's last write in Unix seconds on the store's clock. Pure; does not yield.
 */
export function ownershipOf(lock: StoredLock | undefined, updatedTime: number | undefined, claim: Claim): Ownership {
	if (lock === undefined) return { verdict: "free" };
	if (lock.Token === claim.token) return { verdict: "mine", lock };
	const isOwned = claim.otherTokens?.has(lock.Token) === true;
	if (lock.JobId === claim.jobId && !isOwned) return { verdict: "orphan", lock };
	// A lease expires for its own server like for any other.
	if (lock.Tx === true) return txOwnership(lock, updatedTime, claim);
	if (isOwned) return { verdict: "held", lock };
	if (claim.anyLock === true) return { verdict: "stale", lock };
	if (provedStopped(lock, claim.stoppedProof)) return { verdict: "stopped", lock };
	const age = ageOf(lock, updatedTime, claim);
	// Without the store's time nothing is taken by age: two servers' wall clocks are never compared.
	if (age === undefined) return { verdict: "held", lock, needsStoreTime: true };
	if (age <= claim.ttlSeconds + claim.skewSeconds) return { verdict: "held", lock };
	// A live holder whose saves stall keeps its lock, however old, also one that withdrew its flag meanwhile; one that
	// cannot be told about does not.
	if (claim.asksPresence === true && lock.Presence !== undefined && claim.silentToken !== lock.Token) {
		return { verdict: "held", lock, needsPresence: true };
	}
	return { verdict: "stale", lock };
}
