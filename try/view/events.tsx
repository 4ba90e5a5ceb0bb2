import { useEffect, useRef, useState } from "preact/hooks";
import type { Moment } from "../scene/moments.ts";

interface Props {
	readonly moments: ReadonlyArray<Moment>;
	readonly at: number;
	readonly onSeek: (at: number) => void;
}

/** Everything that happened, as a list that follows the time; a click goes there. */
export function Events({ moments, at, onSeek }: Props) {
	const [withBeats, setWithBeats] = useState(false);
	const list = useRef<HTMLOListElement>(null);
	const shown = withBeats ? moments : moments.filter(({ isBeat }) => !isBeat);
	// What has happened by now; the last of it is the current one.
	let current = -1;
	for (const [index, moment] of shown.entries()) if (moment.at <= at + 1e-6) current = index;

	useEffect(() => {
		const box = list.current;
		const row = box?.children[Math.max(0, current)] as HTMLElement | undefined;
		// Only the list scrolls, never the page.
		if (box !== null && row !== undefined) box.scrollTop = row.offsetTop - box.clientHeight / 2;
	}, [current, withBeats]);

	return (
		<section class="events" aria-label="Events">
			<div class="head">
				<h2>What happens</h2>
				<label>
					<input
						type="checkbox"
						checked={withBeats}
						onChange={({ currentTarget }) => {
							setWithBeats(currentTarget.checked);
						}}
					/>
					with every beat
				</label>
			</div>
			<ol ref={list} tabIndex={0}>
				{shown.map(({ id, at: when, server, text, answer, tone }, index) => (
					<li key={id} class={`${tone} ${index > current ? "ahead" : ""}`} aria-current={index === current}>
						<button
							type="button"
							tabIndex={-1}
							onClick={() => {
								onSeek(when);
							}}
						>
							<span class="when">{when.toFixed(2)}</span>
							<b>{server}</b>
							<span class="text">
								{text} <span class="answer">{answer}</span>
							</span>
						</button>
					</li>
				))}
			</ol>
		</section>
	);
}
