import { OpenProfile } from "../driver/openProfile";
import { BatonError, ErrorType } from "../errors";

/** The error of a trade, about one of its profiles. */
export function failure<T extends object>(
	kind: ErrorType,
	profile: OpenProfile<T>,
	what: string,
	cause?: BatonError,
): BatonError {
	const { key } = profile;
	const { store } = profile.home;
	const message = `Baton: a trade of "${key}" in store "${store}": ${what}${cause !== undefined ? `. ${cause.message}` : ""}`;
	return new BatonError(kind, message, { store, key, cause });
}
