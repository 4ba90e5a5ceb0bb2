import { Platform } from "../../platform/platform";
import { PROBE_PREFIX } from "../../record/limits";
import { encodeBody } from "./body";
import { HttpClient, Precondition } from "./client";

/** The record that the probe tries to write over. It stays in storage. */
const PROBE_KEY = `${PROBE_PREFIX}record`;
const FAILED_PRECONDITION = 412;
/** No server gives a record such an ETag. */
const NO_ETAG = '"baton-no-such-etag"';

/** What a probe found: preconditions are honoured, or not and why, or the API could not be asked. */
export type ProbeResult =
	| { readonly kind: "honoured" }
	| { readonly kind: "refused"; readonly text: string }
	| { readonly kind: "unanswered" | "unsendable"; readonly text: string };

/** A write that must fail. */
interface Trap {
	readonly key: string;
	readonly precondition: Precondition;
	readonly name: string;
}

/**
 * Finds out whether the API enforces both preconditions, by writes that it has to refuse with 412: one that wants no
 * record where there is one, one that wants an ETag which the record does not have, one that wants an ETag where there
 * is no record. Without them two servers would write over each other unnoticed. Yields.
 */
export function probe(client: HttpClient, platform: Platform): ProbeResult {
	const { http } = platform;
	const body = encodeBody(http, { Kind: "CKProbe" }, [], {});
	const put = (key: string, precondition: Precondition) => client.send("PUT", key, body, precondition);
	const made = put(PROBE_KEY, { ifNoneMatch: "*" });
	if (made.kind !== "response") return { kind: made.kind, text: made.text };
	if (made.status !== FAILED_PRECONDITION && (made.status < 200 || made.status >= 300)) {
		return { kind: "refused", text: `it answered the creation of a record with HTTP ${made.status}` };
	}
	const missing = PROBE_PREFIX + http.GenerateGUID(false);
	const traps: Array<Trap> = [
		{ key: PROBE_KEY, precondition: { ifNoneMatch: "*" }, name: "If-None-Match: * on a record that exists" },
		{ key: PROBE_KEY, precondition: { ifMatch: NO_ETAG }, name: "If-Match with another ETag than the record's" },
		{ key: missing, precondition: { ifMatch: NO_ETAG }, name: "If-Match where there is no record" },
	];
	for (const { key, precondition, name } of traps) {
		const answer = put(key, precondition);
		if (answer.kind !== "response") return { kind: answer.kind, text: answer.text };
		if (answer.status === FAILED_PRECONDITION) continue;
		if (key === missing) client.send("DELETE", missing);
		return { kind: "refused", text: `it answered ${name} with HTTP ${answer.status} and not with 412` };
	}
	return { kind: "honoured" };
}
