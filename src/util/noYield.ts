/** A call that returned. */
export interface Returned<T> {
	readonly ok: true;
	readonly value: T;
}

/** A call that threw, or tried to yield and was ended there. */
export interface NotReturned {
	readonly ok: false;
	readonly yielded: boolean;
	/** What was thrown, as text; or that it yielded. */
	readonly message: string;
	/** The thrown value itself; undefined where it yielded. */
	readonly thrown?: unknown;
	/** Where in the callback it threw or yielded. */
	readonly traceback: string;
}

/**
 * Runs a callback of the game that may not yield, and tells when it throws or yields. One that yields is ended at
 * that point and does not go on later. Does not yield, does not throw.
 *
 * @param cancel How to end a thread that yielded: `platform.task.cancel`, where a platform is at hand.
 */
export function noYield<T>(callback: () => T, cancel?: (thread: thread) => void): Returned<T> | NotReturned {
	const thread = coroutine.create(callback);
	const [fine, value] = coroutine.resume(thread) as LuaTuple<[boolean, unknown]>;
	if (!fine)
		return { ok: false, yielded: false, message: tostring(value), thrown: value, traceback: traceOf(thread) };
	if (coroutine.status(thread) === "dead") return { ok: true, value: value as T };
	const traceback = traceOf(thread);
	// What the callback waits for may still resume it; a thread that cannot be closed is left alone.
	pcall(() => (cancel !== undefined ? cancel(thread) : coroutine.close(thread)));
	return { ok: false, yielded: true, message: "it yielded, which it may not", traceback };
}

/**
 * The value of a callback that returned. Throws on what it threw, or that it yielded; `what` names the callback, as in
 * `the function given to profile.update`, and `level` is as `error` counts from here.
 */
export function valueOf<T>(ran: Returned<T> | NotReturned, what: string, level: number): T {
	if (ran.ok) return ran.value;
	if (ran.yielded) error(`Baton: ${what} yielded, which it may not\n${ran.traceback}`, level);
	error(ran.thrown, 0);
}

function traceOf(thread: thread): string {
	return debug.traceback(thread);
}
