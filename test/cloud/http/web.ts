import { decodeJson, encodeJson } from "../json";

/** A request as it arrives at a web server. Header names are in lower case. */
export interface WebRequest {
	readonly method: string;
	readonly url: string;
	/** The URL after the prefix that the server is registered for. */
	readonly path: string;
	readonly headers: ReadonlyMap<string, string>;
	readonly body: string;
}

/** What a web server answers. */
export interface WebResponse {
	readonly status: number;
	readonly headers?: Record<string, string>;
	readonly body?: string;
}

/** A web server inside the world. Runs when the request is applied; may not yield. */
export type WebHandler = (request: WebRequest) => WebResponse;

/**
 * The way to real web servers: takes `{ method, url, headers, body }` as JSON, answers `{ status, headers, body }` or
 * `{ error }` as JSON.
 */
export type RealFetch = (request: string) => string;

/** Given by a host that lets its specs reach real web servers on its own machine. */
declare const __BATON_FETCH: RealFetch | undefined;

interface Route {
	readonly prefix: string;
	readonly handler: WebHandler;
}

/** The web that the servers of a world reach, and the experience's settings for it. */
export class Web {
	/** The experience's setting "Allow HTTP Requests". */
	public enabled = true;
	private routes = new Array<Route>();
	private readonly secrets = new Map<string, string>();
	private fetch: RealFetch | undefined = __BATON_FETCH;

	/** Puts a web server at all URLs that begin with `prefix`; a later one goes before. */
	public serve(prefix: string, handler: WebHandler): void {
		this.routes = [{ prefix, handler }, ...this.routes];
	}

	/** Takes the web servers at `prefix` away. */
	public close(prefix: string): void {
		this.routes = this.routes.filter((route) => route.prefix !== prefix);
	}

	/** Sends what no server of this world answers to real ones. */
	public connect(fetch: RealFetch | undefined): void {
		this.fetch = fetch;
	}

	/** Whether real web servers can be reached. */
	public isConnected(): boolean {
		return this.fetch !== undefined;
	}

	/** Sets one of the experience's secrets. */
	public setSecret(name: string, text: string): void {
		this.secrets.set(name, text);
	}

	public secretOf(name: string): string | undefined {
		return this.secrets.get(name);
	}

	/** Asks whoever is at the URL; undefined when nobody is. */
	public ask(request: Omit<WebRequest, "path">): WebResponse | undefined {
		for (const { prefix, handler } of this.routes) {
			if (request.url.sub(1, prefix.size()) !== prefix) continue;
			return handler({ ...request, path: request.url.sub(prefix.size() + 1) });
		}
		return this.askRealWorld(request);
	}

	private askRealWorld(request: Omit<WebRequest, "path">): WebResponse | undefined {
		if (this.fetch === undefined) return undefined;
		const { method, url, headers, body } = request;
		const answer = decodeJson(this.fetch(encodeJson({ method, url, headers, body }))) as WebResponse & {
			readonly error?: string;
		};
		return answer.error !== undefined ? undefined : answer;
	}
}
