import type { Recording, ThrownMishap } from "../../tools/story/recording.ts";
import type { Address } from "../address.ts";
import { serversAt } from "../scene/servers.ts";

interface Props {
	readonly recording: Recording;
	readonly at: number;
	readonly address: Address;
	readonly onChange: (next: Partial<Address>) => void;
}

const WORDS: Record<ThrownMishap["kind"], string> = {
	lose: "a message is lost",
	fail: "a write fails",
	silence: "'s beats stop",
	crash: " crashes",
};

/** Faults thrown in by hand at the moment that is shown; the case is played again with them. */
export function Mishaps({ recording, at, address, onChange }: Props) {
	const alive = serversAt(recording, at).filter(({ state }) => state === "alive");
	const throwIn = (what: string): void => {
		onChange({ mishaps: [...address.mishaps, `${what}@${at.toFixed(3)}`] });
	};
	const button = (what: string, text: string) => (
		<button
			key={what}
			type="button"
			disabled={at >= recording.endsAt}
			onClick={() => {
				throwIn(what);
			}}
		>
			{text}
		</button>
	);
	return (
		<section class="mishaps" aria-label="Faults by hand">
			<h2>Throw in a fault, now</h2>
			<div class="buttons">
				{button("lose", "Lose the next message")}
				{button("fail", "Fail the next write")}
				{alive.map(({ name }) => button(`silence.${name}`, `Stop the beats of ${name}`))}
				{alive.map(({ name }) => button(`crash.${name}`, `Crash ${name}`))}
			</div>
			{recording.mishaps.length > 0 && (
				<ul>
					{recording.mishaps.map(({ kind, server = "", at: from, hits }, index) => (
						<li key={`${kind}${server}${from}`}>
							From {from.toFixed(2)} s: {server}
							{WORDS[kind]} {hits === 0 && <span class="quiet">(nothing to hit) </span>}
							<button
								type="button"
								class="small"
								onClick={() => {
									onChange({ mishaps: address.mishaps.filter((_, other) => other !== index) });
								}}
							>
								Take it back
							</button>
						</li>
					))}
				</ul>
			)}
		</section>
	);
}
