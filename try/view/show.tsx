import { useCallback, useEffect, useMemo } from "preact/hooks";
import type { CaseInfo } from "../../tools/story/case.ts";
import type { Recording } from "../../tools/story/recording.ts";
import type { Address } from "../address.ts";
import { caseOf } from "../cases.ts";
import { useKeys } from "../playback/useKeys.ts";
import { useMedia } from "../playback/useMedia.ts";
import { usePlayback } from "../playback/usePlayback.ts";
import { momentsOf, stopsOf } from "../scene/moments.ts";
import { rangeOf } from "../scene/range.ts";
import { Controls } from "./controls.tsx";
import { Events } from "./events.tsx";
import { Mishaps } from "./mishaps.tsx";
import { Stage } from "./stage.tsx";
import { Timeline } from "./timeline.tsx";
import { Verdict } from "./verdict.tsx";

interface Props {
	readonly recording: Recording;
	readonly info: CaseInfo;
	/** What it is a recording of, which lags behind the address while another is made. */
	readonly of: Address;
	readonly address: Address;
	/** Another recording is on its way. */
	readonly isBusy: boolean;
	readonly onChange: (next: Partial<Address>) => void;
}

/** A recorded case, played back. */
export function Show({ recording, info, of, address, isBusy, onChange }: Props) {
	const { lead } = caseOf(info.id);
	const range = useMemo(() => rangeOf(recording, lead), [recording, lead]);
	const stops = useMemo(() => stopsOf(recording, range), [recording, range]);
	const moments = useMemo(() => momentsOf(recording, range), [recording, range]);
	const isCalm = useMedia("(prefers-reduced-motion: reduce)");
	const playback = usePlayback({ range, stops, speed: address.speed, isCalm });
	const { at, seek } = playback;
	// A case with another mishap may end earlier.
	const shownAt = Math.min(range.end, Math.max(range.start, at));
	useEffect(() => {
		if (shownAt !== at) seek(shownAt);
	}, [shownAt, at, seek]);
	const restart = useCallback(() => {
		seek(range.start);
	}, [seek, range]);
	useKeys(playback, restart);

	return (
		<div
			class={isBusy ? "show busy" : "show"}
			aria-busy={isBusy}
			data-ready={!isBusy}
			data-of={[of.case, of.seed, of.latency, ...of.mishaps].join(" ")}
		>
			<Stage recording={recording} range={range} at={shownAt} isCalm={isCalm} />
			<Controls playback={playback} at={shownAt} address={address} onRestart={restart} onChange={onChange} />
			<Timeline recording={recording} range={range} at={shownAt} onSeek={seek} />
			<Mishaps recording={recording} at={shownAt} address={address} onChange={onChange} />
			<Verdict
				recording={recording}
				info={info}
				latency={of.latency}
				seed={of.seed}
				isOver={shownAt >= range.end}
			/>
			<Events moments={moments} at={shownAt} onSeek={seek} />
		</div>
	);
}
