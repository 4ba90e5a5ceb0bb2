import { Profile } from "../../src/driver/profile";
import { Server } from "../cloud/server";
import { World } from "../cloud/world";
import { Bag, levelUp } from "./bag";
import { GameData, GameServer } from "./game";

/** A user's data on one server, as a case sees them, whatever library keeps them. */
export interface Session {
	readonly coins: () => number;
	/** Whether this server may still change them. */
	readonly active: () => boolean;
	/** Adds coins. Does not yield. */
	readonly earn: (coins: number) => void;
	/** Yields until they are stored; throws where they could not be. */
	readonly save: () => void;
	/** Gives the user so many sections of things beside the coins. Does not yield. */
	readonly fill: (bag: Bag) => void;
	/** Changes one thing of one section. Does not yield. */
	readonly change: (section: string, item: string) => void;
}

/** How a join ended, and at which virtual second. */
export type Arrival = { readonly at: number; readonly player: Player } & (
	{ readonly session: Session } | { readonly cause: string }
);

/** What is stored of a user. */
export interface Stored {
	readonly coins: number;
	/** Names the lock, where there is one; another for another server's. */
	readonly holder?: string;
}

/** One server of a game whose users have coins. Every library that is compared has one. */
export interface Host {
	readonly server: Server;
	/** The data store of the users' records. */
	readonly store: string;
	/** A user's key in it. */
	readonly keyOf: (userId: number) => string;
	/** Lets the user in; yields until the data are there or the session is over. */
	readonly join: (userId: number) => Arrival;
	readonly stored: (userId: number) => Stored | undefined;
	/** Seconds within which a change is saved where nothing fails. */
	readonly savedWithinSeconds: number;
	/** Whether a rejoin whose leave save failed goes on with the very same session. */
	readonly resumes: boolean;
	/** Who hears other servers' requests: the server, or a session until it ends. */
	readonly listener: "server" | "session";
	/** What a player reads who is sent off since another server asks; any text where it is not given. */
	readonly farewell?: string;
}

export interface HostOptions {
	/** `false`: other servers cannot ask this one for its locks. */
	readonly handoff?: false;
}

/** Boots a server with the game on it. Yields. */
export type OpenHost = (world: World, options?: HostOptions) => Host;

/** A Baton server, and the profile behind a session of it. */
export interface BatonHost extends Host {
	readonly profileOf: (session: Session) => Profile<GameData>;
}

/** The story's game on a fresh server. Yields. */
export function openBaton(world: World, options: HostOptions = {}): BatonHost {
	const baton = new GameServer(world, world.startServer(), options);
	const { server } = baton;
	const store = "PlayerData";
	const profiles = new Map<Session, Profile<GameData>>();
	const sessions = new Map<Profile<GameData>, Session>();
	const sessionOf = (profile: Profile<GameData>): Session => {
		const known = sessions.get(profile);
		if (known !== undefined) return known;
		const session: Session = {
			coins: () => profile.data.coins,
			active: () => profile.active,
			earn: (coins) => baton.earn(profile, coins),
			save: () => {
				server.run(() => profile.save()).unwrap();
			},
			fill: (bag) => {
				server.run(() => profile.update((data) => ({ ...data, bag }))).unwrap();
			},
			change: (section, item) => {
				server.run(() => profile.update((data) => ({ ...data, bag: levelUp(data.bag!, section, item) })));
			},
		};
		sessions.set(profile, session);
		profiles.set(session, profile);
		return session;
	};
	const keyOf = (userId: number): string => `Player_${userId}`;
	return {
		server,
		store,
		keyOf,
		savedWithinSeconds: 60,
		resumes: true,
		listener: "server",
		farewell: "You joined another server.",
		join: (userId) => {
			const answer = baton.join(userId);
			const { at, player } = answer;
			if ("cause" in answer) return { at, player, cause: answer.cause.type };
			return { at, player, session: sessionOf(answer.profile) };
		},
		stored: (userId) => {
			const record = world.store(store).get(keyOf(userId)) as
				{ Data: GameData; Lock?: { JobId: string } } | undefined;
			return record && { coins: record.Data.coins, holder: record.Lock?.JobId };
		},
		profileOf: (session) => profiles.get(session)!,
	};
}

/** The session of a join that must have worked. */
export function inGame(arrival: Arrival): Session {
	if ("cause" in arrival) error(`the join failed: ${arrival.cause}`, 2);
	return arrival.session;
}
