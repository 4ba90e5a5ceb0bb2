import type { PlayerView } from "../scene/players.ts";
import type { ServerView } from "../scene/servers.ts";

interface Props {
	readonly players: ReadonlyArray<PlayerView>;
	readonly servers: ReadonlyArray<ServerView>;
}

/** The players: each over its server once it is in, between the servers until then. */
export function PlayerRow({ players, servers }: Props) {
	return (
		<div class="players">
			{players.map((player) => (
				<Player key={player.user} player={player} side={sideOf(player, servers)} />
			))}
		</div>
	);
}

function sideOf({ state, server }: PlayerView, servers: ReadonlyArray<ServerView>): "left" | "between" | "right" {
	if (state !== "in") return "between";
	return servers[0]?.name === server ? "left" : "right";
}

function Player({ player, side }: { readonly player: PlayerView; readonly side: "left" | "between" | "right" }) {
	const { user, state, server, waited, note } = player;
	return (
		<div class={`player ${side}`} data-user={user} data-state={state}>
			<b>Player {user}</b> <span class="note">{state === "waiting" ? `waits for ${server}` : note}</span>
			<span class="waited" title="Waiting time of the last join">
				{waited.toFixed(2)} s
			</span>
		</div>
	);
}
