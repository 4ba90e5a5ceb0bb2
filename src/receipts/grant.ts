import { OpenProfile } from "../driver/openProfile";
import { DeepReadonly } from "../record/deepReadonly";
import { err, ok, Result } from "../result";
import { Coordinator } from "../transaction/coordinator";
import { LockedParticipant } from "../transaction/lockedParticipant";
import { busy } from "../transaction/txErrors";
import { whileDeciding, whileHeld } from "../twoPhase/whileHeld";

/**
 * Changes the profile's data once for each `id`, ever: the data and the id are stored in one write, the one of a
 * transaction that changes this profile alone. Ok where that write was answered as landed, now or earlier. Yields.
 *
 * `change` runs only where the id is not known, and again where an earlier write of it is known not to have landed; it
 * must not yield, and what it throws is thrown on with nothing written. `what` names it in errors.
 *
 * Errors: `busy`, `invalid_data`, `tx_aborted`, `tx_unknown` (a retry in the background finds out), why the profile is
 * closed.
 */
export function grant<T extends object>(
	profile: OpenProfile<T>,
	id: string,
	what: string,
	change: (data: DeepReadonly<T>) => DeepReadonly<T> | T,
): Result<true> {
	const { platform } = profile.home;
	const participant = new LockedParticipant(profile);
	return whileHeld(platform, [participant], busy, (holds) => {
		participant.pauseWrites();
		const closed = participant.holdError();
		if (closed !== undefined) return err(closed);
		// The ids in memory are those of the record: one gets there by a load, or by a write that was answered.
		if (profile.tradeIds.includes(id)) return ok(true);
		const after = whileDeciding(platform, holds, what, () => change(profile.data));
		const admitted = participant.admit(after);
		if (!admitted.success) return admitted;
		const tx = { id, retry: participant.retry };
		// Stamped also where the data are the same: what this purchase gives has been decided.
		const ran = new Coordinator(platform, tx, [{ participant, data: admitted.value, isStamped: true }]).run();
		return ran.success ? ok(true) : ran;
	});
}
