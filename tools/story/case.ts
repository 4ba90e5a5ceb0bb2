/** What a case comes to, in counts of the emulated cloud and virtual seconds. */
export interface Measured {
	readonly outcome: string;
	readonly waitSeconds: number;
	readonly durableWrites: number;
	readonly removes: number;
	readonly rounds: number;
	readonly messages: number;
	readonly presenceOps: number;
}

export interface Promised {
	readonly outcome: string;
	readonly minSeconds?: number;
	readonly maxSeconds?: number;
	/** A tighter bound for the latency profile `fast`. */
	readonly fastMaxSeconds?: number;
}

export interface CaseInfo {
	readonly id: string;
	readonly group: string;
	readonly title: string;
	readonly promised: Promised;
}

export interface TimelineEntry {
	/** Virtual seconds. */
	readonly at: number;
	readonly server: string;
	readonly text: string;
}

/** One case in one latency profile. */
export interface Play {
	readonly measured: Measured;
	readonly timeline: ReadonlyArray<TimelineEntry>;
	/** The error that ended the case early. */
	readonly failure?: string;
}

/** One case in both latency profiles. */
export interface PlayedCase extends CaseInfo {
	readonly fast: Play;
	readonly live: Play;
	readonly ok: boolean;
}

/** Whether a measurement in one latency profile is what was promised. */
export function keepsPromise(promised: Promised, { outcome, waitSeconds }: Measured, profile = "live"): boolean {
	const { minSeconds = 0, maxSeconds = Infinity, fastMaxSeconds = maxSeconds } = promised;
	const most = profile === "fast" ? fastMaxSeconds : maxSeconds;
	return outcome === promised.outcome && waitSeconds >= minSeconds && waitSeconds <= most;
}
