import { Server } from "../../test/cloud/server";
import { World } from "../../test/cloud/world";
import { Arrival, Host, OpenHost, Session, Stored } from "../../test/story/host";
import { PeerAnswer, PeerGame } from "./peerGame";

/**
 * Loads a module of this place on an emulated server, with everything it requires: a copy of its own, whose `game` has the
 * server's services, clocks and threads. Call it on that server. May yield.
 */
export type Boot = (server: Server, ...path: Array<string>) => unknown;

/** What differs between the libraries. */
export interface PeerOptions {
	readonly boot: Boot;
	/** The module of its game, in `bench/peers`. */
	readonly module: string;
	readonly savedWithinSeconds: number;
	/** Reads a record in its form. */
	readonly read: (record: unknown) => Stored;
}

const STORE = "PlayerData";

/** Servers of a game on another library. */
export function openPeer({ boot, module, savedWithinSeconds, read }: PeerOptions): OpenHost {
	return (world) => {
		const server = world.startServer();
		const answers = new Map<Player, PeerAnswer & { readonly at: number }>();
		server.run(() => {
			const { peer } = boot(server, "bench", "peers", module) as { peer: PeerGame };
			const players = server.platform.players as Players;
			peer.start(players, { coins: 0 }, (player, answer) => answers.set(player, { ...answer, at: world.now() }));
		});
		const keyOf = (userId: number): string => `Player_${userId}`;
		return {
			server,
			store: STORE,
			keyOf,
			savedWithinSeconds,
			resumes: false,
			listener: "session",
			join: (userId) => joinPeer(world, server, answers, userId),
			stored: (userId) => {
				const record = world.store(STORE).get(keyOf(userId));
				return record === undefined ? undefined : read(record);
			},
		} satisfies Host;
	};
}

type Answers = ReadonlyMap<Player, PeerAnswer & { readonly at: number }>;

function joinPeer(world: World, server: Server, answers: Answers, userId: number): Arrival {
	const player = server.join(userId);
	world.waitUntil(() => answers.has(player), 300);
	const answer = answers.get(player)!;
	return "session" in answer
		? { at: answer.at, player, session: onServer(server, answer.session) }
		: { ...answer, player };
}

/** The session's calls, made on its server. */
function onServer(server: Server, { coins, active, earn, save, fill, change }: Session): Session {
	return {
		coins,
		active,
		earn: (count) => server.run(() => earn(count)),
		save: () => server.run(save),
		fill: (bag) => server.run(() => fill(bag)),
		change: (section, item) => server.run(() => change(section, item)),
	};
}
