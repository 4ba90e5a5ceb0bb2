import { DataDriver } from "../../src/driver/dataDriver";
import { OpenProfile } from "../../src/driver/openProfile";
import { Profile } from "../../src/driver/profile";
import { SessionEndReason } from "../../src/driver/sessionEnd";
import { BatonError } from "../../src/errors";
import { SeededRandom } from "../cloud/random";
import { Server, ServerOptions } from "../cloud/server";
import { Book, GUILDS, WALLETS } from "./book";
import { GuildHall } from "./guildHall";
import { deposited, Gift, Holdings, NEW_GUILD, NEW_WALLET } from "./holdings";
import { Injections } from "./injections";
import { Market } from "./market";
import { short } from "./page";

/** A load that may ask other servers for their lock. */
interface Load {
	readonly key: string;
	readonly from: number;
	to?: number;
}

/** A profile object and what became of it. */
interface Session {
	readonly id: number;
	readonly key: string;
	readonly profile: Profile<Holdings>;
	lost?: BatonError;
	/** It is being taken back after a release: others may have had the record since. */
	isReturning?: boolean;
	/** It went on for a player who is back. */
	wentOn?: boolean;
}

/** What the lobbies of one simulated world share. */
export interface Game {
	readonly book: Book;
	readonly random: SeededRandom;
	readonly injections: Injections;
	/** Nothing goes wrong here, so nothing may fail. */
	readonly isCalm: boolean;
	/** Clocks may drift here. */
	readonly isRich: boolean;
	readonly autosaveSeconds: number;
	readonly lockWaitSeconds: number;
	readonly lockTtlSeconds: number;
	readonly lockSkewSeconds: number;
	readonly flushSeconds: number;
	/** Every server so far. */
	readonly lobbies: Array<Lobby>;
}

/** A game in which nothing is drawn and nothing goes wrong, with the settings that a driver has by itself. */
export const CALM = {
	isCalm: true,
	isRich: false,
	autosaveSeconds: 60,
	lockWaitSeconds: 15,
	lockTtlSeconds: 180,
	lockSkewSeconds: 60,
	flushSeconds: 30,
};

/** How long what budgets that ran dry have held up may still be felt. */
const DRY_SECONDS = 60;
/** When a closing server tells at the latest what it could not store. */
const TELLING_SECONDS = 28;

/** What a server warns of updates that are not stored and will not be. */
const TELLS_LOSS = [
	"whose last save was not answered",
	"that no write has stored are lost",
	"they are lost unless it is committed",
];

/** The record's key of a user. */
export function keyOf(userId: number): string {
	return `Player_${userId}`;
}

/** The user of a record's key. */
export function userOf(key: string): number {
	return tonumber(key.match("%d+")[0])!;
}

/** The record's key of a guild. */
export function guildOf(id: number): string {
	return `Guild_${id}`;
}

/** A server of the simulated game: what its players do, and whether what the driver tells them is true. */
export class Lobby {
	public readonly server: Server;
	public readonly driver: DataDriver<Holdings>;
	/** The guilds' records, which all servers share; its sessions know nothing of handoff. */
	public readonly guilds: DataDriver<Holdings>;
	public readonly market: Market;
	public readonly hall: GuildHall;
	/** Its memory was lost without a shutdown. */
	public crashed = false;
	/** It is about to close or has closed. */
	public closing = false;
	/** When it began to close. */
	public closedAt = math.huge;
	/** When it was paused last. */
	public pausedAt = 0;
	public readonly loads = new Array<Load>();
	private readonly sessions = new Map<Profile<Holdings>, Session>();
	private readonly sessionList = new Array<Session>();
	private readonly joins = new Map<Player, Load>();
	private readonly profiles = new Map<Player, Profile<Holdings>>();
	private entering?: Load;
	private manual = new Array<Profile<Holdings>>();

