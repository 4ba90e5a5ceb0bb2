import { Handoff } from "../handoff/handoff";
import { Platform } from "../platform/platform";
import { checkKey } from "../record/limits";
import { KeySlots } from "./keySlots";
import { OpenProfile } from "./openProfile";

/** How many ended locks a driver remembers, so that a late request for one is answered without asking the store. */
const REMEMBERED_TOKENS = 500;

/** What release requests need of their driver. */
export interface RequestsHome<T extends object> {
	readonly name: string;
	readonly platform: Pick<Platform, "task">;
	readonly slots: KeySlots<T>;
	readonly handoff: Handoff;
	/** Ends the session of the profile's player, who has joined another server, and releases the profile. */
	readonly handOver: (profile: OpenProfile<T>) => void;
	/**
	 * Clears a lock of this server under a token that nothing here owns; yields until that is answered or has failed.
	 * Returns whether it was there, or may have been.
	 */
	readonly clearOrphan: (key: string, token: string) => boolean;
}

/** A request that waits for its key to be free. */
interface Waiting {
	readonly requester: string;
	readonly token: string | undefined;
}

/**
 * The holder's side of handoff: what other servers ask for is released, and they hear of it. A request names the lock
 * that it saw, so one that comes late, twice or for a session that is long over ends nothing.
 */
export class ReleaseRequests<T extends object> {
	private readonly waiting = new Map<string, ReadonlyArray<Waiting>>();
	/** Who asked for a lock that is being looked for on the record, by its token. */
	private readonly clearing = new Map<string, ReadonlyArray<string>>();
	private readonly ended = new Set<string>();
	private endedInOrder: Array<string> = [];

	public constructor(private readonly home: RequestsHome<T>) {}

	/** Another server asks for a key. May yield. */
	public receive(key: string, requester: string, token: string | undefined): void {
		// Such a key was never loaded, and the store would refuse to look.
		if (checkKey(this.home.name, key) !== undefined) return;
		const slot = this.home.slots.get(key);
		if (slot === undefined) return this.answerFreed(key, requester, token);
		const { profile } = slot;
		if (profile === undefined) return this.record(key, { requester, token });
		if (token !== undefined && profile.writes.token() !== token) {
			// Under an earlier token of this very profile its lock may still be on the record, and is not to be cleared.
			if (profile.writes.owns(token)) this.reply(key, requester);
			else this.answerFreed(key, requester, token);
			return;
		}
		// Whoever takes it over has to have it in hand before it can be taken away.
		if (profile.adopting) return this.record(key, { requester, token });
		if (profile.isLeaving()) {
			this.record(key, { requester, token });
			profile.writer.hurry();
			return;
		}
		// Without a token it may be about any session, so it ends none.
		if (token === undefined) return;
		this.record(key, { requester, token });
		if (profile.player !== undefined) this.home.handOver(profile);
		else profile.onReleaseRequested.fire(requester);
	}

	/** A load of the key has settled: who asked meanwhile is answered, or acted for. Does not yield. */
	public settled(key: string): void {
		const waiting = this.waiting.get(key);
		if (waiting === undefined) return;
		this.waiting.delete(key);
		for (const { requester, token } of waiting) {
			this.home.platform.task.spawn(() => this.receive(key, requester, token));
		}
	}

	/** A lock of this server is no more: everyone who asked for the key hears of it. Does not yield. */
	public lockEnded(key: string, token: string): void {
		if (!this.ended.has(token)) {
			this.ended.add(token);
			this.endedInOrder.push(token);
			if (this.endedInOrder.size() > REMEMBERED_TOKENS) this.ended.delete(this.endedInOrder.shift()!);
		}
		const waiting = this.waiting.get(key);
		if (waiting === undefined) return;
		this.waiting.delete(key);
		for (const { requester } of waiting) this.reply(key, requester);
	}

	/**
	 * The key is not held here under that token: says so, once no lock of this server can be left under it. Of a lock that
	 * has ended it is said at once; that it is on the record again, since its acquire landed twice, is the exception.
	 */
	private answerFreed(key: string, requester: string, token: string | undefined): void {
		if (token === undefined) return this.reply(key, requester);
		const hasEnded = this.ended.has(token);
		if (hasEnded) this.reply(key, requester);
		const asking = this.clearing.get(token);
		if (asking !== undefined) {
			if (!asking.includes(requester)) this.clearing.set(token, [...asking, requester]);
			return;
		}
		this.clearing.set(token, [requester]);
		const wasThere = this.home.clearOrphan(key, token);
		const requesters = this.clearing.get(token) ?? [];
		this.clearing.delete(token);
		if (hasEnded && !wasThere) return;
		for (const each of requesters) this.reply(key, each);
	}

	private record(key: string, request: Waiting): void {
		const before = this.waiting.get(key) ?? [];
		if (before.some(({ requester, token }) => requester === request.requester && token === request.token)) return;
		this.waiting.set(key, [...before, request]);
	}

	/** A message that hangs holds up nothing. Does not yield. */
	private reply(key: string, requester: string): void {
		this.home.platform.task.spawn(() => this.home.handoff.reply(this.home.name, key, requester));
	}
}
