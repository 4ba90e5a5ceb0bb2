import { LegacyFormat } from "../record/importLegacy";
import { deadAfter, LegacyOptions } from "./options";

/** Its LOCK_EXPIRE: the age of a record's last write after which its own servers take a lock. */
const LOCK_EXPIRE_SECONDS = 30 * 60;

/** A record as Lapis stores it. */
interface Stored {
	readonly data?: unknown;
	readonly migrationVersion?: unknown;
	readonly lockId?: unknown;
}

/** More migrations than any game has: a load that knows fewer than the last compatible version fails at once. */
const NEVER = 1e9;

/**
 * Takes over the records of Lapis, for the option `importLegacy`, while servers on Lapis still run.
 *
 * A record is taken once no server has its lock, or its last write is over 30 minutes old (`deadAfterSeconds`); until then
 * a load answers `profile_locked`, a player's after `lockWaitSeconds`. From then on, and from the start for players who
 * are new, `collection:load` and `collection:read` reject it on every server that is still on Lapis, as saved by a newer
 * version. `collection:remove` of such a server heeds no lock, this one neither.
 *
 * `convert` gets the document's data and the number of Lapis's migrations that they have been through; it returns the
 * data, or undefined to refuse the record. It must be pure and not yield.
 */
export function fromLapis<T>(
	convert: (data: unknown, migrationVersion: number) => T | undefined,
	options?: LegacyOptions,
): LegacyFormat<T> {
	const deadAfterSeconds = deadAfter("fromLapis", LOCK_EXPIRE_SECONDS, options);
	return {
		library: "Lapis",
		read: (value) => {
			if (!typeIs(value, "table")) return undefined;
			const { data: saved, migrationVersion, lockId } = value as Stored;
			if (saved === undefined || !typeIs(migrationVersion, "number")) return undefined;
			const data = convert(saved, migrationVersion);
			if (data === undefined) return undefined;
			return { data, lock: lockId !== undefined ? { holder: tostring(lockId), deadAfterSeconds } : undefined };
		},
		keepOut: { migrationVersion: NEVER, lastCompatibleVersion: NEVER },
	};
}
