import { HttpRequest, HttpResponse, HttpSecret, HttpsService } from "../../../src/platform/platform";
import { decodeJson, encodeJson } from "../json";
import { MinuteCounter } from "../minuteCounter";
import { SeededRandom } from "../random";
import { CallDescriptor, FailureKind } from "../requests";
import { Server } from "../server";
import { World } from "../world";
import { createSecret, revealSecret } from "./secret";
import { statusText } from "./statusTexts";
import { urlEncode } from "./urlEncode";
import { Web, WebResponse } from "./web";

/** Requests of one server in a minute (HttpService docs). */
const REQUESTS_PER_MINUTE = 500;
/** How long a request over the limit may stall (HttpService docs). */
const STALL_SECONDS = 30;

const failures: Record<FailureKind, string> = {
	failed: "HttpError: ConnectFail",
	answerLost: "HttpError: Timedout",
	throttled: "Number of requests exceeded limit",
	unreachable: "HttpError: DnsResolve",
};

/** `HttpService` of one server. */
export class EmulatedHttp implements HttpsService {
	private readonly random: SeededRandom;
	private readonly requestsMade: MinuteCounter;

	public constructor(
		private readonly world: World,
		private readonly server: Server,
		private readonly web: Web,
	) {
		this.random = world.random.fork(`guids ${server.name}`);
		this.requestsMade = new MinuteCounter(() => world.now());
	}

	public GenerateGUID(wrapInCurlyBraces = true): string {
		const guid = this.random.guid();
		return wrapInCurlyBraces ? `{${guid}}` : guid;
	}

	public JSONEncode(value: unknown): string {
		return encodeJson(value);
	}

	public JSONDecode(text: string): unknown {
		return decodeJson(text);
	}

	public UrlEncode(text: string): string {
		return urlEncode(text);
	}

	/** Throws when the experience has no such secret. */
	public GetSecret(key: string): HttpSecret {
		const text = this.web.secretOf(key);
		if (text === undefined) error(`Can't find secret with given key ${key}`, 0);
		return createSecret(text);
	}

	public RequestAsync(request: HttpRequest): HttpResponse {
		const url = revealSecret(request.Url);
		const descriptor: CallDescriptor = {
			service: "Http",
			op: "RequestAsync",
			// What is secret stays out of the trace.
			store: typeIs(request.Url, "string") ? request.Url : tostring(request.Url),
			key: request.Method,
			failureText: (kind) => failures[kind],
			admit: (proceed, refuse) => this.admit(proceed, refuse),
		};
		const problem = this.problemOf(url);
		if (problem !== undefined) this.world.requests.refuse(this.server, descriptor, problem);
		const headers = new Map<string, string>();
		for (const [name, value] of pairs(request.Headers ?? {})) headers.set(name.lower(), revealSecret(value));
		const ask = () => {
			const answer = this.web.ask({ method: request.Method, url, headers, body: request.Body ?? "" });
			if (answer === undefined) error(failures.failed, 0);
			return this.respond(answer);
		};
		return this.world.requests.call<HttpResponse>(this.server, descriptor, () =>
			request.Method === "GET" ? { answer: ask() } : { commit: ask },
		);
	}

	private problemOf(url: string): string | undefined {
		if (!this.web.enabled) return "Http requests are not enabled. Enable via game settings";
		const [scheme] = url.match("^https?://");
		return scheme === undefined ? "URL must be http or https" : undefined;
	}

	private admit(proceed: () => void, refuse: (text: string) => void): void {
		const { switches, scheduler } = this.world;
		if (!switches.limits || this.requestsMade.take("requests", REQUESTS_PER_MINUTE)) proceed();
		else if (switches.httpOverLimit === "error") refuse(failures.throttled);
		else scheduler.after(STALL_SECONDS, proceed);
	}

	private respond(answer: WebResponse): HttpResponse {
		const headers: Record<string, string> = {};
		for (const [name, value] of pairs(answer.headers ?? {})) {
			headers[this.world.switches.httpLowerCaseHeaders ? name.lower() : name] = value;
		}
		return {
			Success: answer.status >= 200 && answer.status < 300,
			StatusCode: answer.status,
			StatusMessage: statusText(answer.status),
			Headers: headers,
			Body: answer.body ?? "",
		};
	}
}
