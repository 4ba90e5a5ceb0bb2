import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Flight } from "../scene/flights.ts";

interface Props {
	readonly flights: ReadonlyArray<Flight>;
	readonly at: number;
	readonly stage: RefObject<HTMLElement | null>;
	/** Little motion: what is under way stands halfway. */
	readonly isCalm: boolean;
}

/** Pixels between labels that share their way. */
const ROW = 20;

/** What is on its way, as labels that move over the stage. */
export function Flights({ flights, at, stage, isCalm }: Props) {
	const layer = useRef<HTMLDivElement>(null);
	const shown = flights.filter(({ departs, until }) => departs <= at && at < until);

	useLayoutEffect(() => {
		const box = stage.current;
		if (box === null || layer.current === null) return;
		const places = placesOf(box);
		const taken = new Map<string, number>();
		for (const [index, element] of [...layer.current.children].entries()) {
			const flight = shown[index];
			const [from, to] = [places.get(flight?.from ?? ""), places.get(flight?.to ?? "")];
			const label = element as HTMLElement;
			label.hidden = flight === undefined || from === undefined || to === undefined;
			if (flight === undefined || from === undefined || to === undefined) continue;
			const way = [flight.from, flight.to].sort().join();
			const row = taken.get(way) ?? 0;
			taken.set(way, row + 1);
			const passed = (at - flight.departs) / Math.max(1e-6, flight.arrives - flight.departs);
			const share = isCalm ? 0.5 : Math.min(1, passed) * flight.reach;
			const half = label.offsetWidth / 2;
			const x = from.x + (to.x - from.x) * share;
			const y = from.y + (to.y - from.y) * share + row * ROW;
			const inside = Math.min(box.clientWidth - half, Math.max(half, x));
			label.style.transform = `translate(${inside - half}px, ${y - label.offsetHeight / 2}px)`;
		}
	});

	return (
		<div class="flights" ref={layer} aria-hidden="true">
			{shown.map(({ id, label, tone }) => (
				<span key={id} class={`flight ${tone}`}>
					{label}
				</span>
			))}
		</div>
	);
}

/** The middles of the places on the stage, in its pixels. */
function placesOf(box: HTMLElement): Map<string, { readonly x: number; readonly y: number }> {
	const origin = box.getBoundingClientRect();
	const places = new Map<string, { x: number; y: number }>();
	for (const element of box.querySelectorAll<HTMLElement>("[data-anchor]")) {
		const { left, top, width, height } = element.getBoundingClientRect();
		places.set(element.dataset.anchor ?? "", {
			x: left - origin.left + width / 2,
			y: top - origin.top + height / 2,
		});
	}
	return places;
}
