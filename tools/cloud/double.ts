import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** What the double knows of an upload. */
export interface Upload {
	readonly versionType: string;
	readonly body: string;
}

/** How a task of the double ends. */
export interface DoubleEnd {
	readonly results?: Array<unknown>;
	readonly error?: { readonly code: string; readonly message: string };
	readonly logs?: Array<string>;
}

export interface DoubleOptions {
	readonly key: string;
	readonly universe: string;
	readonly place: string;
	/** Runs the script of a task in the place that was uploaded. */
	readonly runTask?: (upload: Upload, script: string) => Promise<DoubleEnd>;
	/** Status codes that the first requests get instead of their answers. */
	readonly trouble?: Array<number>;
}

export interface Double {
	readonly url: string;
	readonly uploads: Array<Upload>;
	readonly requests: Array<string>;
	readonly close: () => void;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
	const chunks: Array<Buffer> = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}

/**
 * Open Cloud on this machine, as far as Baton's tools use it: place publishing, and Luau execution tasks. Made from
 * Roblox's documentation; the real one has not been asked.
 */
export function startDouble(options: DoubleOptions): Promise<Double> {
	const { key, universe, place, trouble = [] } = options;
	const uploads: Array<Upload> = [];
	const requests: Array<string> = [];
	const tasks = new Map<string, { looks: number; end?: DoubleEnd }>();

	const versions = `/universes/v1/${universe}/places/${place}/versions`;
	const newTask = new RegExp(
		`^/cloud/v2/universes/${universe}/places/${place}/versions/(\\d+)/luau-execution-session-tasks$`,
	);

	const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown }> => {
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://double");
		const body = await bodyOf(request);
		requests.push(`${request.method} ${pathname}`);
		const refuse = (status: number, message: string) => ({ status, body: { code: status, message } });
		const planned = trouble.shift();
		if (planned !== undefined) return refuse(planned, "planned trouble");
		if (request.headers["x-api-key"] !== key) return refuse(401, "Invalid API Key");

		if (request.method === "POST" && pathname.startsWith("/universes/v1/")) {
			if (pathname !== versions) return refuse(pathname.includes(`/${universe}/`) ? 409 : 404, "no such place");
			const versionType = searchParams.get("versionType") ?? "";
			const type = request.headers["content-type"];
			const isXml = type === "application/xml" && body.startsWith("<roblox");
			if (!isXml && type !== "application/octet-stream") return refuse(400, "not a place");
			if (versionType !== "Saved" && versionType !== "Published") return refuse(400, "bad versionType");
			uploads.push({ versionType, body });
			return { status: 200, body: { versionNumber: uploads.length } };
		}
		const created = request.method === "POST" ? newTask.exec(pathname) : null;
		if (created !== null) {
			const upload = uploads[Number(created[1]) - 1];
			const { script, timeout } = JSON.parse(body) as { script?: string; timeout?: string };
			const seconds = Number(/^(\d+)s$/.exec(timeout ?? "")?.[1]);
			if (upload === undefined) return refuse(404, "no such version");
			if (typeof script !== "string" || !(seconds > 0 && seconds <= 300)) return refuse(400, "bad task");
			const path = `${pathname.slice("/cloud/v2/".length).replace(/-tasks$/, "s")}/s${tasks.size}/tasks/t${tasks.size}`;
			const task: { looks: number; end?: DoubleEnd } = { looks: 0 };
			tasks.set(path, task);
			const run = options.runTask ?? (() => Promise.resolve({ results: [] }));
			void run(upload, script).then(
				(end) => (task.end = end),
				(error: unknown) => (task.end = { error: { code: "SCRIPT_ERROR", message: String(error) } }),
			);
			return { status: 200, body: { path, state: "QUEUED" } };
		}
		const isLogs = pathname.endsWith("/logs");
		const path = pathname.slice("/cloud/v2/".length).replace(/\/logs$/, "");
		const task = tasks.get(path);
		if (request.method !== "GET" || task === undefined) return refuse(404, "not found");
		if (isLogs) {
			if (task.end === undefined) return refuse(400, "the task has not ended");
			const lines = task.end.logs ?? [];
			// Two pages, as from long logs.
			const isSecond = searchParams.get("pageToken") === "2";
			const messages = isSecond ? lines.slice(1) : lines.slice(0, 1);
			const nextPageToken = isSecond || lines.length < 2 ? "" : "2";
			return { status: 200, body: { luauExecutionSessionTaskLogs: [{ path, messages }], nextPageToken } };
		}
		task.looks += 1;
		// Never at the first look: callers must wait.
		if (task.end === undefined || task.looks < 2) return { status: 200, body: { path, state: "PROCESSING" } };
		const { results = [], error } = task.end;
		if (error !== undefined) return { status: 200, body: { path, state: "FAILED", error } };
		return { status: 200, body: { path, state: "COMPLETE", output: { results } } };
	};

	return new Promise((resolve, reject) => {
		const server = createServer((request, response) => {
			answer(request).then(
				({ status, body }) => {
					response.writeHead(status, { "content-type": "application/json" });
					response.end(JSON.stringify(body));
				},
				() => response.destroy(),
			);
		});
		server.on("error", reject);
		server.listen(0, "127.0.0.1", () => {
			server.unref();
			const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
			resolve({ url, uploads, requests, close: () => server.close() });
		});
	});
}
