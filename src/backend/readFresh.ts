import { Result } from "../result";
import { answerWithin } from "./answerWithin";
import { ReadRecord } from "./backend";
import { UpdateTarget } from "./updateWithin";

/** A record as it is stored now, past any cache; without an answer within `seconds` it is a failed read. Yields. */
export function readFresh(
	{ store, platform, backend }: Omit<UpdateTarget, "storeClock">,
	key: string,
	seconds: number,
): Result<ReadRecord | undefined> {
	return answerWithin({ store, platform, key, what: "the read" }, seconds, () => backend.read(key, true));
}
