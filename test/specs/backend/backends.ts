import { Answer, Backend, RecordInfo, Transform } from "../../../src/backend/backend";
import { BatonError } from "../../../src/errors";
import { Result } from "../../../src/result";

/** A transform that counts in `n` and reports the new count; it keeps user ids and metadata. */
export const increment: Transform<number> = (value, info) => {
	const n = ((value as { n: number } | undefined)?.n ?? 0) + 1;
	return { write: { n }, userIds: info?.userIds ?? [], metadata: info?.metadata ?? {}, report: n };
};

/** A transform that writes `value`. */
export function put(value: unknown, userIds: ReadonlyArray<number> = [], metadata: object = {}): Transform<true> {
	return () => ({ write: value, userIds, metadata, report: true });
}

/** A transform that writes nothing and reports what is stored. */
export function look(value: unknown, info: RecordInfo | undefined): { report: { value: unknown; info?: RecordInfo } } {
	return { report: { value, info } };
}

/** The error of a call that must have failed. */
export function failureOf<T>(result: Result<T>): BatonError {
	if (result.success) error("the call succeeded", 2);
	return result.error;
}

/** The stored count as a fresh read shows it. */
export function countOf(backend: Backend, key: string): number | undefined {
	return (backend.read(key, true).unwrap()?.value as { n: number } | undefined)?.n;
}

/** Throws unless the answer wrote and reported `report`. */
export function expectWrote<R>(answer: Result<Answer<R>>, report: R): void {
	const { wrote, report: told } = answer.unwrap();
	if (!wrote) error("nothing was written", 2);
	if (told !== report) error(`reported ${tostring(told)}, not ${tostring(report)}`, 2);
}
