import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Range } from "../scene/range.ts";
import type { Speed } from "./speeds.ts";

export interface Playback {
	/** The virtual second that is shown. */
	readonly at: number;
	readonly isPlaying: boolean;
	readonly play: () => void;
	readonly pause: () => void;
	/** Shows another moment; within the range. */
	readonly seek: (at: number) => void;
	/** Goes to the next moment at which something happens, or the one before, and pauses. */
	readonly step: (direction: 1 | -1) => void;
}

export interface PlaybackOptions {
	readonly range: Range;
	/** Sorted virtual seconds at which a step stops. */
	readonly stops: ReadonlyArray<number>;
	readonly speed: Speed;
	/** For viewers who want little motion: the picture changes four times a second. */
	readonly isCalm: boolean;
}

const CALM_MILLISECONDS = 250;
/** A page that was hidden for a while goes on where it was. */
const LONGEST_FRAME_MILLISECONDS = 1000;

/** Plays a range of virtual time back. */
export function usePlayback({ range, stops, speed, isCalm }: PlaybackOptions): Playback {
	const [at, setAt] = useState(range.start);
	const [isPlaying, setPlaying] = useState(false);
	const now = useRef(at);

	const seek = useCallback(
		(to: number) => {
			now.current = Math.min(range.end, Math.max(range.start, to));
			setAt(now.current);
		},
		[range],
	);

	useEffect(() => {
		if (!isPlaying) return undefined;
		let last = performance.now();
		let frame = 0;
		const tick = (time: number): void => {
			frame = requestAnimationFrame(tick);
			const passed = time - last;
			if (passed <= 0 || (isCalm && passed < CALM_MILLISECONDS)) return;
			last = time;
			seek(now.current + (Math.min(passed, LONGEST_FRAME_MILLISECONDS) / 1000) * speed);
			if (now.current >= range.end) setPlaying(false);
		};
		frame = requestAnimationFrame(tick);
		return () => {
			cancelAnimationFrame(frame);
		};
	}, [isPlaying, range, speed, isCalm, seek]);

	const play = useCallback(() => {
		if (now.current >= range.end) seek(range.start);
		setPlaying(true);
	}, [range, seek]);
	const pause = useCallback(() => {
		setPlaying(false);
	}, []);
	const step = useCallback(
		(direction: 1 | -1) => {
			setPlaying(false);
			const next =
				direction > 0
					? stops.find((stop) => stop > now.current + 1e-6)
					: stops.findLast((stop) => stop < now.current - 1e-6);
			if (next !== undefined) seek(next);
		},
		[stops, seek],
	);
	return { at, isPlaying, play, pause, seek, step };
}
