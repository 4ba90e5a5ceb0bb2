import { runAll } from "../util/parallel";
import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { LocklessParticipant, WaitBound } from "./locklessParticipant";
import { Participant, Tx } from "./participant";
import { TX_TTL_SECONDS } from "./foreignPending";
import { LOCK_TTL_SECONDS } from "./txLock";

/** How often locks are taken anew that took so long that the first of them might expire. */
const LOCK_ROUNDS = 5;
/** What all waits for other transactions get in all beyond the bounds of one of them, in seconds. */
const MARGIN_SECONDS = 30;

/**
 * Takes the locks of all lockless participants: all at once, in one round, where nobody else has one. Where somebody has,
 * those that come after it in the order (store, scope, key) are given back, and it is waited for: whoever waits holds only
 * locks that come before, so that transactions over the same keys never wait for each other in a ring. Yields. Returns the
 * problem, with every lock given back, or undefined where all are held. `goesOn` is asked after every pause.
 */
export function takeLocks(
	platform: Platform,
	tx: Tx,
	participants: ReadonlyArray<LocklessParticipant<object>>,
	goesOn: () => boolean,
): BatonError | undefined {
	const ordered = inOrder(participants);
	const ttl = tx.lockTtl ?? LOCK_TTL_SECONDS;
	const bound: WaitBound = { deadline: platform.clock() + ttl + TX_TTL_SECONDS + MARGIN_SECONDS, goesOn };
	for (let round = 1; round <= LOCK_ROUNDS; round++) {
		const problem = takeInOrder(platform, tx, ordered, bound);
		const since = ordered.map(({ heldSince }) => platform.clock() - heldSince);
		const isFresh = since.every((seconds) => seconds < ttl / 2);
		if (problem === undefined && isFresh) return undefined;
		// The first of them may expire before the transaction is through: they are taken anew.
		giveAllBack(platform, tx, ordered);
		if (problem !== undefined) return problem;
		if (platform.clock() >= bound.deadline || !goesOn()) break;
	}
	const [{ store, key }] = ordered;
	const message = `Baton: the locks of a transaction over "${key}" in store "${store}" and others could not be had together`;
	return new BatonError("busy", message, { store, key, retryable: true });
}

/** The problem, or undefined where all are held. */
function takeInOrder(
	platform: Platform,
	tx: Tx,
	ordered: ReadonlyArray<LocklessParticipant<object>>,
	bound: WaitBound,
): BatonError | undefined {
	let held = 0;
	while (held < ordered.size()) {
		const answers = takeAll(
			platform,
			tx,
			ordered.filter((_, index) => index >= held),
			bound,
		);
		for (const answer of answers) if (!typeIs(answer, "string")) return answer;
		const busy = answers.indexOf("busy");
		if (busy === -1) return undefined;
		held += busy;
		giveAllBack(
			platform,
			tx,
			ordered.filter((_, index) => index > held),
		);
		const waited = ordered[held].lock(tx, true, bound);
		if (!waited.success) return waited.error;
		held += 1;
	}
}

/** Gives back whatever is held. Yields. */
export function giveAllBack(platform: Platform, tx: Tx, participants: ReadonlyArray<Participant>): void {
	runAll(
		platform,
		participants.map((participant) => () => participant.giveBack(tx)),
	);
}

type LockAnswer = "taken" | "busy" | BatonError;

function takeAll(
	platform: Platform,
	tx: Tx,
	participants: ReadonlyArray<LocklessParticipant<object>>,
	bound: WaitBound,
): ReadonlyArray<LockAnswer> {
	const answers = new Map<number, LockAnswer>();
	runAll(
		platform,
		participants.map((participant, index) => () => {
			const locked = participant.lock(tx, false, bound);
			answers.set(index, locked.success ? locked.value : locked.error);
		}),
	);
	return participants.map((_, index) => answers.get(index) ?? "busy");
}

function inOrder(participants: ReadonlyArray<LocklessParticipant<object>>): ReadonlyArray<LocklessParticipant<object>> {
	const place = ({ store, scope = "", key }: LocklessParticipant<object>) => [store, scope, key];
	return [...participants].sort((a, b) => {
		const [mine, other] = [place(a), place(b)];
		const differs = mine.findIndex((part, index) => part !== other[index]);
		return differs !== -1 && mine[differs] < other[differs];
	});
}
