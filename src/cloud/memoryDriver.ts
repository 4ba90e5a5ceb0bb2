import { BatonError } from "../errors";
import { HashMap, Platform } from "../platform/platform";
import { err, ok, Result } from "../result";
import { attempt, Attempted, RetryOptions } from "./attempt";
import { isRetryableMemoryError } from "./memoryErrors";

/** A key is at most 128 characters, a value 32 KB as JSON, an entry lives 45 days (MemoryStore docs). */
const MAX_KEY_BYTES = 128;
const MAX_VALUE_BYTES = 32768;
const MAX_TTL_SECONDS = 3888000;

/** How a {@link MemoryDriver} behaves. */
export interface MemoryDriverOptions {
	/** How long an entry lives where the call does not say, in seconds. 60 by default. */
	readonly ttlSeconds?: number;
	/** Further attempts after a failed one. 3 by default. */
	readonly retries?: number;
	/** The pause before the first further attempt, in seconds; it doubles with each. 0.5 by default. */
	readonly retrySeconds?: number;
	/** A call without an answer for this many seconds counts as failed. 10 by default. */
	readonly timeoutSeconds?: number;
}

/** What a read found. `failed` says nothing about the entry. */
export type MemoryRead<T> =
	| { readonly status: "found"; readonly value: T }
	| { readonly status: "empty" }
	| { readonly status: "failed"; readonly error: BatonError };

/**
 * What a set did: `created` the key anew, or `replaced` a value. `unsure` is a set that replaced a value after an attempt
 * that went unanswered, so that the value may have been its own.
 */
export type MemorySet = "created" | "replaced" | "unsure";

/**
 * One hash map of `MemoryStoreService`, shared by all servers of the experience (in Studio, by Studio sessions only). What
 * it holds may vanish at any time.
 */
export class MemoryDriver<T extends defined> {
	private readonly retry: RetryOptions;
	private readonly ttlSeconds: number;
	private map?: HashMap;

	public constructor(
		private readonly platform: Platform,
		/** The hash map's name. */
		public readonly name: string,
		options: MemoryDriverOptions = {},
	) {
		this.ttlSeconds = options.ttlSeconds ?? 60;
		this.retry = {
			retries: options.retries ?? 3,
			retrySeconds: options.retrySeconds ?? 0.5,
			timeoutSeconds: options.timeoutSeconds ?? 10,
		};
	}

	/** Reads an entry. Yields. Does not extend the entry's life. */
	public get(key: string): MemoryRead<T> {
		const problem = keyProblem(key);
		if (problem !== undefined) return { status: "failed", error: this.refusal("read", key, problem) };
		const answer = this.call((map) => map.GetAsync(key));
		if (!answer.success) return { status: "failed", error: this.failure("read", key, answer) };
		return answer.value === undefined ? { status: "empty" } : { status: "found", value: answer.value as T };
	}

	/**
	 * Writes an entry that lives for `ttlSeconds` from when it is written. Yields. Fails with `invalid_data` (nothing was
	 * written) or `roblox` (it may have been, or may yet be).
	 */
	public set(key: string, value: T, ttlSeconds = this.ttlSeconds): Result<MemorySet> {
		const problem = keyProblem(key) ?? ttlProblem(ttlSeconds) ?? this.valueProblem(value);
		if (problem !== undefined) return err(this.refusal("write", key, problem));
		const answer = this.call((map) => map.SetAsync(key, value, ttlSeconds));
		if (!answer.success) return err(this.failure("write", key, answer));
		// True means that a value was overwritten.
		if (!answer.value) return ok("created");
		return ok(answer.attempts === 1 ? "replaced" : "unsure");
	}

	/**
	 * Changes an entry by a function of its value, undefined where there is none; undefined as its result leaves all as it is.
	 * The function may be called several times, also after an attempt that was written without an answer, and may not yield;
	 * an error in it is thrown from here. Yields. Returns what was written. Fails as `set` does.
	 */
	public update(
		key: string,
		transform: (value: T | undefined) => T | undefined,
		ttlSeconds = this.ttlSeconds,
	): Result<T | undefined> {
		const problem = keyProblem(key) ?? ttlProblem(ttlSeconds);
		if (problem !== undefined) return err(this.refusal("update", key, problem));
		let written: T | undefined;
		let thrown: { readonly value: unknown } | undefined;
		let refused: string | undefined;
		const answer = this.call((map) =>
			map.UpdateAsync(
				key,
				(value) => {
					// Only the last run counts.
					written = undefined;
					thrown = undefined;
					refused = undefined;
					const [success, result] = pcall(transform, value as T | undefined);
					if (!success) {
						thrown = { value: result };
						return undefined;
					}
					if (result === undefined) return undefined;
					refused = this.valueProblem(result);
					if (refused === undefined) written = result;
					return written;
				},
				ttlSeconds,
			),
		);
		if (thrown !== undefined) error(thrown.value, 0);
		if (refused !== undefined) return err(this.refusal("update", key, refused));
		return answer.success ? ok(written) : err(this.failure("update", key, answer));
	}

	/** Removes an entry; one that is not there is no failure. Yields. Fails as `set` does. */
	public remove(key: string): Result<undefined> {
		const problem = keyProblem(key);
		if (problem !== undefined) return err(this.refusal("removal", key, problem));
		const answer = this.call((map) => map.RemoveAsync(key));
		return answer.success ? ok(undefined) : err(this.failure("removal", key, answer));
	}

	private call<R>(body: (map: HashMap) => R): Attempted<R> {
		return attempt(this.platform, this.retry, () => body(this.open()), { isRetryable: isRetryableMemoryError });
	}

	/** At first use, since `GetHashMap` throws in an unpublished place. */
	private open(): HashMap {
		this.map ??= this.platform.memoryStores.GetHashMap(this.name);
		return this.map;
	}

	private valueProblem(value: T): string | undefined {
		const [success, text] = pcall(() => this.platform.http.JSONEncode(value));
		if (!success) return `the value has no JSON form (${text})`;
		const bytes = text.size();
		return bytes > MAX_VALUE_BYTES ? `the value is ${bytes} bytes as JSON, ${MAX_VALUE_BYTES} at most` : undefined;
	}

	private refusal(what: string, key: string, problem: string): BatonError {
		return new BatonError(
			"invalid_data",
			`The ${what} of "${key}" in map ${this.name} was not tried: ${problem}.`,
			{
				store: this.name,
				key,
			},
		);
	}

	private failure(
		what: string,
		key: string,
		answer: { readonly reason: string; readonly attempts: number },
	): BatonError {
		const message = `The ${what} of "${key}" in map ${this.name} failed after ${answer.attempts} attempts: ${answer.reason}`;
		return new BatonError("roblox", message, {
			store: this.name,
			key,
			retryable: isRetryableMemoryError(answer.reason),
		});
	}
}

function keyProblem(key: string): string | undefined {
	const bytes = key.size();
	return bytes >= 1 && bytes <= MAX_KEY_BYTES
		? undefined
		: `a key has 1 to ${MAX_KEY_BYTES} bytes, this one ${bytes}`;
}

function ttlProblem(seconds: number): string | undefined {
	return seconds >= 0 && seconds <= MAX_TTL_SECONDS ? undefined : `it cannot live for ${seconds} s`;
}
