/** A failure whose message says all that a person needs: it is printed without a stack. */
export class StepFailure extends Error {
	public constructor(
		message: string,
		public readonly details = "",
	) {
		super(message);
	}
}