	public constructor(
		public readonly rules: Game,
		options: ServerOptions,
		/** Whether it takes part in lock handoff; an older build does not. */
		public readonly handoff: boolean,
	) {
		const { book } = rules;
		this.server = book.world.startServer(options);
		this.server.whenDead(() => {
			// A server that crashes while it closes has not been torn down, and one that stands still to its end tells nothing.
			const { tornDown, runner } = this.server;
			const isFrozen = runner.paused && this.pausedAt < this.closedAt + TELLING_SECONDS;
			if (!tornDown || isFrozen) this.crashed = true;
		});
		book.addServer(this.server, handoff);
		const shared = {
			platform: this.server.platform,
			autosaveSeconds: rules.autosaveSeconds,
			flushSeconds: rules.flushSeconds,
			lockWaitSeconds: rules.lockWaitSeconds,
			lockTtlSeconds: rules.lockTtlSeconds,
			lockSkewSeconds: rules.lockSkewSeconds,
		};
		this.guilds = this.server.run(
			() => new DataDriver<Holdings>({ name: GUILDS, defaults: NEW_GUILD, ...shared, handoff: false }),
		);
		this.market = new Market(this);
		this.hall = new GuildHall(this);
		this.driver = this.server.run(() => {
			const driver = new DataDriver<Holdings>({
				name: WALLETS,
				defaults: NEW_WALLET,
				...shared,
				handoff: handoff ? undefined : false,
				onSessionEnd: (player, reason, message) => {
					this.judgeEnd(player, reason);
					player.Kick(message);
				},
				onMetric: (name, _value, tags) => {
					if (name === "lock.taken") book.count(`lock taken: ${tags.verdict}`);
					if (name === "lock.adopted" || name === "lock.lost" || name === "save.failing") book.count(name);
				},
			});
			driver.onReady.connect((player, profile) => this.ready(player, profile));
			driver.onLoadFailed.connect((player, cause) => this.failed(player, cause));
			driver.attach();
			return driver;
		});
	}

	/** A user comes in. */
	public join(userId: number): void {
		const from = this.now();
		// PlayerAdded fires within, so the load is entered first.
		const load: Load = { key: keyOf(userId), from };
		this.loads.push(load);
		// Where the user is here already, that player is on the way out, and nothing more comes of it.
		for (const player of this.playersOf(userId)) this.joinOf(player).to ??= from;
		this.entering = load;
		const player = this.server.join(userId);
		this.entering = undefined;
		this.joins.set(player, load);
	}

	/** The player objects of a user, oldest first. */
	public playersOf(userId: number): Array<Player> {
		return this.server.players().filter((player) => player.UserId === userId);
	}

	public leave(player: Player): void {
		this.joinOf(player).to ??= this.now();
		this.server.leave(player);
	}

	/** The player's profile takes a deposit, if it is there. */
	public earn(player: Player): void {
		const profile = this.driver.profileOf(player);
		if (profile !== undefined) this.deposit(profile);
	}

	/** The game saves now. */
	public save(player: Player): void {
		const profile = this.driver.profileOf(player);
		if (profile === undefined) return;
		const { deposits } = profile.data;
		const answer = profile.save();
		if (answer.success) this.acknowledge(profile, deposits, "a save");
		else this.expectCalm(profile.key, answer.error, ["released"]);
	}

	/** Released ahead of a teleport; `arrive` is called if it may go, else, or if it fails, the profile is taken back. */
	public teleport(player: Player, arrive: (() => void) | undefined): void {
		const profile = this.driver.profileOf(player);
		if (profile === undefined) return;
		const released = this.driver.releaseForTeleport(player);
		if (released.success) this.judgeReleased(profile);
		else this.expectCalm(profile.key, released.error, ["already_loaded"]);
		if (released.success && arrive !== undefined) {
			arrive();
			return;
		}
		if (this.rules.random.chance(0.5)) this.server.platform.task.wait(this.rules.random.between(0, 4));
		const session = this.sessions.get(profile)!;
		session.isReturning = true;
		const back = profile.reacquire();
		session.isReturning = false;
		if (!back.success) {
			this.rules.book.count(`reacquire: ${back.error.type}`);
			return;
		}
		this.rules.book.count("reacquired");
		// Somebody may have released it again meanwhile, and waits for a trade.
		const isHeld = (profile as OpenProfile<Holdings>).hold() !== undefined;
		if (!profile.active && !isHeld) this.broken(profile.key, "a profile that was taken back is not active");
	}

