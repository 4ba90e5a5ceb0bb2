import { DataDriver } from "@rbxts/baton";
import { platform } from "./faults";

/** An item is one thing in the world: its id is in one player's data, and nowhere else. */
export interface Item {
	readonly id: string;
	readonly kind: string;
}

export interface PlayerData {
	readonly coins: number;
	readonly items: ReadonlyArray<Item>;
	readonly isNew: boolean;
	/** Unix seconds. */
	readonly lastPlayed: number;
}

/** Under a session lock: each player's data are on one server at a time. */
export const playerData = new DataDriver<PlayerData>({
	name: "PlayerData",
	defaults: { coins: 100, items: [], isNew: true, lastPlayed: 0 },
	// A game leaves this out. Here it is what lets the panel break things.
	platform,
});

/** Without session locks: every server may change a guild. */
export const guilds = new DataDriver({ name: "Guilds", defaults: { bank: 0 }, platform });
