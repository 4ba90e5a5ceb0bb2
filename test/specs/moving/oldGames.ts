import { peers } from "../../../bench/peers";
import { Boot } from "../../../bench/peers/openPeer";
import { fromLapis } from "../../../src/legacy/lapis";
import { fromProfileStore } from "../../../src/legacy/profileStore";
import { StoredRecord } from "../../../src/record/types";
import { World } from "../../cloud/world";
import { Arrival, Host, Session } from "../../story/host";
import { Coins, GameOptions, PlayerGame } from "../driver/playerGame";

declare const __BATON_BOOT: Boot | undefined;

/** A game that was written for another library, and what the move from it needs. */
export interface OldGame {
	readonly name: "ProfileStore" | "Lapis";
	/** Boots a server of the old game: the library itself, from npm, on the emulated cloud. Yields. */
	readonly open: (world: World) => Host;
	/** Boots a server of the new game, which takes the old one's players over. */
	readonly moveTo: (world: World, options?: GameOptions) => PlayerGame;
	/** Seconds after which the library takes a session for dead. */
	readonly deadAfterSeconds: number;
}

/** The old games; none where the specs run in Studio, since there no server has a DataModel of its own. */
export function oldGames(): ReadonlyArray<OldGame> {
	const boot = __BATON_BOOT;
	if (boot === undefined) return [];
	const formats = {
		ProfileStore: fromProfileStore<Coins>((data) => data as Coins),
		Lapis: fromLapis<Coins>((data) => data as Coins),
	};
	return peers(boot).map(({ name, open }) => ({
		name: name as OldGame["name"],
		open,
		moveTo: (world, options = {}) =>
			new PlayerGame(world, {
				...options,
				driver: { importLegacy: formats[name as OldGame["name"]], ...options.driver },
			}),
		deadAfterSeconds: name === "Lapis" ? 1800 : 630,
	}));
}

/** The session of a join that must have worked. */
export function sessionOf(arrival: Arrival): Session {
	if ("cause" in arrival) error(`the old game sent the player off: ${arrival.cause}`, 2);
	return arrival.session;
}

/** Why the old game sent the player off. */
export function causeOf(arrival: Arrival): string {
	if ("session" in arrival) error("the old game let the player in", 2);
	return arrival.cause;
}

/** What is stored of a user, whoever wrote it; a copy. */
export function storedOf(lobby: PlayerGame, userId: number): StoredRecord {
	return lobby.record(`Player_${userId}`)!;
}
