import { HttpRequest, HttpResponse, HttpSecret } from "../../platform/platform";
import { Waiter } from "../../util/waiter";
import { BackendContext } from "../factory";
import { HttpOptions } from "./options";

/** Roblox's own name for the scope of a store that has none. */
const DEFAULT_SCOPE = "global";
const DEFAULT_TIMEOUT_SECONDS = 15;

/** What came of one request. */
export type HttpAnswer =
	| {
			readonly kind: "response";
			readonly status: number;
			readonly etag?: string;
			readonly body: string;
	  }
	/** Failed at the server or on the way; what it asked for may have been done. */
	| { readonly kind: "unanswered"; readonly text: string }
	/** Could not be sent at all, and will not be until the game's settings change. */
	| { readonly kind: "unsendable"; readonly text: string };

/** What a write is conditional on: the record as it was read, or that there is none. */
export type Precondition = { readonly ifMatch: string } | { readonly ifNoneMatch: "*" };

/** Statuses by which a server asks for the same request again later. */
const LATER = new Set([408, 425, 429]);

/** An ETag that a write can be made conditional on: a strong one. Weak ones do not tell two values apart. */
function strongEtag(response: HttpResponse): string | undefined {
	for (const [name, value] of pairs(response.Headers)) {
		if (name.lower() === "etag") return value.match('^".*"$')[0] !== undefined ? value : undefined;
	}
	return undefined;
}

/** Sends single requests about records to the API. */
export class HttpClient {
	private readonly prefix: string;

	public constructor(
		private readonly context: BackendContext,
		private readonly options: HttpOptions,
	) {
		const { store, scope = DEFAULT_SCOPE, platform } = context;
		const [base] = options.url.gsub("/+$", "");
		this.prefix = `${base}/${platform.http.UrlEncode(store)}/${platform.http.UrlEncode(scope)}/`;
	}

	/** Yields until the answer is there, or the time limit has passed. Does not throw. */
	public send(method: HttpRequest["Method"], key: string, body?: string, precondition?: Precondition): HttpAnswer {
		const { platform } = this.context;
		const [built, request] = pcall(() => this.request(method, key, body, precondition));
		if (!built) return { kind: "unsendable", text: tostring(request) };
		const waiter = new Waiter<HttpAnswer>(platform);
		platform.task.spawn(() => {
			const [fine, response] = pcall(() => platform.http.RequestAsync(request));
			waiter.resolve(fine ? readResponse(response) : readFailure(tostring(response)));
		});
		const seconds = this.options.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
		return waiter.wait(seconds) ?? { kind: "unanswered", text: `no answer within ${seconds} s` };
	}

	private request(
		method: HttpRequest["Method"],
		key: string,
		body: string | undefined,
		precondition: Precondition | undefined,
	): HttpRequest {
		const { http } = this.context.platform;
		const { headers = {}, secretHeader } = this.options;
		const all: Record<string, string | HttpSecret> = { ...headers };
		if (body !== undefined) all["Content-Type"] = "application/json";
		if (precondition !== undefined) {
			if ("ifMatch" in precondition) all["If-Match"] = precondition.ifMatch;
			else all["If-None-Match"] = precondition.ifNoneMatch;
		}
		if (secretHeader !== undefined) {
			const { name, secret, prefix } = secretHeader;
			const value = http.GetSecret(secret);
			all[name] = prefix !== undefined ? value.AddPrefix(prefix) : value;
		}
		return { Url: this.prefix + http.UrlEncode(key), Method: method, Headers: all, Body: body };
	}
}

function readResponse(response: HttpResponse): HttpAnswer {
	const { StatusCode: status, StatusMessage: message, Body: body } = response;
	if (status >= 500 || LATER.has(status)) return { kind: "unanswered", text: `HTTP ${status} (${message})` };
	return { kind: "response", status, etag: strongEtag(response), body };
}

function readFailure(text: string): HttpAnswer {
	return { kind: text.find("not enabled", 1, true)[0] !== undefined ? "unsendable" : "unanswered", text };
}
