import { useEffect } from "preact/hooks";
import type { Playback } from "./usePlayback.ts";

/** Space plays and pauses, the arrows step, Home starts over; not while a control has its own use for the key. */
export function useKeys({ isPlaying, play, pause, step }: Playback, restart: () => void): void {
	useEffect(() => {
		const onKey = (event: KeyboardEvent): void => {
			const target = event.target as HTMLElement;
			if (event.ctrlKey || event.altKey || event.metaKey) return;
			if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) return;
			if (event.key === " " && target.closest("button, a, summary") !== null) return;
			const actions: Record<string, () => void> = {
				" ": isPlaying ? pause : play,
				ArrowRight: () => {
					step(1);
				},
				ArrowLeft: () => {
					step(-1);
				},
				Home: restart,
			};
			const action = actions[event.key];
			if (action === undefined) return;
			event.preventDefault();
			action();
		};
		addEventListener("keydown", onKey);
		return () => {
			removeEventListener("keydown", onKey);
		};
	}, [isPlaying, play, pause, step, restart]);
}
