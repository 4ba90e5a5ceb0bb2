import { decodeJson, encodeJson } from "../../cloud/json";
import { WebRequest, WebResponse } from "../../cloud/http/web";

/** What an API may do wrong. */
export interface Faulty {
	readonly ignoresIfMatch?: boolean;
	readonly ignoresIfNoneMatch?: boolean;
	/** Makes records for a PUT with If-Match where there is none. */
	readonly createsForIfMatch?: boolean;
	readonly etag?: "none" | "weak" | "lowerCase";
	/** What it answers to a failed precondition instead of 412. */
	readonly failedStatus?: number;
	/** Statuses of the next requests, by method, instead of doing anything. */
	readonly next?: Record<string, Array<number>>;
}

interface Kept {
	readonly body: string;
	readonly etag: number;
}

/** A web API that keeps records as Baton's Http backend wants it, with mistakes on demand. */
export class RecordServer {
	public readonly requests = new Array<WebRequest>();
	public readonly records = new Map<string, Kept>();
	/** Runs before each PUT or DELETE is looked at, as another writer would. */
	public beforeWrite?: (path: string) => void;
	private writes = 0;

	public constructor(public faulty: Faulty = {}) {}

	/** The handler for the emulated web. */
	public readonly handle = (request: WebRequest): WebResponse => {
		this.requests.push(request);
		const status = this.faulty.next?.[request.method]?.shift();
		if (status !== undefined && status !== 0) return { status };
		if (request.method === "GET") return this.get(request.path);
		this.beforeWrite?.(request.path);
		if (request.method === "DELETE") return this.remove(request);
		return this.put(request);
	};

	/** Stores a body as another writer does. */
	public write(path: string, body: string): void {
		this.writes += 1;
		this.records.set(path, { body, etag: this.writes });
	}

	/** The value stored at a path. */
	public valueAt(path: string): unknown {
		const kept = this.records.get(path);
		return kept === undefined ? undefined : (decodeJson(kept.body) as { value: unknown }).value;
	}

	/** Stores a value as another writer does. */
	public writeValue(path: string, value: unknown): void {
		this.write(path, encodeJson({ value, userIds: [], metadata: {} }));
	}

	/** How many requests of a method came for a path. */
	public count(method: string, path: string): number {
		return this.requests.filter((each) => each.method === method && each.path === path).size();
	}

	private get(path: string): WebResponse {
		const kept = this.records.get(path);
		if (kept === undefined) return { status: 404 };
		const { etag } = this.faulty;
		if (etag === "none") return { status: 200, body: kept.body };
		if (etag === "weak") return { status: 200, body: kept.body, headers: { ETag: `W/"${kept.etag}"` } };
		if (etag === "lowerCase") return { status: 200, body: kept.body, headers: { etag: `"${kept.etag}"` } };
		return { status: 200, body: kept.body, headers: { ETag: `"${kept.etag}"` } };
	}

	private remove({ path, headers }: WebRequest): WebResponse {
		const kept = this.records.get(path);
		if (headers.get("if-match") !== `"${kept?.etag}"`) return { status: 412 };
		this.records.delete(path);
		return { status: 204 };
	}

	private put(request: WebRequest): WebResponse {
		const { path, headers, body } = request;
		const { ignoresIfMatch, ignoresIfNoneMatch, createsForIfMatch, failedStatus = 412 } = this.faulty;
		const kept = this.records.get(path);
		const ifMatch = headers.get("if-match");
		if (ifMatch !== undefined && ignoresIfMatch !== true) {
			const fails = kept !== undefined ? ifMatch !== `"${kept.etag}"` : createsForIfMatch !== true;
			if (fails) return { status: failedStatus };
		}
		if (headers.get("if-none-match") === "*" && ignoresIfNoneMatch !== true && kept !== undefined) {
			return { status: failedStatus };
		}
		this.write(path, body);
		return { status: kept === undefined ? 201 : 204 };
	}
}
