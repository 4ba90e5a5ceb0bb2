import { BatonError } from "../errors";
import { RobloxErrorKind } from "./robloxErrors";

/** What is to be said after each kind of failure. */
const ADVICE: Record<RobloxErrorKind, string> = {
	retryable: "It may work later",
	rejected: "Trying again cannot help; what is stored was left as it is",
	closing: "The server is shutting down, and its services are gone",
	noAccess:
		"In Studio, publish the place and turn on Game Settings > Security > Enable Studio Access to API Services, " +
		"or use the Memory backend",
};

/** Names one call of a backend, for its errors. */
export interface StoreCall {
	/** `DataStore`, `Http`, … */
	readonly backend: string;
	readonly store: string;
	readonly key: string;
	/** As in `the update`. */
	readonly what: string;
}

/** The error of a call that failed: which call, what the service said, what it means. */
export function storeError(call: StoreCall, kind: RobloxErrorKind, text: string): BatonError {
	const { backend, store, key, what } = call;
	const landed = kind === "retryable" && what === "the update" ? "; the write may have landed all the same" : "";
	const message = `${what} of "${key}" in store "${store}" failed (${backend}): ${text}. ${ADVICE[kind]}${landed}.`;
	return new BatonError("roblox", message, { store, key, kind, retryable: kind === "retryable" });
}

/** The error of a transform that threw: a bug, not the store's fault. */
export function transformError(call: StoreCall, text: string): BatonError {
	return storeError(call, "rejected", `the change could not be decided: ${text}`);
}