	/** Reads without a lock. */
	public peek(userId: number): void {
		const key = keyOf(userId);
		const { book } = this.rules;
		const since = this.now();
		const answer = this.driver.peek(key);
		if (!answer.success) return this.expectCalm(key, answer.error, ["invalid_record"]);
		const found = answer.value;
		if (found !== undefined) book.expectRead(key, found, since, new Set(), `a peek on ${this.server.name}`);
		else book.expectAcknowledged(key, [], since, `a peek on ${this.server.name}`);
	}

	/** The game's own load, with nobody in it; held for a while. */
	public loadByHand(key: string, waitForLock: boolean, holdSeconds: number, heeds: boolean): void {
		const since = this.now();
		const load: Load = { key, from: since };
		if (waitForLock) this.loads.push(load);
		const driver = key.sub(1, 7) === "Player_" ? this.driver : this.guilds;
		const answer = driver.load(key, { waitForLock, handoffSeconds: this.rules.random.integer(0, 5) });
		load.to = this.now();
		if (!answer.success) return;
		const profile = answer.value;
		this.enter(profile, since, "a load by hand");
		this.manual.push(profile);
		if (heeds) {
			profile.onReleaseRequested.connect(() => {
				profile.release();
			});
		}
		this.deposit(profile);
		this.server.platform.task.wait(holdSeconds);
		this.deposit(profile);
		this.releaseByHand(profile);
	}

	/** Lets go of all that was loaded by hand. */
	public releaseManual(): void {
		for (const profile of this.manual) this.server.spawn(() => this.releaseByHand(profile));
	}

	/** Whether a lost deposit of this server is one that its profile's owner was told about. */
	public explains(session: number, key: string): boolean {
		if (this.crashed) return true;
		// One whose last trade or transaction is unsettled was closed with that answer.
		const isTold = ({ id, lost, profile }: Session) =>
			id === session && (lost !== undefined || (profile as OpenProfile<Holdings>).isBlocked());
		if (this.sessionList.some((each) => isTold(each))) return true;
		return this.server.warnings.some(
			(text) =>
				text.find(key, 1, true)[0] !== undefined &&
				TELLS_LOSS.some((part) => text.find(part, 1, true)[0] !== undefined),
		);
	}

	/** The profiles of the players here. */
	public openProfiles(): Array<Profile<Holdings>> {
		const profiles = new Array<Profile<Holdings>>();
		for (const player of this.server.players()) {
			const profile = this.driver.profileOf(player);
			if (profile !== undefined) profiles.push(profile);
		}
		return profiles;
	}

	/** The keys of the profiles that still take changes. */
	public stillActive(): Array<string> {
		return this.sessionList.filter(({ profile }) => profile.active).map(({ key }) => key);
	}

	/** Players whose load has not ended. */
	public unsettled(): Array<Player> {
		return this.server.players().filter((player) => this.joinOf(player).to === undefined);
	}

	private ready(player: Player, profile: Profile<Holdings>): void {
		const load = this.joinOf(player);
		this.noteRace(load);
		this.profiles.set(player, profile);
		this.enter(profile, load.from, `the join of ${player.Name} on ${this.server.name}`);
		if (this.driver.profileOf(player) !== profile) this.broken(profile.key, "a ready profile is not the player's");
	}

