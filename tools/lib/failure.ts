/** A failure whose message says all that a person needs: it is printed without a stack. */
export class StepFailure extends Error {
	public constructor(
		message: string,
		/** What the failed program printed. */
		public readonly details = "",
	) {
		super(message);
	}
}

/** The text of anything thrown. */
export function textOf(error: unknown): string {
	if (error instanceof StepFailure) return error.details.trim() === "" ? error.message : error.details.trim();
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
