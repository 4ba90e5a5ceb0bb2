import type { TimelineEntry } from "../../tools/story/case.ts";

/** A player at one moment. */
export interface PlayerView {
	readonly user: string;
	/** `waiting`: joined, and the profile is not there yet; `out`: refused, kicked, left or cut off. */
	readonly state: "waiting" | "in" | "out";
	/** The server of the last join. */
	readonly server: string;
	/** When the last join was, and how long it has waited, or had to. */
	readonly joinedAt: number;
	readonly waited: number;
	/** What happened to them last, in words. */
	readonly note: string;
	/** Servers that still count them as connected. */
	readonly connections: ReadonlyArray<string>;
}

interface Known {
	state: PlayerView["state"];
	server: string;
	joinedAt: number;
	answeredAt?: number;
	note: string;
	readonly connections: Set<string>;
}

/** The players as the events up to `at` tell of them, in the order of their first join. */
export function playersAt(events: ReadonlyArray<TimelineEntry>, at: number): Array<PlayerView> {
	const players = new Map<string, Known>();
	for (const event of events) {
		if (event.at > at) break;
		read(players, event);
	}
	return [...players].map(([user, { connections, answeredAt, ...known }]) => ({
		...known,
		user,
		waited: (answeredAt ?? at) - known.joinedAt,
		connections: [...connections],
	}));
}

function read(players: Map<string, Known>, { at, server, text }: TimelineEntry): void {
	const isDead = text === "crash" || text === "closed";
	if (isDead) {
		for (const player of players.values()) {
			player.connections.delete(server);
			if (player.server === server && player.state !== "out") {
				end(player, at, "cut off");
			}
		}
		return;
	}
	const join = /^join (\d+)$/.exec(text);
	if (join !== null) {
		const user = join[1]!;
		const connections = players.get(user)?.connections ?? new Set();
		connections.add(server);
		players.set(user, { state: "waiting", server, joinedAt: at, note: "waiting", connections });
		return;
	}
	const gone = /^(leave|kick) (\d+)(?:: (.*))?$/.exec(text);
	if (gone !== null) {
		const player = players.get(gone[2]!);
		if (player === undefined) return;
		if (gone[1] === "leave") player.connections.delete(server);
		if (player.server !== server) return;
		// A kick is followed by a leave, which tells less.
		if (gone[1] === "kick") end(player, at, `kicked: ${gone[3] ?? ""}`);
		else if (player.state !== "out") end(player, at, "left");
		return;
	}
	const answer = /^Player(\d+) is (in, with .*|refused: .*)$/.exec(text);
	const player = answer !== null ? players.get(answer[1]!) : undefined;
	if (answer === null || player === undefined || player.server !== server || player.state !== "waiting") return;
	player.answeredAt = at;
	player.state = answer[2]!.startsWith("in") ? "in" : "out";
	player.note = answer[2]!.replace("in, with", "came in with");
}

function end(player: Known, at: number, note: string): void {
	if (player.state === "waiting") player.answeredAt = at;
	player.state = "out";
	player.note = note;
}