	private failed(player: Player, cause: BatonError): void {
		const load = this.joinOf(player);
		this.noteRace(load);
		this.rules.book.count(`join failed: ${cause.type}`);
		this.server.world.trace.note(this.server.name, `${load.key} refused: ${cause.type}`);
		if (!this.closing) this.expectCalm(load.key, cause, []);
		if (cause.type === "profile_locked" && cause.holder?.jobId === this.server.jobId) {
			this.broken(load.key, "a join was refused for a lock of its own server");
		}
		const open = this.driver.get(load.key);
		if (cause.type === "already_loaded" && open?.player?.UserId === player.UserId) {
			this.broken(load.key, "a join was refused for the profile of its own user");
		}
	}

	/** A join has ended; somebody else may have taken the lock that it waited for. */
	private noteRace(load: Load): void {
		load.to = this.now();
		const { book } = this.rules;
		if (book.page(load.key).wasTaken(load.from, this.server.name)) book.count("two takers raced");
	}

	private enter(profile: Profile<Holdings>, since: number, who: string): void {
		const { key } = profile;
		const { book, random } = this.rules;
		const { deposits } = profile.data;
		const page = book.page(key);
		const before = this.sessions.get(profile);
		const isHeld = page.isHeldBy(tokenOf(profile));
		// A profile that goes on for a player who is back is handed out even where the store did not answer.
		if (isHeld || before === undefined) book.expectAcknowledged(key, deposits, since, who);
		else book.count("went on unanswered");
		if (isHeld && before === undefined) book.expectSame(key, profile.data, who);
		page.view?.deposits.forEach((id, index) => {
			if (isHeld && deposits[index] !== id) this.broken(key, `${who} does not see deposit ${id}`);
		});
		this.server.world.trace.note(
			this.server.name,
			`${key} open under ${short(tokenOf(profile))} with ${deposits.size()} deposits`,
		);
		if (before !== undefined) {
			before.wentOn = true;
			return;
		}
		const session: Session = { id: book.newSession(), key, profile };
		this.sessions.set(profile, session);
		this.sessionList.push(session);
		profile.onReleased.connect(() => this.released(profile));
		profile.onLockLost.connect((cause) => this.lost(session, cause));
		if (random.chance(0.3)) profile.onReleasing(() => this.deposit(profile));
	}

	private lost(session: Session, cause: BatonError): void {
		session.lost = cause;
		const { key, profile } = session;
		if (session.wentOn === true) this.rules.book.count("adopted profile lost its lock");
		const token = tokenOf(profile);
		const record = this.rules.book.page(key).record;
		this.server.world.trace.note(this.server.name, `${key} lost under ${short(token)}: ${cause.type}`);
		// The same token under another turn is a late landing of its acquire: somebody had the record in between.
		if (record?.Lock !== undefined && (profile as OpenProfile<Holdings>).writes.holdsLock(record.Lock))
			this.broken(key, "a profile whose lock is on the record was told it is lost");
		if (record?.Lock === undefined && record?.Meta.ReleasedToken === token) {
			this.broken(key, "a profile was told that its lock is lost, and nobody had the record since");
		}
		const isStored = profile.data.deposits.every((id) => this.rules.book.page(key).has(id));
		const saysLost = cause.message.find("changes since its last save are lost", 1, true)[0] !== undefined;
		if (saysLost && isStored) this.broken(key, "changes are called lost that are stored");
		if (session.isReturning !== true) this.expectCalm(key, cause, []);
	}

	private judgeReleased(profile: Profile<Holdings>): void {
		this.released(profile);
		if (this.rules.book.page(profile.key).isHeldBy(tokenOf(profile))) {
			this.broken(profile.key, "a released profile's lock is on the record");
		}
	}

	/** A release says that all is stored, but for a profile whose trade or transaction is for the next load to finish. */
	private released(profile: Profile<Holdings>): void {
		if ((profile as OpenProfile<Holdings>).isBlocked()) return;
		this.acknowledge(profile, profile.data.deposits, "a release");
	}

