import { Hold } from "../driver/hold";
import { OpenProfile } from "../driver/openProfile";
import { BatonError } from "../errors";
import { OpenLockless } from "../lockless/openLockless";
import { Platform } from "../platform/platform";
import { err, ok, Result } from "../result";
import { whileDeciding, whileHeld } from "../twoPhase/whileHeld";
import { readConfig, TransactionConfig } from "./config";
import { Staging, TransactionContext, TransactionProfile } from "./context";
import { Coordinator } from "./coordinator";
import { LockedParticipant } from "./lockedParticipant";
import { LocklessParticipant } from "./locklessParticipant";
import { Participant, Tx } from "./participant";
import { aborted, busy } from "./txErrors";
import { giveAllBack, takeLocks } from "./txLocks";

/**
 * Changes any set of profiles together: each gets the data that `process` sets for it, or none changes, whatever crashes in
 * between. Profiles of several drivers and stores may take part, session-locked ones beside lockless ones; the drivers must
 * keep their decisions in one place (option `markers`). Yields: a second or two commonly; where the store fails, up to
 * about a minute for each of its three rounds; where transactions of other servers have a lockless profile, up to `lockTtl`
 * and 90 s more.
 *
 * `process` gets a context with `get` and `set`, and may return false to cancel. It must not yield or call methods of the
 * profiles. Data that are the same reference as before count as unchanged; a transaction that changes one profile alone is
 * one durable save.
 *
 * Gives true when it is committed and false when it was cancelled. Errors: `tx_aborted` with the `cause` that a participant
 * gave, or without one where another server aborted it first; `tx_unknown` while it is not known whether it is committed:
 * the profiles take no changes until a retry in the background finds out; `busy` where another trade or transaction of
 * this server has one of them, or those of other servers have a lockless one for the whole wait; `profile_closed`, `released` or `lock_lost` of a profile that is closed; what flushing a
 * lockless profile raised (`lockless_locked`, `roblox`, …). On all but `tx_unknown` nothing was changed.
 *
 * Throws on misuse, and throws on what `process` throws, with every lock given back and nothing written. (Seed
 * "Transactions".)
 */
export function transaction(
	profiles: ReadonlyArray<TransactionProfile>,
	process: (ctx: TransactionContext) => boolean | void,
	config: TransactionConfig = {},
): Result<boolean> {
	const participants = participantsOf(profiles);
	if (!typeIs(process, "function")) error("Baton: transaction takes a function that gets the context", 2);
	const settings = readConfig(config, participants[0].retry);
	const { platform } = participants[0];
	return whileHeld(platform, participants, busy, (holds) => {
		const tx: Tx = { id: platform.http.GenerateGUID(false), ...settings };
		return held(platform, tx, participants, holds, process);
	});
}

function participantsOf(profiles: unknown): ReadonlyArray<Participant> {
	if (!typeIs(profiles, "table") || (profiles as Array<unknown>).isEmpty()) {
		error("Baton: transaction takes a list of one or more profiles", 3);
	}
	const participants = new Array<Participant>();
	for (const profile of profiles as Array<unknown>) {
		const participant = participantOf(profile);
		if (participant === undefined) error("Baton: transaction takes profiles that a driver has opened", 3);
		const { store, key } = participant;
		if (participants.some((other) => other.profile === profile)) {
			error(`Baton: transaction got the profile "${key}" of store "${store}" twice`, 3);
		}
		participants.push(participant);
	}
	const [first] = participants;
	for (const { platform, markers, store } of participants) {
		if (platform !== first.platform) {
			error("Baton: transaction takes profiles of one server, and these are of several platforms", 3);
		}
		if (markers === first.markers) continue;
		error(
			`Baton: transaction takes profiles whose drivers keep their decisions in one place, and "${store}" and ` +
				`"${first.store}" do not; give both the same option "markers"`,
			3,
		);
	}
	return participants;
}

function participantOf(profile: unknown): Participant | undefined {
	if (profile instanceof OpenProfile) return new LockedParticipant(profile as OpenProfile<object>);
	if (profile instanceof OpenLockless) return new LocklessParticipant(profile as OpenLockless<object>);
	return undefined;
}

/** Why one of them is closed by now; undefined where none is. */
function firstClosed(participants: ReadonlyArray<Participant>): BatonError | undefined {
	for (const participant of participants) {
		const closed = participant.holdError();
		if (closed !== undefined) return closed;
	}
}

function held(
	platform: Platform,
	tx: Tx,
	participants: ReadonlyArray<Participant>,
	holds: ReadonlyArray<Hold>,
	process: (ctx: TransactionContext) => boolean | void,
): Result<boolean> {
	for (const participant of participants) participant.awaitWrites();
	const closed = firstClosed(participants);
	if (closed !== undefined) return err(closed);
	const lockless = participants.filter(
		(each): each is LocklessParticipant<object> => each instanceof LocklessParticipant,
	);
	const giveUp = (): void => giveAllBack(platform, tx, participants);
	// Others may keep the locks for a minute. Meanwhile whoever leaves does not wait for that, and sessions are saved and
	// their presence flags kept true.
	const locking = takeLocks(platform, tx, lockless, () => firstClosed(participants) === undefined);
	if (locking === undefined) for (const participant of participants) participant.pauseWrites();
	const lost = firstClosed(participants);
	if (lost !== undefined) {
		giveUp();
		return err(lost);
	}
	if (locking !== undefined) return err(locking);
	const staging = new Staging(participants);
	const decided = whileDeciding(platform, holds, "the function of a transaction", () => process(staging), giveUp);
	staging.finish();
	if (decided === false) {
		giveUp();
		return ok(false);
	}
	if (staging.refused !== undefined) {
		giveUp();
		return err(aborted(participants, staging.refused));
	}
	return new Coordinator(platform, tx, staging.result()).run();
}
