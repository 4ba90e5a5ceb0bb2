import { useMemo, useRef } from "preact/hooks";
import type { Recording } from "../../tools/story/recording.ts";
import { flightsOf, presenceAnchor } from "../scene/flights.ts";
import { playersAt } from "../scene/players.ts";
import type { Range } from "../scene/range.ts";
import { recordAt, recordsIn } from "../scene/records.ts";
import { presenceAt, serversAt } from "../scene/servers.ts";
import { Flights } from "./flights.tsx";
import { PlayerRow } from "./playerRow.tsx";
import { RecordCard } from "./recordCard.tsx";
import { ServerCard } from "./serverCard.tsx";

interface Props {
	readonly recording: Recording;
	readonly range: Range;
	readonly at: number;
	readonly isCalm: boolean;
}

/** The stage has room for two. */
const SHOWN_SERVERS = 2;

/** Servers, players, stored records and what travels between them, at one moment. */
export function Stage({ recording, range, at, isCalm }: Props) {
	const stage = useRef<HTMLElement>(null);
	const flights = useMemo(() => flightsOf(recording), [recording]);
	const records = useMemo(() => recordsIn(recording, range), [recording, range]);
	const names = useMemo(() => new Map(recording.servers.map(({ jobId, name }) => [jobId, name])), [recording]);

	const servers = serversAt(recording, at).slice(0, SHOWN_SERVERS);
	const players = playersAt(recording.events, at);
	const beats = presenceAt(recording, at).slice(0, SHOWN_SERVERS);
	const [first, second] = servers;
	return (
		<section
			class={`stage ${second === undefined ? "single" : ""} ${records.length > 1 ? "many" : ""}`}
			ref={stage}
			aria-label={`What happens at ${at.toFixed(2)} s`}
		>
			<PlayerRow players={players} servers={servers} />
			{first !== undefined && <ServerCard server={first} players={players} side="left" />}
			<div class="middle">
				<div class="card presence">
					<h3>Presence, in MemoryStore</h3>
					{beats.map(({ server, left, sinceBeat }) => (
						<div class="beat" key={server} data-anchor={presenceAnchor(server)} data-server={server}>
							<b class={`server-name ${server === first?.name ? "left" : "right"}`}>{server}</b>
							<meter
								min={0}
								max={recording.presence.ttlSeconds}
								low={recording.presence.ttlSeconds - 5}
								optimum={recording.presence.ttlSeconds}
								value={left}
								aria-label={`${server} counts as alive for`}
							/>
							<span class="left-over">
								{sinceBeat === undefined ? "none" : left > 0 ? `${left.toFixed(1)} s` : "silent"}
							</span>
						</div>
					))}
				</div>
				{records.map((changes) => {
					const record = recordAt(changes, at, (jobId) => names.get(jobId) ?? "another server");
					return <RecordCard key={record.anchor} record={record} at={at} />;
				})}
			</div>
			{second !== undefined && <ServerCard server={second} players={players} side="right" />}
			<Flights flights={flights} at={at} stage={stage} isCalm={isCalm} />
		</section>
	);
}
