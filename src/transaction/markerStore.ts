import { updateWithin, UpdateTarget } from "../backend/updateWithin";
import { readFresh } from "../backend/readFresh";
import { removeSoon } from "../backend/removeSoon";
import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { Outcome } from "../record/decided";
import { err, ok, Result } from "../result";
import { DEFAULT_RETRY, retried, Retry, TRY_SECONDS } from "../util/retry";
import { decideMarker, isOutcome, MarkerDecision } from "./marker";

/** Name of the store that keeps the markers of all transactions of a game. */
export const MARKER_STORE = "CKMarkers";

/** The store of the transactions' decisions: under a transaction's id its outcome, and nothing before it is decided. */
export class MarkerStore {
	public constructor(private readonly home: UpdateTarget & { readonly platform: Platform }) {}

	/**
	 * The outcome of transaction `id`: `outcome`, unless it was decided before. Tried as often as `retry` says. Yields.
	 * Errors: `roblox` where it is not known, `tx_marker_invalid`.
	 */
	public decide(id: string, outcome: Outcome, retry: Retry = DEFAULT_RETRY): Result<Outcome> {
		const answer = retried(this.home.platform, retry, () =>
			updateWithin<MarkerDecision>(this.home, id, TRY_SECONDS, (value) => {
				const decision = decideMarker(value, outcome);
				if (decision.write === undefined) return { report: decision };
				return { write: decision.write, userIds: [], metadata: {}, report: decision };
			}),
		);
		if (!answer.success) return answer;
		const { report } = answer.value;
		if (report.write !== undefined) return ok(report.write);
		return report.keep === "decided" ? ok(report.outcome) : err(this.invalid(id));
	}

	/** The outcome as it is stored now, past any cache; undefined where there is none. Yields. Errors: those of {@link decide}. */
	public read(id: string): Result<Outcome | undefined> {
		const found = readFresh(this.home, id, TRY_SECONDS);
		if (!found.success) return found;
		if (found.value === undefined) return ok(undefined);
		const { value } = found.value;
		return isOutcome(value) ? ok(value) : err(this.invalid(id));
	}

	/** Removes the marker, where the backend can; for its own coordinator, once no record can need it. Yields. */
	public remove(id: string): void {
		removeSoon(this.home, id, TRY_SECONDS);
	}

	private invalid(id: string): BatonError {
		const { store } = this.home;
		const message =
			`Baton: the marker of transaction "${id}" in store "${store}" is neither "committed" nor "aborted"; records that ` +
			`wait for it were left as they are. If it cannot be mended, load them with abandonTransaction: "${id}"`;
		return new BatonError("tx_marker_invalid", message, { store, key: id });
	}
}
