import { useEffect, useRef, useState } from "preact/hooks";
import type { Recording } from "../../tools/story/recording.ts";
import type { Range } from "../scene/range.ts";

interface Props {
	readonly recording: Recording;
	readonly range: Range;
	readonly at: number;
	readonly onSeek: (at: number) => void;
}

/** Room for the names of lanes, and at the right for the last figure; style.css knows both. */
const MARGIN_LEFT = 76;
const MARGIN_RIGHT = 16;
/** The slider's, in seconds. */
const STEP = 0.001;

/** The whole case at a glance, over a slider that goes to any moment. */
export function Timeline({ recording, range, at, onSeek }: Props) {
	const box = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(0);
	useEffect(() => {
		if (box.current === null) return undefined;
		const observer = new ResizeObserver(([entry]) => {
			setWidth(Math.floor(entry?.contentRect.width ?? 0));
		});
		observer.observe(box.current);
		return () => {
			observer.disconnect();
		};
	}, []);
	const chart = useRef<HTMLDivElement>(null);
	useEffect(() => {
		let isCurrent = true;
		// The chart's library comes after the page is ready for use.
		void import("./chart.ts").then(({ drawChart }) => {
			if (!isCurrent || width === 0) return;
			const margins = { left: MARGIN_LEFT, right: MARGIN_RIGHT };
			chart.current?.replaceChildren(drawChart(recording, range, width, margins));
		});
		return () => {
			isCurrent = false;
		};
	}, [recording, range, width]);

	const length = Math.max(1e-6, range.end - range.start);
	const left = MARGIN_LEFT + ((at - range.start) / length) * (width - MARGIN_LEFT - MARGIN_RIGHT);
	return (
		<section class="timeline" aria-label="Timeline" ref={box}>
			<div ref={chart} class="chart" />
			<div class="playhead" style={{ transform: `translateX(${left}px)` }} />
			<input
				type="range"
				aria-label="Moment"
				aria-valuetext={`${at.toFixed(2)} seconds`}
				min={range.start}
				max={range.end}
				step={STEP}
				value={at}
				onInput={({ currentTarget }) => {
					const to = Number(currentTarget.value);
					// A slider stops at the last whole step.
					onSeek(to > range.end - STEP ? range.end : to);
				}}
			/>
		</section>
	);
}
