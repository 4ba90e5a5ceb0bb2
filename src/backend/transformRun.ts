import { Change, RecordInfo, Transform } from "./backend";

/** What the last run of a transform came to. */
export type RunOutcome<R> =
	| { readonly kind: "decided"; readonly change: Change<R> }
	/** The transform threw: a bug. Nothing is written. */
	| { readonly kind: "threw"; readonly message: string };

/** Runs a transform as often as the store likes; only what its last run came to counts. */
export class TransformRun<R> {
	/** Undefined until it has run. */
	public last?: RunOutcome<R>;
	/** Whether a run before the last one wanted to write: the store may have done so, and run it again all the same. */
	public mayHaveWritten = false;

	public constructor(private readonly transform: Transform<R>) {}

	/** Runs it once; undefined where it threw. Neither throws nor yields. */
	public decide(value: unknown, info: RecordInfo | undefined): Change<R> | undefined {
		const { last } = this;
		if (last?.kind === "decided" && last.change.write !== undefined) this.mayHaveWritten = true;
		const [fine, result] = pcall(() => this.transform(value, info));
		if (!fine) {
			this.last = { kind: "threw", message: tostring(result) };
			return undefined;
		}
		this.last = { kind: "decided", change: result };
		return result;
	}
}
