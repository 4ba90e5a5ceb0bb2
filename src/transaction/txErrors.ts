import { BatonError, ErrorType } from "../errors";
import { Participant } from "./participant";

/** The error of a transaction that is off; without `cause` another server aborted it. */
export function aborted(participants: ReadonlyArray<Participant>, cause?: BatonError): BatonError {
	const why = cause !== undefined ? cause.message : "another server has finished it as aborted";
	return failure("tx_aborted", participants, `was aborted, and nobody's data changed: ${why}`, cause);
}

/** The error of a transaction whose outcome is not known. */
export function unknown(participants: ReadonlyArray<Participant>, cause: BatonError): BatonError {
	const what = `may be committed or not; its profiles take no changes until a retry finds out: ${cause.message}`;
	return failure("tx_unknown", participants, what, cause);
}

/** The error of a transaction that was not begun, since another has one of its profiles. */
export function busy({ key, store }: Participant): BatonError {
	const message = `Baton: "${key}" of store "${store}" is in another trade or transaction; nothing was written, try again`;
	return new BatonError("busy", message, { key, store });
}

function failure(
	kind: ErrorType,
	participants: ReadonlyArray<Participant>,
	what: string,
	cause: BatonError | undefined,
): BatonError {
	const names = participants.map(({ store, key }) => `"${key}" in store "${store}"`).join(", ");
	return new BatonError(kind, `Baton: a transaction of ${names} ${what}`, { cause });
}
