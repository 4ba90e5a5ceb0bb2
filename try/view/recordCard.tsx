import type { RecordView } from "../scene/records.ts";

/** Virtual seconds for which a change is marked. */
const FRESH_SECONDS = 0.4;

/** What a key holds: a player's record, a journal, a marker. */
export function RecordCard({ record, at }: { readonly record: RecordView; readonly at: number }) {
	const { anchor, title, kind, fields, changedAt } = record;
	const isFresh = at - changedAt < FRESH_SECONDS;
	return (
		<div class={`card record ${kind} ${isFresh ? "fresh" : ""}`} data-record={anchor}>
			<h3 data-anchor={anchor}>{title}</h3>
			{fields.length === 0 ? (
				<p class="quiet">nothing stored</p>
			) : (
				<dl>
					{fields.map(({ name, text, tone = "" }) => (
						<div key={name}>
							<dt>{name}</dt>
							<dd class={tone}>{text}</dd>
						</div>
					))}
				</dl>
			)}
		</div>
	);
}
