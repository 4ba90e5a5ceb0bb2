import { LegacyFormat, LegacyLock } from "../record/importLegacy";
import { deadAfter, LegacyOptions } from "./options";

/** Its ASSUME_DEAD: the age of a session's last write after which its own servers take the record. */
const ASSUME_DEAD_SECONDS = 630;

/** A record as ProfileStore stores it; `ActiveSession` is place, job and id of the session. */
interface Stored {
	readonly Data?: unknown;
	readonly MetaData?: { readonly ActiveSession?: unknown };
	readonly GlobalUpdates?: readonly [index: number, list: ReadonlyArray<ReadonlyArray<unknown>>];
	readonly UserIds?: unknown;
	readonly RobloxMetaData?: unknown;
}

/**
 * A session that is no table belongs to nobody: ProfileStore neither takes, steals nor outwaits it, its loads answer nil
 * at once, and what a session of before still sends finds that the record is not its own. With the three tables it takes
 * the record for a whole one, and so does not overwrite it.
 */
const CLOSED = "Baton";

function isTable(value: unknown): boolean {
	return typeIs(value, "table");
}

function lockOf(session: unknown, deadAfterSeconds: number): LegacyLock | undefined {
	if (session === undefined) return undefined;
	return { holder: tostring((session as ReadonlyArray<unknown>)[1]), deadAfterSeconds };
}

/**
 * Takes over the records of ProfileStore, for the option `importLegacy`, while servers on ProfileStore still run.
 *
 * A record is taken once no session has it, or the session's last write is over 630 s old (`deadAfterSeconds`); until
 * then a load answers `profile_locked`, a player's after `lockWaitSeconds`. From then on, and from the start for players
 * who are new, `StartSessionAsync` answers nil for it on every server that is still on ProfileStore. `profile:SetAsync` and
 * `RemoveAsync` of such a server heed no lock, this one neither.
 *
 * `convert` gets the profile's `Data` (undefined where there were only messages for a player who never played) and the
 * messages that no session has processed, which nobody will get any more; it returns the data, or undefined to refuse
 * the record. It must be pure and not yield.
 */
export function fromProfileStore<T>(
	convert: (data: unknown, messages: ReadonlyArray<unknown>) => T | undefined,
	options?: LegacyOptions,
): LegacyFormat<T> {
	const deadAfterSeconds = deadAfter("fromProfileStore", ASSUME_DEAD_SECONDS, options);
	return {
		library: "ProfileStore",
		read: (value) => {
			if (!typeIs(value, "table")) return undefined;
			const { Data, MetaData, GlobalUpdates, UserIds, RobloxMetaData } = value as Stored;
			const isWhole = isTable(Data) && isTable(MetaData);
			const isOnlyMessages = Data === undefined && MetaData === undefined;
			if (!isTable(GlobalUpdates) || !(isWhole || isOnlyMessages)) return undefined;
			const session = MetaData?.ActiveSession;
			if (session !== undefined && !isTable(session)) return undefined;
			const [index, list] = GlobalUpdates!;
			const data = convert(
				Data,
				list.map((update) => update[update.size() - 1]),
			);
			if (data === undefined) return undefined;
			return {
				data,
				lock: lockOf(session, deadAfterSeconds),
				// Its servers write these two back as the key's user ids and metadata, whatever they think of the record.
				keeps: { GlobalUpdates: [index, []], UserIds, RobloxMetaData },
			};
		},
		keepOut: { MetaData: { ActiveSession: CLOSED, SessionLoadCount: 0 }, GlobalUpdates: [0, []] },
	};
}
