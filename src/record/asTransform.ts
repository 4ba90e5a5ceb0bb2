import { Transform } from "../backend/backend";
import { StoredRecord } from "./types";

/**
 * A decision over a stored value as a backend's transform, which reports the whole decision. The record's metadata is
 * kept; its user ids become `userIds`, or stay where those are not given. Does not yield.
 */
export function asTransform<D extends { readonly write?: StoredRecord }>(
	decide: (value: unknown, updatedTime: number | undefined) => D,
	userIds?: ReadonlyArray<number>,
): Transform<D> {
	return (value, info) => {
		const decision = decide(value, info?.updatedTime);
		if (decision.write === undefined) return { report: decision };
		return {
			write: decision.write,
			userIds: userIds ?? info?.userIds ?? [],
			metadata: info?.metadata ?? {},
			report: decision,
		};
	};
}
