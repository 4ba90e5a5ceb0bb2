import { BatonError } from "../../errors";
import { Platform } from "../../platform/platform";
import { Result, err, ok } from "../../result";
import { Waiter } from "../../util/waiter";
import { Answer, Backend, ReadRecord, Transform } from "../backend";
import { BackendContext, BackendFactory } from "../factory";
import { StoreCall, storeError, transformError } from "../storeError";
import { TransformRun } from "../transformRun";
import { decodeBody, encodeBody } from "./body";
import { HttpAnswer, HttpClient, Precondition } from "./client";
import { HttpOptions, checkHttpOptions } from "./options";
import { ProbeResult, probe } from "./probe";

const DEFAULT_RETRIES = 2;
const DEFAULT_RETRY_SECONDS = 0.5;
/** How often a write starts over because another server's came between, before it gives up for now. */
const MAX_CONFLICTS = 12;

/** One step of a call: done, or to be done again since others wrote in between or the server failed, or no use. */
type Step<T> =
	| { readonly kind: "done"; readonly value: T }
	| { readonly kind: "conflict" }
	| { readonly kind: "unanswered" | "rejected"; readonly text: string }
	| { readonly kind: "failed"; readonly error: BatonError };

/** A record as the API gave it, and what a write of it is conditional on. */
interface Base {
	readonly record?: ReadRecord;
	readonly precondition: Precondition;
}

/** Whether the API may be trusted with writes. */
type Trust = "unknown" | "honoured" | { readonly refused: string };

/** Records kept by a web API. */
class HttpBackend implements Backend {
	public readonly name = "Http";
	public readonly hasStoreTime = false;
	private readonly client: HttpClient;
	private readonly platform: Platform;
	private trust: Trust = "unknown";
	private probing?: Waiter<ProbeResult>;

	public constructor(
		private readonly context: BackendContext,
		private readonly options: HttpOptions,
	) {
		this.platform = context.platform;
		this.client = new HttpClient(context, options);
	}

	public update<R>(key: string, transform: Transform<R>): Result<Answer<R>> {
		const call = this.call("the update", key);
		// A write whose answer was lost is recognized by the transform's next run, or refused by its precondition.
		const sent = { isUnanswered: false };
		return this.persist(
			call,
			() => this.updateOnce(call, transform, sent),
			() => sent.isUnanswered,
		);
	}

	public read(key: string, _fresh: boolean): Result<ReadRecord | undefined> {
		const call = this.call("the read", key);
		return this.persist(call, () => {
			const got = this.get(key);
			return got.kind === "done" ? { kind: "done", value: got.value.record } : got;
		});
	}

	/** Conditional like a write, so that it takes nothing away but the record as it is now. */
	protected delete(key: string): Result<undefined> {
		const call = this.call("the removal", key);
		return this.persist(call, (): Step<undefined> => {
			const got = this.get(key);
			if (got.kind !== "done") return got;
			if (got.value.record === undefined) return { kind: "done", value: undefined };
			const answer = this.client.send("DELETE", key, undefined, got.value.precondition);
			if (answer.kind !== "response") return withoutResponse(answer);
			if (answer.status === 412) return { kind: "conflict" };
			const gone = answer.status === 404 || (answer.status >= 200 && answer.status < 300);
			return gone ? { kind: "done", value: undefined } : { kind: "rejected", text: `HTTP ${answer.status}` };
		});
	}

	private updateOnce<R>(call: StoreCall, transform: Transform<R>, sent: { isUnanswered: boolean }): Step<Answer<R>> {
		const got = this.get(call.key);
		if (got.kind !== "done") return got;
		const { record, precondition } = got.value;
		const run = new TransformRun(transform);
		const change = run.decide(record?.value, record?.info);
		if (change === undefined) {
			const message = run.last?.kind === "threw" ? run.last.message : "it did not run";
			return { kind: "failed", error: transformError(call, message) };
		}
		if (change.write === undefined) {
			const { report } = change;
			return { kind: "done", value: { report, wrote: false, mayHaveWritten: sent.isUnanswered } };
		}
		const { write, userIds, metadata, report } = change;
		const [fine, body] = pcall(() => encodeBody(this.platform.http, write, userIds, metadata));
		if (!fine) return { kind: "rejected", text: tostring(body) };
		const answer = this.client.send("PUT", call.key, body, precondition);
		if (answer.kind === "unanswered") sent.isUnanswered = true;
		if (answer.kind !== "response") return withoutResponse(answer);
		if (answer.status === 412) return { kind: "conflict" };
		if (answer.status < 200 || answer.status >= 300) return { kind: "rejected", text: `HTTP ${answer.status}` };
		return { kind: "done", value: { report, wrote: true } };
	}

