import { serverAnchor } from "../scene/flights.ts";
import type { PlayerView } from "../scene/players.ts";
import type { ServerView } from "../scene/servers.ts";

interface Props {
	readonly server: ServerView;
	readonly players: ReadonlyArray<PlayerView>;
	readonly side: "left" | "right";
}

/** One server, and who is connected to it. */
export function ServerCard({ server: { name, id, state }, players, side }: Props) {
	const connected = players.filter(({ connections }) => connections.includes(name));
	return (
		<div class={`card server ${side}`} data-server={name} data-state={state}>
			<h3 data-anchor={serverAnchor(name)}>
				<span class={`server-name ${side}`}>Server {name}</span>
			</h3>
			<p class="state">{state === "alive" ? "running" : state === "not yet" ? "not started" : state}</p>
			<p class="quiet">JobId {id}</p>
			<ul class="connected" aria-label={`Players on ${name}`}>
				{connected.map(({ user, server }) => (
					<li key={user}>
						Player {user}
						{server !== name && <span class="quiet"> (old connection)</span>}
					</li>
				))}
			</ul>
		</div>
	);
}
