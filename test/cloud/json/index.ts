export { decodeJson } from "./decode";
export { encodeJson } from "./encode";

import { decodeJson } from "./decode";
import { encodeJson } from "./encode";

/** A fresh copy of a value as it arrives after a journey as JSON. Throws on what the encoder refuses. */
export function copyThroughJson<T>(value: T): T {
	return typeIs(value, "table") ? (decodeJson(encodeJson(value)) as T) : value;
}
