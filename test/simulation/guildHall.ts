import { LocklessProfile } from "../../src/lockless/locklessProfile";
import { deposited, Gift, Holdings } from "./holdings";
import type { Lobby } from "./lobby";

/** One opening of a lockless profile. */
interface Opening {
	readonly session: number;
	readonly profile: LocklessProfile<Holdings>;
	/** The deposits that it took. */
	readonly taken: Set<number>;
}

/** What flushing answers even where nothing goes wrong. */
const EVEN_IN_CALM = ["profile_closed", "lockless_locked", "busy", "already_loaded", "tx_unknown"];

/** The guilds on one simulated server: their queued updates, and whether what is told of them is true. */
export class GuildHall {
	private readonly openings = new Map<LocklessProfile<Holdings>, Opening>();

	public constructor(private readonly lobby: Lobby) {}

	/** The guild's lockless profile, unless the key is loaded under a session lock here. */
	public profile(key: string): LocklessProfile<Holdings> | undefined {
		const answer = this.lobby.guilds.lockless(key);
		if (!answer.success) return undefined;
		const profile = answer.value;
		if (!this.openings.has(profile)) {
			const { book } = this.lobby.rules;
			const opening: Opening = { session: book.newSession(), profile, taken: new Set() };
			this.openings.set(profile, opening);
		}
		return profile;
	}

	/** Somebody pays into the guild. */
	public pay(key: string): void {
		const profile = this.profile(key);
		const opening = profile !== undefined ? this.openings.get(profile) : undefined;
		if (profile === undefined || opening === undefined) return;
		const { book, random } = this.lobby.rules;
		const gift: Gift = { coins: random.integer(0, 5), hasItem: random.chance(0.2) };
		const { session, taken } = opening;
		const deposit = { ...gift, key, server: this.lobby.server, session, isQueued: true };
		const id = book.deposit(deposit);
		taken.add(id);
		const answer = profile.update((data) => deposited(data, id, gift));
		if (!answer.success) {
			book.deposits[id - 1].isRefused = true;
			this.lobby.expectCalm(key, answer.error, EVEN_IN_CALM);
		}
	}

	/** What is queued is to be stored now. Yields. */
	public save(key: string, closes: boolean): void {
		const profile = this.profile(key);
		const opening = profile !== undefined ? this.openings.get(profile) : undefined;
		if (profile === undefined || opening === undefined) return;
		const { book } = this.lobby.rules;
		const asked = this.askedOf(opening);
		const answer = closes ? profile.close() : profile.save();
		if (answer.success) {
			book.acknowledge(key, asked, `${closes ? "closing" : "saving"} a guild on ${this.lobby.server.name}`);
			return;
		}
		book.count(`guild not saved: ${answer.error.type}`);
		this.lobby.expectCalm(key, answer.error, EVEN_IN_CALM);
	}

	/** Reads the guild. Yields. */
	public fetch(key: string): void {
		const profile = this.profile(key);
		const opening = profile !== undefined ? this.openings.get(profile) : undefined;
		if (profile === undefined || opening === undefined) return;
		const { book } = this.lobby.rules;
		const since = book.world.now();
		const answer = profile.fetch();
		if (answer.success) {
			book.expectRead(key, answer.value, since, opening.taken, `a fetch on ${this.lobby.server.name}`);
			return;
		}
		book.count(`guild not fetched: ${answer.error.type}`);
		this.lobby.expectCalm(key, answer.error, EVEN_IN_CALM);
	}

	/** Reads the guild without opening it. Yields. */
	public peek(key: string): void {
		const { book } = this.lobby.rules;
		const since = book.world.now();
		const answer = this.lobby.guilds.peek(key);
		if (!answer.success) return this.lobby.expectCalm(key, answer.error, []);
		if (answer.value !== undefined) {
			book.expectRead(key, answer.value, since, new Set(), `a peek on ${this.lobby.server.name}`);
		}
	}

	/** Whether a lost deposit of an opening is one that was told of. */
	public explains(key: string): boolean {
		return this.lobby.server.warnings.some(
			(text) =>
				text.find(key, 1, true)[0] !== undefined &&
				(text.find("are not known to be stored", 1, true)[0] !== undefined ||
					text.find("queued updates are lost", 1, true)[0] !== undefined),
		);
	}

	/** What an opening has accepted. */
	private askedOf({ taken }: Opening): ReadonlyArray<number> {
		const { deposits } = this.lobby.rules.book;
		return [...taken].filter((id) => deposits[id - 1].isRefused !== true);
	}
}
