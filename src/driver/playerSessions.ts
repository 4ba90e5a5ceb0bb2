import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, ok, Result } from "../result";
import { Waiter } from "../util/waiter";
import { Kernel } from "./kernel";
import { OpenProfile } from "./openProfile";
import { SESSION_END_MESSAGES, SessionEndHandler, SessionEndReason } from "./sessionEnd";

/** What player sessions need of their driver. */
export interface SessionsHome<T extends object> {
	readonly platform: Platform;
	readonly store: string;
	/** The player's key; throws what the game's own function throws. */
	readonly keyOf: (player: Player) => string;
	/** The open, active profile of a key. */
	readonly openProfile: (key: string) => OpenProfile<T> | undefined;
	/** Loads for a player; gives up, with the lock given back, once `isWanted` says no. */
	readonly loadFor: (player: Player, key: string, isWanted: () => boolean) => Result<OpenProfile<T>>;
	readonly onReady: (player: Player, profile: OpenProfile<T>) => void;
	readonly onLoadFailed: (player: Player, error: BatonError) => void;
	/** The game's own way to end a session; a kick where it has none. */
	readonly onSessionEnd?: SessionEndHandler;
}

/** One stay of one Player instance on this server. */
interface PlayerSession<T extends object> {
	readonly player: Player;
	readonly key: string;
	/** Whether the player is still here and not ended. */
	present: boolean;
	profile?: OpenProfile<T>;
	readonly loaded: Waiter<Result<OpenProfile<T>>>;
}

/**
 * Binds players to profiles. A session belongs to a Player instance: a user who comes back is a new one, and what
 * happens to the old instance no longer touches the new one's session.
 */
export class PlayerSessions<T extends object> {
	private readonly sessions = new Map<Player, PlayerSession<T>>();
	/** The newest session of each key. */
	private readonly byKey = new Map<string, PlayerSession<T>>();
	/** Players whose session is over for good: they are still listed while PlayerRemoving runs. */
	private readonly departed = new WeakSet<Player>();
	private closed = false;

	public constructor(
		private readonly home: SessionsHome<T>,
		private readonly kernel: Kernel,
	) {}

	/** Begins with the players who are here, and with every one to come. */
	public start(): void {
		const { players, task: taskLibrary } = this.home.platform;
		players.PlayerAdded.Connect((player) => this.begin(player));
		players.PlayerRemoving.Connect((player) => this.leave(player));
		// Players who joined before this script ran are never announced.
		for (const player of players.GetPlayers()) taskLibrary.spawn(() => this.begin(player));
	}

	/** The player's profile, once it is loaded and while it is active. */
	public profileOf(player: Player): OpenProfile<T> | undefined {
		const profile = this.sessions.get(player)?.profile;
		return profile !== undefined && profile.active ? profile : undefined;
	}

	/** Yields until the player's profile is loaded, the load has failed or the player has left. */
	public waitFor(player: Player): Result<OpenProfile<T>> {
		const session = this.sessions.get(player) ?? this.begin(player);
		if (session === undefined) return err(this.leftError(player));
		return session.loaded.wait()!;
	}

	/** Starts no more sessions, and answers those still loading. */
	public close(): void {
		this.closed = true;
	}

	/** The profile's lock was lost: its session ends. */
	public profileLost(profile: OpenProfile<T>): void {
		const player = profile.player;
		const session = player !== undefined ? this.sessions.get(player) : undefined;
		if (session === undefined || session.profile !== profile) return;
		this.finish(session, "lock_lost");
	}

	private begin(player: Player): PlayerSession<T> | undefined {
		const known = this.sessions.get(player);
		if (known !== undefined) return known;
		if (this.closed || this.departed.has(player) || !this.isHere(player)) return undefined;
		const [keyed, key] = pcall(() => this.home.keyOf(player));
		if (!keyed) {
			this.home.platform.warn(
				`Baton: the option "key" of driver "${this.home.store}" threw for ${player.Name}: ${key}`,
			);
		}
		const session: PlayerSession<T> = {
			player,
			// No key of a record is empty, so the load refuses it with a message for people.
			key: keyed ? key : "",
			present: true,
			loaded: new Waiter(this.home.platform),
		};
		const before = this.byKey.get(session.key);
		this.sessions.set(player, session);
		this.byKey.set(session.key, session);
		this.home.platform.task.spawn(() => this.open(session, before));
		return session;
	}

	private open(session: PlayerSession<T>, before: PlayerSession<T> | undefined): void {
		const { player, key } = session;
		const isWanted = () => session.present;
		if (before !== undefined && before.present) this.supersede(before);
		const open = this.home.openProfile(key);
		if (open !== undefined && open.player?.UserId === player.UserId) {
			// The user is back before the old instance was announced as gone: the profile goes on with the new one.
			this.settle(session, ok(open));
			return;
		}
		const loaded = this.home.loadFor(player, key, isWanted);
		this.settle(session, loaded);
	}

	private settle(session: PlayerSession<T>, loaded: Result<OpenProfile<T>>): void {
		const { player } = session;
		if (!loaded.success) {
			const left = !session.present;
			session.loaded.resolve(loaded);
			if (left) return;
			this.home.onLoadFailed(player, loaded.error);
			this.finish(session, loaded.error.type === "profile_locked" ? "profile_locked" : "load_failed");
			return;
		}
		const profile = loaded.value;
		profile.player = player;
		session.profile = profile;
		session.loaded.resolve(loaded);
		this.home.onReady(player, profile);
	}

	private leave(player: Player): void {
		const session = this.sessions.get(player);
		this.departed.add(player);
		if (session === undefined) return;
		this.forget(session);
		session.present = false;
		session.loaded.resolve(err(this.leftError(player)));
		const { profile } = session;
		// After a rejoin the profile is the new instance's.
		if (profile !== undefined && profile.player === player) profile.release();
	}

	/** A newer instance of the same user has joined: the old one's session is over, with its profile left to the new one. */
	private supersede(session: PlayerSession<T>): void {
		session.present = false;
		session.loaded.resolve(err(this.leftError(session.player)));
	}

	private finish(session: PlayerSession<T>, reason: SessionEndReason): void {
		session.present = false;
		const { player } = session;
		const handler = this.home.onSessionEnd;
		const message = SESSION_END_MESSAGES[reason];
		this.kernel.sessions.finish(player, () => {
			if (handler !== undefined) handler(player, reason, message);
			else player.Kick(message);
		});
	}

	private forget(session: PlayerSession<T>): void {
		this.sessions.delete(session.player);
		if (this.byKey.get(session.key) === session) this.byKey.delete(session.key);
	}

	private isHere(player: Player): boolean {
		return this.home.platform.players.GetPlayers().includes(player);
	}

	private leftError(player: Player): BatonError {
		return new BatonError("player_left", `Baton: player ${player.Name} left before the profile was loaded`);
	}
}