	/** A session ends only for a reason. */
	private judgeEnd(player: Player, reason: SessionEndReason): void {
		const { key } = this.joinOf(player);
		const { book, lobbies } = this.rules;
		book.count(`ended: ${reason}`);
		if (reason === "handed_over") {
			const profile = this.profiles.get(player);
			const since = profile !== undefined ? (book.page(key).seenAt(tokenOf(profile)) ?? 0) : 0;
			const asked = lobbies.some(
				(lobby) =>
					lobby !== this && lobby.loads.some((load) => load.key === key && (load.to ?? math.huge) >= since),
			);
			if (!asked) this.broken(key, `${player.Name} was handed over, and nobody had asked`);
		} else if (!this.closing && this.rules.isCalm && reason !== "lock_lost" && !this.isDry())
			this.broken(key, `${player.Name} was ended in calm: ${reason}`);
	}

	private deposit(profile: Profile<Holdings>): void {
		const session = this.sessions.get(profile);
		if (session === undefined) return;
		const { book, random } = this.rules;
		let id = 0;
		const answer = profile.update((data) => {
			const wish = random.integer(-6, 10);
			const gift: Gift = { coins: data.coins + wish < 0 ? 0 : wish, hasItem: random.chance(0.3) };
			const { key } = profile;
			id = book.deposit({ ...gift, key, server: this.server, session: session.id, isQueued: false });
			return deposited(data, id, gift);
		});
		if (!answer.success && id !== 0)
			this.broken(profile.key, `an update that ran was refused: ${answer.error.type}`);
	}

	private releaseByHand(profile: Profile<Holdings>): void {
		const answer = profile.release();
		this.manual = this.manual.filter((other) => other !== profile);
		if (answer.success) this.judgeReleased(profile);
	}

	private acknowledge(profile: Profile<Holdings>, deposits: ReadonlyArray<number>, who: string): void {
		this.rules.book.acknowledge(profile.key, deposits, `${who} on ${this.server.name}`);
	}

	/** Where nothing goes wrong, nothing fails. */
	public expectCalm(key: string, cause: BatonError, allowed: ReadonlyArray<string>): void {
		// The services go before the server does.
		const isClosing = this.closing && cause.kind === "closing";
		if (!this.rules.isCalm || isClosing || allowed.includes(cause.type)) return;
		if (!this.isDry()) this.broken(key, `a call failed in calm: ${cause}`);
	}

	/** Whether budgets ran dry lately, here or elsewhere: calls wait for long then, or are dropped, also in calm. */
	private isDry(): boolean {
		const { calls, events } = this.server.world.trace;
		const since = this.now() - DRY_SECONDS;
		const says = (text: string | undefined, part: string): boolean => text?.find(part, 1, true)[0] !== undefined;
		let isDry = false;
		for (let index = calls.size() - 1; index >= 0 && calls[index].at >= since && !isDry; index--) {
			isDry = says(calls[index].failure, "Throttled");
		}
		for (let index = events.size() - 1; index >= 0 && events[index].at >= since && !isDry; index--) {
			isDry = says(events[index].text, "request was added to queue");
		}
		if (isDry) this.rules.book.count("budgets ran dry in calm");
		return isDry;
	}

	private joinOf(player: Player): Load {
		let load = this.joins.get(player);
		if (load === undefined) {
			// Only while PlayerAdded fires.
			load = this.entering ?? { key: keyOf(player.UserId), from: this.now() };
			this.joins.set(player, load);
		}
		return load;
	}

	private broken(key: string, text: string): void {
		this.rules.book.broken(key, `${text} (${this.server.name})`);
	}

	private now(): number {
		return this.rules.book.world.now();
	}
}

/** The token of a profile's lock. */
export function tokenOf(profile: Profile<Holdings>): string {
	return (profile as OpenProfile<Holdings>).writes.token();
}
