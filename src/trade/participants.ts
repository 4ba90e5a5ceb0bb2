import { heldWrite } from "../driver/heldWrite";
import { Hold } from "../driver/hold";
import { OpenProfile } from "../driver/openProfile";
import { BatonError } from "../errors";
import { DeepReadonly } from "../record/deepReadonly";
import { withId } from "../record/transactionIds";
import { StoredPointer } from "../record/types";
import { err, ok, Result } from "../result";
import { untilAnswered } from "../util/untilAnswered";
import { Journal } from "./journal";
import { HolderRequest, ParticipantDecision, prepareTrade, settleTrade } from "./participant";

/** How long a participant's write is tried, in seconds; the bound of every wait for a trade is a few of these. */
export const WRITE_BOUND_SECONDS = 15;

/** How a participant's write ended: answered as written, or answered as refused. */
export type ParticipantAnswer =
	| { readonly kind: "written" }
	/** `isDuplicate`: the record has seen a trade of this id committed. */
	| { readonly kind: "refused"; readonly isDuplicate: boolean; readonly error: BatonError };

/** One side of a trade while it runs: the profile, held, and what the trade does to it. */
export class Participant<T extends object> {
	/** Whether a write that ends the trade for it was answered. */
	public settled = false;
	/** Whether its lock was found to be gone: whoever took it has settled the trade first, and no write of it lands. */
	public lost = false;
	/** Its data after the trade. */
	public outcome?: DeepReadonly<T>;
	/** The data from before the trade, which the prepare stores. */
	private readonly before: DeepReadonly<T>;

	public constructor(
		public readonly profile: OpenProfile<T>,
		private readonly hold: Hold,
	) {
		this.before = profile.data;
	}

	/** Whether its prepare was sent, so that a later write has to end it. */
	public isSent(): boolean {
		return this.hold.sent;
	}

	/** Whether its profile was let go of before the trade was through, since the server closes. */
	public isCut(): boolean {
		return this.hold.isCut;
	}

	/** Its data after the trade and its ids, as the journal keeps them. */
	public entry(id: string): Journal["Entries"][string] {
		return { Data: this.outcome, Seen: withId(this.profile.tradeIds, id) };
	}

	/** Points its record at the journal, with the data from before the trade. Yields. */
	public prepare(pointer: StoredPointer, id: string): Result<ParticipantAnswer> {
		this.hold.sent = true;
		const part = { data: this.before as unknown, migrations: this.profile.home.migrationNames };
		return this.write(pointer, this.before, (value, request) => prepareTrade(value, { ...request, id, part }));
	}

	/** Ends the trade on its record. Yields. */
	public settle(pointer: StoredPointer, id: string, committed: boolean): Result<ParticipantAnswer> {
		const ids = withId(this.profile.tradeIds, id);
		const outcome = committed ? { data: this.outcome as unknown, ids } : undefined;
		const answer = this.write(pointer, committed ? this.outcome : undefined, (value, request) =>
			settleTrade(value, { ...request, outcome }),
		);
		this.settled = answer.success && answer.value.kind === "written";
		return answer;
	}

	private write(
		pointer: StoredPointer,
		stored: DeepReadonly<T> | undefined,
		decide: (value: unknown, request: HolderRequest) => ParticipantDecision,
	): Result<ParticipantAnswer> {
		const { profile, hold } = this;
		const { home, key } = profile;
		// The release may have landed, and if not, it is not to be overtaken by a higher number.
		if (hold.isCut) return err(this.cutError());
		const tries = <A>(call: () => Result<A>) =>
			untilAnswered(home.platform, WRITE_BOUND_SECONDS, call, () => !hold.isCut);
		const answer = heldWrite<T, ParticipantDecision>(profile, tries, stored, (value, request) =>
			decide(value, { ...request, pointer }),
		);
		if (!answer.success) return answer;
		const decision = answer.value;
		if (decision.write !== undefined || decision.keep === "mine") return ok({ kind: "written" });
		if (decision.keep === "lost") {
			// By this server's own release, which leaves a pointer where it is: an earlier try may have brought it.
			if (hold.isCut) return err(this.cutError());
			this.lost = true;
			const cause = profile.lose(decision.why, decision.holder);
			return ok({ kind: "refused", isDuplicate: false, error: cause });
		}
		const store = home.store;
		const message = `Baton: the record of "${key}" in store "${store}" takes no part in the trade (${decision.keep})`;
		const problem = new BatonError("unresolved_transaction", message, { store, key });
		if (decision.keep === "superseded") return err(problem);
		return ok({ kind: "refused", isDuplicate: decision.keep === "duplicate", error: problem });
	}

	private cutError(): BatonError {
		const { home, key } = this.profile;
		const { store } = home;
		const message = `Baton: profile "${key}" of store "${store}" was released in the middle of its trade, since the server closes`;
		return new BatonError("released", message, { store, key });
	}
}
