import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { StepFailure } from "../lib/failure.ts";
import type { CloudTarget } from "./target.ts";

/** What Roblox does with an upload: `Saved` keeps it for the developer, `Published` gives it to players. */
export type VersionType = "Saved" | "Published";

/** How a Luau execution task ended. */
export interface TaskEnd {
	readonly state: "COMPLETE" | "FAILED" | "CANCELLED";
	/** What the script returned. */
	readonly results: ReadonlyArray<unknown>;
	/** Why it failed, as `SCRIPT_ERROR: message`. */
	readonly error?: string;
	/** What it printed. */
	readonly logs: ReadonlyArray<string>;
}

interface Task {
	readonly path: string;
	readonly state: string;
	readonly output?: { readonly results?: Array<unknown> };
	readonly error?: { readonly code?: string; readonly message?: string };
}

interface LogPage {
	readonly luauExecutionSessionTaskLogs?: Array<{ readonly messages?: Array<string> }>;
	readonly nextPageToken?: string;
}

/** Seconds between two requests of a kind: Roblox allows 5 new tasks and 45 looks a minute. */
const PACE = { create: 12.5, look: 1.5, upload: 0 };
type Kind = keyof typeof PACE;

const TRIES = 5;
/** Pause in seconds after the first try that failed; it doubles. */
const PAUSE_SECONDS = 2;
const REQUEST_SECONDS = 180;
/** How long a task may take in all, beside its own time: a queue, and a server that boots a new version. */
const BOOT_SECONDS = 300;

const MEANING: Record<number, string> = {
	400: "the request was not understood",
	401: "the key is not accepted: it is wrong, expired, or not for this address",
	403: "the key may not do this: it needs universe-places:write and universe.place.luau-execution-session:write for the experience",
	404: "there is no such experience or place",
	409: "the place does not belong to the experience",
	413: "the upload is too large",
	429: "Roblox allows no more requests for now",
};

/** The part of Open Cloud that uploads a place and runs Luau in it. */
export class OpenCloud {
	private readonly nextAt: Record<Kind, number> = { create: 0, look: 0, upload: 0 };

	/** `haste` shortens all pauses, for tests. */
	public constructor(
		private readonly target: CloudTarget,
		private readonly haste = 1,
	) {}

	/** Uploads a place file; answers its version. */
	public async upload(file: string, versionType: VersionType): Promise<number> {
		const { universe, place } = this.target;
		const answer = await this.request<{ versionNumber?: number }>(
			"upload",
			"POST",
			`/universes/v1/${universe}/places/${place}/versions?versionType=${versionType}`,
			{
				type: file.endsWith(".rbxlx") ? "application/xml" : "application/octet-stream",
				body: readFileSync(file),
			},
		);
		if (typeof answer.versionNumber !== "number") throw new StepFailure("Roblox named no version of the upload");
		return answer.versionNumber;
	}

	/** Runs a script in a version of the place, for at most `seconds` (300 are allowed), and waits for its end. */
	public async run(version: number, script: string, seconds: number): Promise<TaskEnd> {
		const { universe, place } = this.target;
		const path = `/cloud/v2/universes/${universe}/places/${place}/versions/${version}/luau-execution-session-tasks`;
		const body = JSON.stringify({ script, timeout: `${seconds}s` });
		let task = await this.request<Task>("create", "POST", path, { type: "application/json", body });
		const deadline = performance.now() + (seconds + BOOT_SECONDS) * 1000 * this.haste;
		for (;;) {
			const { state } = task;
			if (state === "COMPLETE" || state === "FAILED" || state === "CANCELLED") {
				const { code = state, message = "Roblox gives no reason" } = task.error ?? {};
				return {
					state,
					results: task.output?.results ?? [],
					error: state === "COMPLETE" ? undefined : `${code}: ${message}`,
					logs: await this.logs(task.path),
				};
			}
			if (performance.now() > deadline) {
				throw new StepFailure(`the task has not ended, its state is ${state}: ${task.path}`);
			}
			task = await this.request<Task>("look", "GET", `/cloud/v2/${task.path}`);
		}
	}

	private async logs(path: string): Promise<Array<string>> {
		const lines: Array<string> = [];
		let token = "";
		do {
			const more = token === "" ? "" : `&pageToken=${encodeURIComponent(token)}`;
			const page = await this.request<LogPage>("look", "GET", `/cloud/v2/${path}/logs?maxPageSize=10000${more}`);
			for (const { messages = [] } of page.luauExecutionSessionTaskLogs ?? []) lines.push(...messages);
			token = page.nextPageToken ?? "";
		} while (token !== "");
		return lines;
	}

	/** One request, tried again where that may help: none of them does harm when it is made twice. */
	private async request<T>(
		kind: Kind,
		method: string,
		path: string,
		content?: { readonly type: string; readonly body: string | Buffer },
	): Promise<T> {
		for (let tried = 1; ; tried++) {
			await this.pace(kind);
			const { problem, value, isFinal } = await this.tryOnce<T>(method, path, content);
			if (problem === undefined) return value as T;
			if (isFinal || tried === TRIES) throw new StepFailure(`${method} ${path}: ${problem}`);
			await wait(PAUSE_SECONDS * 2 ** (tried - 1) * 1000 * this.haste);
		}
	}

	private async tryOnce<T>(
		method: string,
		path: string,
		content?: { readonly type: string; readonly body: string | Buffer },
	): Promise<{ problem?: string; value?: T; isFinal?: boolean }> {
		try {
			const headers: Record<string, string> = { "x-api-key": this.target.key };
			if (content !== undefined) headers["content-type"] = content.type;
			const signal = AbortSignal.timeout(REQUEST_SECONDS * 1000);
			// A redirect would take the key to another address.
			const options = { method, headers, body: content?.body, signal, redirect: "error" } as const;
			const response = await fetch(`${this.target.url}${path}`, options);
			const text = await response.text();
			if (response.ok) return { value: JSON.parse(text) as T };
			const meaning = MEANING[response.status] ?? "Roblox failed";
			const isFinal = response.status < 500 && response.status !== 429;
			return { problem: `${response.status}, ${meaning}. ${text.slice(0, 300)}`.trim(), isFinal };
		} catch (error) {
			const { cause, message } = error as Error;
			return { problem: cause instanceof Error ? `${message}: ${cause.message}` : message };
		}
	}

	private async pace(kind: Kind): Promise<void> {
		const now = performance.now();
		const at = Math.max(now, this.nextAt[kind]);
		this.nextAt[kind] = at + PACE[kind] * 1000 * this.haste;
		if (at > now) await wait(at - now);
	}
}
