import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * A small web server that keeps records, for specs of the Http backend.
 * - `enforcing`: as a backend should be: ETags; a PUT needs If-Match or If-None-Match: * and is refused with 412 when
 *   the record is not as the caller believes.
 * - `ignoring`: gives ETags, but takes every PUT.
 * - `untagged`: enforces, but tells no ETag.
 */
export type LoopbackKind = "enforcing" | "ignoring" | "untagged";

interface Stored {
	readonly tag: string;
	readonly body: string;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Array<Buffer> = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}

/** Starts an empty server on this machine and answers its URL. It goes on until its thread ends. */
export function startLoopback(kind: LoopbackKind): Promise<string> {
	const records = new Map<string, Stored>();
	let count = 0;

	const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
		const path = request.url ?? "/";
		const body = await bodyOf(request);
		const stored = records.get(path);
		const answer = (status: number, record?: Stored, text = ""): void => {
			const headers: Record<string, string> = { "content-type": "application/json" };
			if (record !== undefined && kind !== "untagged") headers.etag = record.tag;
			response.writeHead(status, headers);
			response.end(text);
		};
		const { "if-match": match, "if-none-match": noneMatch } = request.headers;
		const isRefused =
			match !== undefined ? stored?.tag !== match : noneMatch === "*" ? stored !== undefined : undefined;

		if (request.method === "GET") {
			if (stored === undefined) answer(404);
			else answer(200, stored, stored.body);
		} else if (request.method === "PUT" || request.method === "DELETE") {
			if (kind !== "ignoring" && isRefused === undefined) answer(428);
			else if (kind !== "ignoring" && isRefused === true) answer(412, stored);
			else if (request.method === "DELETE") {
				records.delete(path);
				answer(204);
			} else {
				count += 1;
				const record = { tag: `"${count}"`, body };
				records.set(path, record);
				answer(stored === undefined ? 201 : 200, record);
			}
		} else answer(405);
	};

	return new Promise((resolve, reject) => {
		const server = createServer((request, response) => {
			handle(request, response).catch(() => response.destroy());
		});
		server.on("error", reject);
		server.listen(0, "127.0.0.1", () => {
			server.unref();
			resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
		});
	});
}

interface LoopbackRequest {
	readonly method: string;
	readonly url: string;
	readonly headers?: Record<string, string>;
	readonly body?: string;
}

const FETCH_SECONDS = 30;

/** Sends a request (JSON text) to a server of this machine; answers `{ status, headers, body }` or `{ error }` as JSON. */
export async function fetchLoopback(text: string): Promise<string> {
	try {
		const { method, url, headers, body } = JSON.parse(text) as LoopbackRequest;
		if (new URL(url).hostname !== "127.0.0.1") throw new Error(`${url} is not on this machine`);
		const response = await fetch(url, {
			method,
			headers: Array.isArray(headers) ? {} : headers,
			body: method === "GET" || body === "" ? undefined : body,
			signal: AbortSignal.timeout(FETCH_SECONDS * 1000),
		});
		return JSON.stringify({
			status: response.status,
			headers: Object.fromEntries(response.headers),
			body: await response.text(),
		});
	} catch (error) {
		return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
	}
}
