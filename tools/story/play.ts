import { runLuauProgram } from "../host/runProgram.ts";
import { type CaseInfo, type Measured, type Play, type PlayedCase, type TimelineEntry, keepsPromise } from "./case.ts";

const NOTHING: Measured = {
	outcome: "error",
	waitSeconds: 0,
	durableWrites: 0,
	removes: 0,
	rounds: 0,
	messages: 0,
	presenceOps: 0,
};

export interface PlayOptions {
	readonly seed: number;
	/** The id of the one case to play; all, if not given. */
	readonly only?: string;
	readonly onProgress: (profile: string, id: string) => void;
	readonly onLog: (text: string) => void;
}

/** The cases of the story that a place holds. */
export async function listCases(place: string): Promise<Array<CaseInfo>> {
	const cases: Array<CaseInfo> = [];
	await runLuauProgram(
		{ places: [place], program: "story", argument: { profile: "" } },
		{
			onEvent: (event) => {
				if (event.type === "case") cases.push(event.case);
			},
		},
	);
	return cases;
}

async function playProfile(
	place: string,
	profile: string,
	options: PlayOptions,
): Promise<Map<string, { info: CaseInfo; play: Play }>> {
	const played = new Map<string, { info: CaseInfo; play: Play }>();
	const argument = { profile, only: options.only ?? "", seed: String(options.seed) };
	await runLuauProgram(
		{ places: [place], program: "story", argument },
		{
			onEvent: (event) => {
				if (event.type === "log") options.onLog(event.text);
				else if (event.type === "playing") options.onProgress(profile, event.id);
				else if (event.type === "case") {
					const { measured = NOTHING, timeline = [] as Array<TimelineEntry>, failure } = event;
					played.set(event.case.id, { info: event.case, play: { measured, timeline, failure } });
				}
			},
		},
	);
	return played;
}

/** Plays the story in both latency profiles, each in a VM of its own. */
export async function playStory(place: string, options: PlayOptions): Promise<Array<PlayedCase>> {
	const [fast, live] = await Promise.all([playProfile(place, "fast", options), playProfile(place, "live", options)]);
	return [...fast].map(([id, { info, play }]) => {
		const other = live.get(id);
		if (other === undefined) throw new Error(`the case ${id} was not played in the profile live`);
		const ok = Object.entries({ fast: play, live: other.play }).every(
			([profile, { measured, failure }]) =>
				failure === undefined && keepsPromise(info.promised, measured, profile),
		);
		return { ...info, fast: play, live: other.play, ok };
	});
}
