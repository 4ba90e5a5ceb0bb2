export { decodeJson } from "./decode";
export { encodeJson } from "./encode";

import { decodeJson } from "./decode";
import { encodeJson } from "./encode";

/** The JSON text of a value, or undefined where it has none. */
export function tryEncodeJson(value: unknown): string | undefined {
	const [success, text] = pcall(() => encodeJson(value));
	return success ? text : undefined;
}

/** A fresh copy of a value as it arrives after a journey as JSON. Throws on what the encoder refuses. */
export function copyThroughJson<T>(value: T): T {
	return typeIs(value, "table") ? (decodeJson(encodeJson(value)) as T) : value;
}
