import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, ok, Result } from "../result";
import { noYield } from "../util/noYield";
import { Waiter } from "../util/waiter";
import { Kernel } from "./kernel";
import { OpenProfile } from "./openProfile";
import { releasedProfile } from "./profileErrors";
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
	/** A load of this key may no longer be wanted: it looks now, not at the end of its pause. */
	readonly recheckLoad: (key: string) => void;
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
	/** Whether the game's server was told of the player; one who was asked for may come before that. */
	announced: boolean;
	profile?: OpenProfile<T>;
	readonly loaded: Waiter<Result<OpenProfile<T>>>;
}

/**
 * Binds players to profiles. A session belongs to a Player instance: a user who comes back is a new one, and what
 * happens to the old instance no longer touches the new one's session.
 */
export class PlayerSessions<T extends object> {
	private readonly sessions = new Map<Player, PlayerSession<T>>();
	/** The newest session of each user. */
	private readonly byUser = new Map<number, PlayerSession<T>>();
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
		players.PlayerAdded.Connect((player) => this.announce(player));
		players.PlayerRemoving.Connect((player) => this.leave(player));
		// Players who joined before this script ran are never announced.
		for (const player of players.GetPlayers()) taskLibrary.spawn(() => this.announce(player));
	}

	/** The player's profile, once it is loaded and while it is active. */
	public profileOf(player: Player): OpenProfile<T> | undefined {
		const profile = this.sessions.get(player)?.profile;
		return profile !== undefined && profile.active && profile.player === player ? profile : undefined;
	}

	/** Yields until the player's profile is loaded, the load has failed or the player has left. */
	public waitFor(player: Player): Result<OpenProfile<T>> {
		const session = this.sessions.get(player) ?? this.begin(player);
		if (session === undefined) {
			return err(this.closed && this.isHere(player) ? this.closedError(player) : this.leftError(player));
		}
		const loaded = session.loaded.wait()!;
		if (!loaded.success) return loaded;
		// Long after the load, the profile may be gone again, or have gone over to a newer instance or to a load by hand.
		const gone = loaded.value.goneError();
		if (gone !== undefined) return err(gone);
		if (loaded.value.player === player) return loaded;
		const { store } = this.home;
		return err(session.present ? releasedProfile({ store, key: session.key }) : this.leftError(player));
	}

	/** Starts no more sessions. */
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

	/** A trade of the profile is unsettled: the session ends, the lock alone is released, and the next load settles it. */
	public endUnfinished(profile: OpenProfile<T>): void {
		this.endWith(profile, "transaction_unfinished");
	}

	/** Another server asked for the profile, since its player joined there: the session ends and the profile is released. */
	public handOver(profile: OpenProfile<T>): void {
		this.endWith(profile, "handed_over");
	}

	private endWith(profile: OpenProfile<T>, reason: SessionEndReason): void {
		const player = profile.player;
		const session = player !== undefined ? this.sessions.get(player) : undefined;
		if (session !== undefined && session.profile === profile) this.finish(session, reason);
		this.home.platform.task.spawn(() => profile.release());
	}

	private announce(player: Player): void {
		const session = this.sessions.get(player) ?? this.begin(player, true);
		if (session !== undefined) session.announced = true;
	}

	private begin(player: Player, announced = false): PlayerSession<T> | undefined {
		if (this.closed || this.departed.has(player) || !this.isHere(player)) return undefined;
		const session: PlayerSession<T> = {
			player,
			key: this.keyOf(player),
			present: true,
			announced,
			loaded: new Waiter(this.home.platform),
		};
		const before = this.byUser.get(player.UserId);
		this.sessions.set(player, session);
		if (before !== undefined && before.present && this.isOlder(session, before)) {
			// The newer one was asked for early: this one takes nothing away from it.
			this.supersede(session);
			return session;
		}
		this.byUser.set(player.UserId, session);
		this.home.platform.task.spawn(() => this.open(session, before));
		return session;
	}

	private keyOf(player: Player): string {
		const { platform, keyOf, store } = this.home;
		const ran = noYield(() => keyOf(player), platform.task.cancel);
		if (ran.ok) return ran.value;
		platform.warn(
			`Baton: the option "key" of driver "${store}" failed for ${player.Name}: ${ran.message}\n${ran.traceback}`,
		);
		// No key of a record is empty, so the load refuses it with a message for people.
		return "";
	}

	private open(session: PlayerSession<T>, before: PlayerSession<T> | undefined): void {
		const { player, key } = session;
		const isWanted = () => session.present;
		if (before !== undefined && before.present) this.supersede(before);
		// The user is back before the old instance was announced as gone: the profile goes on with the new one.
		const open = this.openFor(session);
		if (open !== undefined) return this.settle(session, ok(open));
		const loaded = this.home.loadFor(player, key, isWanted);
		// Or it was being taken back for the old instance, which is what this load waited for.
		const back = loaded.success || !session.present ? undefined : this.openFor(session);
		this.settle(session, back !== undefined ? ok(back) : loaded);
	}

	/** The open profile of the session's key, if it is this user's. */
	private openFor({ player, key }: PlayerSession<T>): OpenProfile<T> | undefined {
		const open = this.home.openProfile(key);
		return open?.player?.UserId === player.UserId ? open : undefined;
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
		if (profile === undefined) this.home.recheckLoad(session.key);
		// After a rejoin the profile is the new instance's.
		if (profile !== undefined && profile.player === player) profile.release();
	}

	/** A newer instance of the same user has joined: the old one's session is over, with its profile left to the new one. */
	private supersede(session: PlayerSession<T>): void {
		session.present = false;
		session.loaded.resolve(err(this.leftError(session.player)));
		if (session.profile === undefined) this.home.recheckLoad(session.key);
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
		const { UserId } = session.player;
		if (this.byUser.get(UserId) === session) this.byUser.delete(UserId);
	}

	/** Whether a player came before another. They are announced in the order in which they come. */
	private isOlder({ player, announced }: PlayerSession<T>, other: PlayerSession<T>): boolean {
		if (other.announced) return false;
		if (announced) return true;
		const players = this.home.platform.players.GetPlayers();
		return players.indexOf(player) < players.indexOf(other.player);
	}

	private isHere(player: Player): boolean {
		return this.home.platform.players.GetPlayers().includes(player);
	}

	private closedError(player: Player): BatonError {
		const { store } = this.home;
		return new BatonError(
			"profile_closed",
			`Baton: driver "${store}" is closing and loads no profile for ${player.Name}`,
			{ store },
		);
	}

	private leftError(player: Player): BatonError {
		return new BatonError("player_left", `Baton: player ${player.Name} left before the profile was loaded`);
	}
}