	private get(key: string): Step<Base> {
		const answer = this.client.send("GET", key);
		if (answer.kind !== "response") return withoutResponse(answer);
		if (answer.status === 404) return { kind: "done", value: { precondition: { ifNoneMatch: "*" } } };
		if (answer.status !== 200) return { kind: "rejected", text: `HTTP ${answer.status}` };
		if (answer.etag === undefined) {
			return { kind: "rejected", text: "the record has no strong ETag, so no write to it could be made safe" };
		}
		const record = decodeBody(this.platform.http, answer.body);
		if (record === undefined) {
			return { kind: "rejected", text: "the answer is no JSON of { value, userIds, metadata }" };
		}
		return { kind: "done", value: { record, precondition: { ifMatch: answer.etag } } };
	}

	/** Makes sure of the preconditions, then takes steps until one is done, or it is no use. */
	private persist<T>(call: StoreCall, step: () => Step<T>, unsure?: () => boolean): Result<T> {
		const distrust = this.ready(call);
		if (distrust !== undefined) return err(distrust);
		let conflicts = 0;
		let failures = 0;
		for (;;) {
			const taken = step();
			if (taken.kind === "done") return ok(taken.value);
			if (taken.kind === "failed") return err(taken.error);
			if (taken.kind === "rejected") {
				return err(storeError(call, unsure?.() === true ? "retryable" : "rejected", taken.text));
			}
			if (taken.kind === "conflict") {
				conflicts += 1;
				if (conflicts >= MAX_CONFLICTS) {
					return err(storeError(call, "retryable", `others wrote in between, ${conflicts} times in a row`));
				}
				this.platform.task.wait(this.platform.random() * 0.05 * conflicts);
				continue;
			}
			failures += 1;
			if (failures > (this.options.retries ?? DEFAULT_RETRIES)) {
				return err(storeError(call, "retryable", taken.text));
			}
			this.platform.task.wait((this.options.retrySeconds ?? DEFAULT_RETRY_SECONDS) * 2 ** (failures - 1));
		}
	}

	/** Why the API must not be used, or undefined where it may. Probes it at first use; yields then. */
	private ready(call: StoreCall): BatonError | undefined {
		if (this.trust === "honoured") return undefined;
		if (this.trust !== "unknown") return storeError(call, "rejected", this.trust.refused);
		const found = this.probed();
		if (found.kind === "honoured") return undefined;
		if (found.kind === "refused") return storeError(call, "rejected", refusal(found.text));
		const text = `the API's preconditions could not be tried: ${found.text}`;
		return storeError(call, found.kind === "unsendable" ? "rejected" : "retryable", text);
	}

	/** The running probe's result, or that of a new one; it has a thread of its own, so no caller can break it off. */
	private probed(): ProbeResult {
		const running = this.probing ?? new Waiter<ProbeResult>(this.platform);
		if (this.probing === undefined) {
			this.probing = running;
			this.platform.task.spawn(() => {
				const found = probe(this.client, this.platform);
				if (found.kind === "honoured") this.trust = "honoured";
				else if (found.kind === "refused") this.trust = { refused: refusal(found.text) };
				this.probing = undefined;
				running.resolve(found);
			});
		}
		return running.wait()!;
	}

	private call(what: string, key: string): StoreCall {
		return { backend: this.name, store: this.context.store, key, what };
	}
}

/** What to do about a request that got no response. */
function withoutResponse<T>(answer: Exclude<HttpAnswer, { kind: "response" }>): Step<T> {
	return { kind: answer.kind === "unanswered" ? "unanswered" : "rejected", text: answer.text };
}

function refusal(text: string): string {
	return `the API does not honour preconditions and is not used: ${text}`;
}

/** The same over an API that takes DELETE. */
class RemovingHttpBackend extends HttpBackend {
	public remove(key: string): Result<undefined> {
		return this.delete(key);
	}
}

/**
 * The backend over a web API that gives each record an ETag and makes writes conditional on it. The API
 *
 * - answers GET with 200, a strong `ETag` and `{ "value", "userIds", "metadata" }` as JSON, or 404;
 * - takes PUT of the same JSON, atomically, with `If-Match: <ETag>` on a record that is there, or `If-None-Match: *` on
 *   one that is not, and answers 412 where that does not hold; every write gives another ETag;
 * - may take DELETE under `If-Match` (`remove`).
 *
 * At first use a probe tries both preconditions, and an API that does not enforce them is not used. There are no
 * versions and no store time: a lock's age goes by the wall clock. Throws when the options are not fit for use.
 */
export function httpBackend(options: HttpOptions): BackendFactory {
	checkHttpOptions(options);
	return (context) =>
		options.remove === true ? new RemovingHttpBackend(context, options) : new HttpBackend(context, options);
}
