import { guildOf, Lobby } from "./lobby";

/** Starts what a server does, which yields; the case goes on until it has answered or the server is gone. */
export type Begin = (lobby: Lobby, action: () => void) => void;

/** A game of two servers, so small that its orders can be counted. */
export interface SmallCase {
	readonly name: string;
	readonly users: number;
	readonly guilds: number;
	/** What stands when it begins. Yields. */
	readonly prepare: (first: Lobby, second: Lobby) => void;
	/** What is played in every order. May not yield. */
	readonly play: (first: Lobby, second: Lobby, begin: Begin) => void;
}

function arrive(lobby: Lobby, userId: number): void {
	lobby.join(userId);
	const { world } = lobby.server;
	world.waitUntil(() => lobby.unsettled().isEmpty());
}

function earn(lobby: Lobby): void {
	for (const player of lobby.server.players()) lobby.server.run(() => lobby.earn(player));
}

/** A user with something unsaved is on the first server. */
function oneUser(first: Lobby): void {
	arrive(first, 1);
	earn(first);
}

/** The small cases that are played in every order up to a bound. */
export const SMALL_CASES: ReadonlyArray<SmallCase> = [
	{
		// One trade, one join: the first trader is asked for by another server.
		name: "trade",
		users: 2,
		guilds: 0,
		prepare: (first) => {
			arrive(first, 1);
			arrive(first, 2);
			earn(first);
		},
		play: (first, second, begin) => {
			const [a, b] = first.openProfiles();
			begin(first, () => first.market.trade(a, b));
			second.join(1);
		},
	},
	{
		// One transaction of a user and a guild, one read of the guild elsewhere.
		name: "transaction",
		users: 1,
		guilds: 1,
		prepare: (first) => {
			oneUser(first);
			const guild = guildOf(1);
			first.hall.pay(guild);
			first.server.run(() => first.hall.save(guild, true));
		},
		play: (first, second, begin) => {
			const [wallet] = first.openProfiles();
			const guild = first.hall.profile(guildOf(1));
			if (guild !== undefined) begin(first, () => first.market.transact([wallet, guild], 2, {}));
			begin(second, () => second.hall.fetch(guildOf(1)));
		},
	},
	{
		// The same, and the guild is paid into and saved elsewhere.
		name: "flush",
		users: 1,
		guilds: 1,
		prepare: oneUser,
		play: (first, second, begin) => {
			const guild = guildOf(1);
			const [wallet] = first.openProfiles();
			const party = first.hall.profile(guild);
			if (party !== undefined) begin(first, () => first.market.transact([wallet, party], 2, {}));
			second.hall.pay(guild);
			begin(second, () => second.hall.save(guild, false));
		},
	},
	{
		// A player leaves for another server and is there at once.
		name: "leave",
		users: 1,
		guilds: 0,
		prepare: oneUser,
		play: (first, second) => {
			const [player] = first.server.players();
			first.leave(player);
			second.join(1);
		},
	},
	{
		// A player is on another server while the first one still saves, and is handed over.
		name: "handoff",
		users: 1,
		guilds: 0,
		prepare: oneUser,
		play: (first, second, begin) => {
			const [player] = first.server.players();
			begin(first, () => first.save(player));
			second.join(1);
		},
	},
	{
		// A player leaves, and comes back while another server has already let them in.
		name: "rejoin",
		users: 1,
		guilds: 0,
		prepare: oneUser,
		play: (first, second) => {
			const [player] = first.server.players();
			first.leave(player);
			second.join(1);
			first.join(1);
		},
	},
];
