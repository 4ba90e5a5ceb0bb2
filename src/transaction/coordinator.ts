import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { Outcome } from "../record/decided";
import { err, ok, Result } from "../result";
import { DecisionRecord, firstProblem, runTwoPhase, TwoPhaseParticipant } from "../twoPhase/twoPhase";
import { BackOff } from "../util/backOff";
import { runAll } from "../util/parallel";
import { ONE_TRY } from "../util/retry";
import { Cleanup } from "./cleanup";
import { Staged } from "./context";
import { Participant, Tx } from "./participant";
import { sizeProblem } from "./recordSize";
import { aborted, unknown } from "./txErrors";

/**
 * Brings a transaction to its end whose data are staged and whose participants are held and locked: phase one, the
 * marker, and each participant's share in the outcome. From the first prepare on, the marker alone says how it ended.
 */
export class Coordinator {
	/** Those that get new data, or whose data are not stored yet. */
	private readonly changed: ReadonlyArray<Staged>;
	private readonly unchanged: ReadonlyArray<Participant>;
	private readonly participants: ReadonlyArray<Participant>;
	private readonly cleanup: Cleanup;
	/** The store refuses the marker for good. */
	private refused?: BatonError;

	public constructor(
		private readonly platform: Platform,
		private readonly tx: Tx,
		staged: ReadonlyArray<Staged>,
	) {
		const isChanged = ({ participant, data, isStamped }: Staged) =>
			isStamped === true || data !== participant.data() || participant.hasUnsaved();
		this.changed = staged.filter((each) => isChanged(each));
		this.unchanged = staged.filter((each) => !isChanged(each)).map(({ participant }) => participant);
		this.participants = staged.map(({ participant }) => participant);
		this.cleanup = new Cleanup(this.participants[0].markers, tx.id, this.changed.size());
	}

	/** Yields. Errors: `tx_aborted`, `tx_unknown`. */
	public run(): Result<boolean> {
		if (this.changed.size() < 2) return this.alone();
		const tooLarge = sizeProblem(this.changed);
		if (tooLarge !== undefined) return this.refuse(tooLarge);
		const ending = runTwoPhase(this.platform, this.decision(), this.shares());
		if (ending.kind === "refused") return err(aborted(this.participants, ending.problem));
		if (ending.kind === "unknown") return this.leaveOpen(ending.cause);
		const problem = ending.problem ?? this.refused;
		if (problem === undefined) this.cleanup.decided();
		return ending.outcome === "committed" ? ok(true) : err(aborted(this.participants, problem));
	}

	/** The marker, as its own coordinator decides it. */
	private decision(): DecisionRecord {
		const { tx, platform, cleanup } = this;
		const [{ markers }] = this.participants;
		const abort = (): Result<Outcome> => {
			// Nobody else can commit it, so it is off whether the marker says so yet or not. It is for readers of prepares
			// that landed: without it they would wait for the transaction to expire.
			platform.task.spawn(() => {
				if (markers.decide(tx.id, "aborted", tx.retry).success) cleanup.decided();
			});
			return ok("aborted");
		};
		const commit = (): Result<Outcome> => {
			const decided = markers.decide(tx.id, "committed", tx.retry);
			if (decided.success || decided.error.retryable !== false) return decided;
			this.refused = decided.error;
			return abort();
		};
		// Nothing is stored before the decision.
		return { open: () => undefined, commit, abort };
	}

	private shares(): ReadonlyArray<TwoPhaseParticipant> {
		const { tx, cleanup } = this;
		const changing = this.changed.map(({ participant, data }): TwoPhaseParticipant => ({
			prepare: () => participant.prepare(tx, data),
			settle: (outcome) => participant.settle(tx, outcome, data, cleanup),
		}));
		const confirming = this.unchanged.map((participant): TwoPhaseParticipant => ({
			prepare: () => participant.confirm(tx),
			settle: () => participant.giveBack(tx),
		}));
		return [...changing, ...confirming];
	}

	/** One profile at most is changed: what the others had is confirmed first, then one write does it all. */
	private alone(): Result<boolean> {
		const confirmations = this.unchanged.map((participant) => () => participant.confirm(this.tx));
		const problem = firstProblem(this.platform, confirmations);
		if (problem !== undefined) return this.refuse(problem);
		if (this.changed.isEmpty()) return ok(true);
		const [{ participant, data }] = this.changed;
		const answer = participant.writeAlone(this.tx, data);
		if (answer.kind === "committed") return ok(true);
		if (answer.kind === "refused") return this.refuse(answer.problem);
		const open = unknown(this.participants, answer.problem);
		participant.suspend(open);
		this.retry(() => {
			const again = participant.writeAlone({ ...this.tx, retry: ONE_TRY }, data);
			if (again.kind === "unknown") return again.problem;
			if (again.kind === "refused") participant.giveBack(this.tx);
			participant.resume();
		});
		return err(open);
	}

	private refuse(problem: BatonError): Result<boolean> {
		runAll(
			this.platform,
			this.participants.map((participant) => () => participant.giveBack(this.tx)),
		);
		return err(aborted(this.participants, problem));
	}

	/** The marker did not answer: it is asked until it does, and the participants wait for that. */
	private leaveOpen(cause: BatonError): Result<boolean> {
		const open = unknown(this.participants, cause);
		for (const { participant } of this.changed) participant.suspend(open);
		this.retry(() => {
			const decided = this.participants[0].markers.decide(this.tx.id, "committed", ONE_TRY);
			if (!decided.success) return decided.error;
			runAll(
				this.platform,
				this.shares().map((share) => () => share.settle(decided.value)),
			);
			this.cleanup.decided();
		});
		return err(open);
	}

	/** Asks in the background, until the answer is there or every profile that waits for it is closed. */
	private retry(ask: () => BatonError | undefined): void {
		const backOff = new BackOff(this.platform, this.tx.retry);
		this.platform.task.spawn(() => {
			for (;;) {
				backOff.pause();
				if (this.changed.every(({ participant }) => participant.hasEnded())) return;
				const problem = ask();
				if (problem === undefined) return;
				backOff.failed(problem.retryable !== false);
			}
		});
	}
}
