import { BatonError } from "../errors";
import { ENVELOPE_BYTES, VALUE_BYTES } from "../record/limits";
import { Staged } from "./context";

/**
 * Why the records of participants that are all changed cannot take part; undefined where they can: a prepared record holds
 * the data from before and those from after. Does not yield.
 */
export function sizeProblem(changed: ReadonlyArray<Staged>): BatonError | undefined {
	for (const { participant, data } of changed) {
		const [before, after] = [participant.data(), data].map((each) => participant.bytesOf(each));
		if (before + after + ENVELOPE_BYTES <= VALUE_BYTES) continue;
		const { store, key } = participant;
		const message =
			`Baton: the data of "${key}" in store "${store}" from before (${before} bytes) and after the transaction ` +
			`(${after} bytes) do not fit into one record of ${VALUE_BYTES} bytes; nothing was written`;
		return new BatonError("invalid_data", message, { store, key });
	}
}
