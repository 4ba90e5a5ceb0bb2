import { Backend } from "../backend/backend";
import { StoreClock } from "../backend/storeClock";
import { GatedData } from "../driver/dataGate";
import { Platform } from "../platform/platform";
import { DeepReadonly } from "../record/deepReadonly";
import { LegacyRules } from "../record/importLegacy";
import { StoredRecord } from "../record/types";
import { Result } from "../result";
import { MarkerStore } from "../transaction/markerStore";
import { Retry } from "../util/retry";

/** What a lockless profile needs of its driver. */
export interface LocklessHome<T extends object> extends LegacyRules {
	readonly store: string;
	readonly scope?: string;
	readonly platform: Platform;
	readonly backend: Backend;
	readonly storeClock: StoreClock;
	/** The decisions of its transactions. */
	readonly markers: MarkerStore;
	readonly migrationNames: ReadonlyArray<string>;
	/** This server, as locks name it. */
	readonly jobId: string;
	/** How often a call is tried before whoever waits hears of the failure. */
	readonly retry: Retry;
	/** Age in seconds after which a session lock without presence can be cleared, and the allowance on top. */
	readonly ttlSeconds: number;
	readonly skewSeconds: number;
	/** Whether any foreign session lock may be cleared at once (Studio's own data). */
	readonly takesAnyLock: boolean;
	readonly defaults: DeepReadonly<T>;
	/** Whether a lock's holder beats; undefined where this server cannot tell. Absent while handoff is off. Yields. */
	readonly isAlive: () => ((jobId: string) => boolean | undefined) | undefined;
	/** Whether the driver closes: then nothing waits for others any longer than it must. */
	readonly isClosing: () => boolean;
	/** Checks and freezes data that an update made. */
	readonly admit: (data: unknown) => Result<DeepReadonly<T>>;
	/** Lets data in that a record holds. */
	readonly fromRecord: (record: StoredRecord) => Result<GatedData<T>>;
	/** An upper bound of the JSON size of data that were admitted, in bytes. */
	readonly bytesOf: (data: unknown) => number;
	readonly metric: (name: string, value: number, tags: Readonly<Record<string, string>>) => void;
	/** The profile is closed, and everything of it is answered. */
	readonly onEnded: () => void;
}
