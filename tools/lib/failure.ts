import { stripVTControlCharacters } from "node:util";

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

/** The text of anything thrown; without colours where nobody sees them. */
export function textOf(error: unknown): string {
	if (error instanceof StepFailure) {
		const text = error.details.trim() === "" ? error.message : error.details.trim();
		return process.stdout.isTTY ? text : stripVTControlCharacters(text);
	}
	return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
