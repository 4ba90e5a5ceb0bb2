import { useEffect, useState } from "preact/hooks";
import type { CaseInfo } from "../../tools/story/case.ts";
import type { Recording } from "../../tools/story/recording.ts";
import type { Address } from "../address.ts";
import { Recorder } from "../worker/recorder.ts";

const recorder = new Recorder();

export interface Played {
	readonly cases: ReadonlyArray<CaseInfo>;
	/** The last recording, and what was asked for; it stays until the next one is there. */
	readonly recording?: Recording;
	readonly of?: Address;
	readonly isBusy: boolean;
	/** Why there is no recording of what was asked for. */
	readonly problem?: string;
}

/** Plays what the address asks for, in the worker. */
export function useRecording(address: Address): Played {
	const [played, setPlayed] = useState<Played>({ cases: [], isBusy: true });
	const { case: id, seed, latency } = address;
	const mishaps = address.mishaps.join(",");

	useEffect(() => {
		recorder.cases.then(
			(cases) => {
				setPlayed((old) => ({ ...old, cases }));
			},
			(problem: unknown) => {
				setPlayed((old) => ({
					...old,
					problem: `The Luau VM does not run in this browser: ${String(problem)}`,
				}));
			},
		);
	}, []);

	useEffect(() => {
		let isCurrent = true;
		setPlayed((old) => ({ ...old, isBusy: true }));
		recorder.record({ case: id, seed, profile: latency, mishaps }).then(
			(recording) => {
				if (!isCurrent) return;
				setPlayed((old) => ({ ...old, recording, of: address, isBusy: false, problem: undefined }));
			},
			(problem: unknown) => {
				if (!isCurrent) return;
				const text = problem instanceof Error ? problem.message : String(problem);
				setPlayed((old) => ({ ...old, recording: undefined, isBusy: false, problem: text }));
			},
		);
		return () => {
			isCurrent = false;
		};
		// Speed is no part of a recording.
	}, [id, seed, latency, mishaps]);

	return played;
}
