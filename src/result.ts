import { BatonError } from "./errors";

/** A call that worked: its value. */
export interface Ok<T> {
	readonly success: true;
	readonly value: T;
	/** The value. */
	unwrap(): T;
}

/** A call that did not: what happened, as a {@link BatonError}. */
export interface Err {
	readonly success: false;
	readonly error: BatonError;
	/** Throws the error. */
	unwrap(): never;
}

/** What every Baton call that can fail at run time returns. Check `success`, or call `unwrap` to throw the error. */
export type Result<T> = Ok<T> | Err;

class OkResult<T> implements Ok<T> {
	public readonly success = true;
	public constructor(public readonly value: T) {}
	public unwrap(): T {
		return this.value;
	}
}

class ErrResult implements Err {
	public readonly success = false;
	public readonly error: BatonError;
	public constructor(cause: BatonError) {
		this.error = cause;
	}
	public unwrap(): never {
		error(this.error, 2);
	}
}

/** The result of a call that worked, for a backend of the game's own. Does not yield. */
export function ok<T>(value: T): Ok<T> {
	return new OkResult(value);
}

/** The result of a call that did not, for a backend of the game's own. Does not yield. */
export function err(cause: BatonError): Err {
	return new ErrResult(cause);
}
