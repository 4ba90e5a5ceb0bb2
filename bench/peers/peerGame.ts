import { Bag } from "../../test/story/bag";
import { Session } from "../../test/story/host";

/** The data of a user. */
export interface PeerData {
	coins: number;
	bag?: Bag;
}

/** What becomes of a join: a session, or the reason for which the player was sent off. */
export type PeerAnswer = { readonly session: Session } | { readonly cause: string };

/** Hears how a player's join ended. */
export type PeerListener = (player: Player, answer: PeerAnswer) => void;

/** A game on another library, written as that library's documentation shows. Each server has its own copy. */
export interface PeerGame {
	/** Serves the players who are to come. */
	readonly start: (players: Players, defaults: PeerData, listener: PeerListener) => void;
}
