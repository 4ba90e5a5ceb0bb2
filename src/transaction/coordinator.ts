import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { Outcome } from "../record/decided";
import { err, ok, Result } from "../result";
import { BackOff } from "../util/backOff";
import { runAll } from "../util/parallel";
import { Retry } from "../util/retry";
import { Cleanup } from "./cleanup";
import { Staged } from "./context";
import { Participant, Tx } from "./participant";
import { aborted, unknown } from "./txErrors";

/** The background has its own pauses. */
const ONE_TRY: Retry = { attempts: 1, base: 0 };

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

	public constructor(
		private readonly platform: Platform,
		private readonly tx: Tx,
		staged: ReadonlyArray<Staged>,
	) {
		const isChanged = ({ participant, data }: Staged) => data !== participant.data() || participant.hasUnsaved();
		this.changed = staged.filter((each) => isChanged(each));
		this.unchanged = staged.filter((each) => !isChanged(each)).map(({ participant }) => participant);
		this.participants = staged.map(({ participant }) => participant);
		this.cleanup = new Cleanup(this.participants[0].markers, tx.id, this.changed.size());
	}

	/** Yields. Errors: `tx_aborted`, `tx_unknown`. */
	public run(): Result<boolean> {
		if (this.changed.size() < 2) return this.alone();
		const problem = this.phaseOne();
		// Nobody else can commit it, so it is off, whether the marker says so yet or not.
		if (problem !== undefined) return this.abort(problem);
		const decided = this.decide(this.tx.retry);
		if (!decided.success) return this.leaveOpen(decided.error);
		this.settle(decided.value);
		this.cleanup.decided();
		return decided.value === "committed" ? ok(true) : err(aborted(this.participants));
	}

	/** The compare-and-set that commits it, unless somebody was faster. */
	private decide(retry: Retry): Result<Outcome> {
		return this.participants[0].markers.decide(this.tx.id, "committed", retry);
	}

	/** Prepares what is changed and confirms what is not, all at once. The first problem, or undefined. */
	private phaseOne(): BatonError | undefined {
		let problem: BatonError | undefined;
		const note = (found: BatonError | undefined): void => {
			problem ??= found;
		};
		runAll(this.platform, [
			...this.changed.map(
				({ participant, data }) =>
					() =>
						note(participant.prepare(this.tx, data)),
			),
			...this.confirmations(note),
		]);
		return problem;
	}

	private confirmations(note: (problem: BatonError | undefined) => void): ReadonlyArray<() => void> {
		return this.unchanged.map((participant) => () => note(participant.confirm(this.tx)));
	}

	/** One profile at most is changed: what the others had is confirmed first, then one write does it all. */
	private alone(): Result<boolean> {
		let problem: BatonError | undefined;
		runAll(
			this.platform,
			this.confirmations((found) => {
				problem ??= found;
			}),
		);
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

	private abort(problem: BatonError): Result<boolean> {
		this.platform.task.spawn(() => {
			const { markers } = this.participants[0];
			// For readers of prepares that landed: without it they wait for the transaction to expire.
			if (markers.decide(this.tx.id, "aborted", this.tx.retry).success) this.cleanup.decided();
		});
		this.settle("aborted");
		return err(aborted(this.participants, problem));
	}

	/** The marker did not answer: it is asked until it does, and the participants wait for that. */
	private leaveOpen(cause: BatonError): Result<boolean> {
		const open = unknown(this.participants, cause);
		for (const { participant } of this.changed) participant.suspend(open);
		this.retry(() => {
			const decided = this.decide(ONE_TRY);
			if (!decided.success) return decided.error;
			this.settle(decided.value);
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

	private settle(outcome: Outcome): void {
		runAll(this.platform, [
			...this.changed.map(
				({ participant, data }) =>
					() =>
						participant.settle(this.tx, outcome, data, this.cleanup),
			),
			...this.unchanged.map((participant) => () => participant.giveBack(this.tx)),
		]);
	}
}
