import { StoredLock, StoredRecord } from "../../src/record/types";
import { unpackStored } from "../cloud/datastore/json-copy";
import { StoredVersion } from "../cloud/datastore/key-history";
import { Server } from "../cloud/server";
import { World } from "../cloud/world";
import { beatsBetween } from "./beats";

/** The simulated game's data: the numbers of the deposits made, oldest first. */
export interface Wallet {
	readonly deposits: ReadonlyArray<number>;
}

/** One update that a profile accepted. */
export interface Deposit {
	readonly key: string;
	readonly server: Server;
	/** Number of the profile object that took it. */
	readonly session: number;
	/** Whether a call has told that it is stored. */
	acknowledgedAt?: number;
}

/** A rule that was broken. */
export interface Violation {
	readonly at: number;
	readonly key: string;
	readonly text: string;
}

/** A lock that was on the record. */
interface SeenLock {
	readonly jobId: string;
	readonly at: number;
	/** The turn that it opened first; landing again, it opens another, which is nobody's. */
	readonly turn?: number;
	/** The profile whose deposits were written under it. */
	session?: number;
}

/** A server without a beat for this many seconds has lost its presence key. */
const SILENT_SECONDS = 10;
/** How far back such a silence may lie when its lock is taken: the proof may be this old when the take lands. */
const LOOK_BACK_SECONDS = 30;

/** What is stored under one key, and every rule that a change of it has to keep. */
export class Page {
	public deposits: ReadonlyArray<number> = [];
	public record?: StoredRecord;
	public takes = 0;
	private readonly inStore = new Set<number>();
	private readonly locks = new Map<string, SeenLock>();
	private storedAt = 0;

	public constructor(
		private readonly book: Book,
		private readonly key: string,
	) {}

	/** Whether a deposit is stored. */
	public has(deposit: number): boolean {
		return this.inStore.has(deposit);
	}

	/** Since when a token is known to the record. */
	public seenAt(token: string): number | undefined {
		return this.locks.get(token)?.at;
	}

	/** Whether the lock of the session with this token is on the record. */
	public isHeldBy(token: string): boolean {
		const lock = this.record?.Lock;
		return lock?.Token === token && lock.Turn === this.locks.get(token)?.turn;
	}

	/** Judges a version as it is stored. */
	public push(version: StoredVersion): void {
		const before = this.record;
		if (version.deleted) return this.broken("the record was removed");
		const after = unpackStored(version.packed) as StoredRecord;
		const added = this.appended(after);
		this.record = after;
		this.note(after);
		const was = before?.Meta.Turn ?? 0;
		if (after.Meta.Turn < was) this.broken(`Turn went back from ${was} to ${after.Meta.Turn}`);
		if (after.Lock !== undefined) this.judgeLock(before, after, after.Lock, added, version.time);
		else this.judgeFree(before, after, added);
		this.storedAt = version.time;
	}

	private judgeLock(
		before: StoredRecord | undefined,
		after: StoredRecord,
		lock: StoredLock,
		added: ReadonlyArray<number>,
		time: number,
	): void {
		const last = before?.Lock;
		if (lock.Turn !== after.Meta.Turn) this.broken(`a lock of turn ${lock.Turn} under turn ${after.Meta.Turn}`);
		if (last !== undefined && last.Token === lock.Token) {
			const moved = last.JobId !== lock.JobId || last.Turn !== lock.Turn;
			if (moved || lock.Seq <= last.Seq) this.broken(`seq ${lock.Seq} was written over seq ${last.Seq}`);
		} else {
			// An acquire that lands once more after its session is over opens a turn in which nobody writes.
			const isAgain = this.locks.has(lock.Token);
			if (isAgain) this.book.count("an acquire landed again after its session");
			if (isAgain && lock.Seq > 0) this.broken(`the session of ${short(lock.Token)} came back`);
			if (lock.Turn <= (before?.Meta.Turn ?? 0)) this.broken(`a new lock opened no turn of its own`);
			if (!isAgain) {
				this.locks.set(lock.Token, { jobId: lock.JobId, at: this.book.world.now(), turn: lock.Turn });
			}
			if (last !== undefined && last.JobId !== lock.JobId) this.judgeTake(last, lock, time);
			const from = last?.JobId ?? this.releaserOf(before);
			if (added.size() > 0 && from !== lock.JobId) this.broken("an acquisition changed the data");
		}
		this.judgeAdded(added, lock.Token, lock.JobId);
	}

	private judgeFree(before: StoredRecord | undefined, after: StoredRecord, added: ReadonlyArray<number>): void {
		const last = before?.Lock;
		const stamp = after.Meta.ReleasedToken;
		if (stamp === undefined) return this.broken("a lock was removed without a stamp");
		const jobId = last?.JobId ?? this.releaserOf(before);
		const known = this.locks.get(stamp);
		if (last !== undefined && known !== undefined && stamp !== last.Token) {
			this.broken(`${short(stamp)} released the lock ${short(last.Token)}`);
		}
		if (known === undefined && jobId !== undefined) this.locks.set(stamp, { jobId, at: this.book.world.now() });
		if (added.size() > 0) this.judgeAdded(added, stamp, jobId);
	}

	/** Every deposit is written under the locks of the one profile that took it. */
	private judgeAdded(added: ReadonlyArray<number>, token: string, jobId: string | undefined): void {
		for (const id of added) {
			const deposit = this.book.deposits[id - 1];
			if (deposit === undefined) {
				this.broken(`deposit ${id} was never made`);
				continue;
			}
			if (deposit.key !== this.key) this.broken(`deposit ${id} is of ${deposit.key}`);
			if (deposit.server.jobId !== jobId) {
				this.broken(`deposit ${id} of ${deposit.server.name} was written under a lock of another server`);
			}
			const seen = this.locks.get(token);
			if (seen === undefined) continue;
			seen.session ??= deposit.session;
			if (seen.session !== deposit.session) {
				this.broken(`deposit ${id} of session ${deposit.session} was written by session ${seen.session}`);
			}
		}
	}

	/** What is stored only ever grows: a write goes on from what was stored before it, and takes nothing of it away. */
	private appended(after: StoredRecord): ReadonlyArray<number> {
		const { deposits } = after.Data as Wallet;
		const added = new Array<number>();
		deposits.forEach((id, index) => {
			if (index < this.deposits.size()) {
				if (this.deposits[index] !== id) this.broken(`deposit ${id} was stored over ${this.deposits[index]}`);
				return;
			}
			if (this.inStore.has(id)) this.broken(`deposit ${id} was stored twice`);
			this.inStore.add(id);
			added.push(id);
		});
		if (deposits.size() < this.deposits.size()) {
			this.broken(`${this.deposits.size()} deposits were stored, now ${deposits.size()}`);
		}
		this.deposits = deposits;
		return added;
	}

	/** A server that lives and beats keeps its locks. */
	private judgeTake(last: StoredLock, lock: StoredLock, time: number): void {
		const { book } = this;
		this.takes += 1;
		const holder = book.serverOf(last.JobId);
		const taker = book.serverOf(lock.JobId);
		if (holder === undefined || !holder.alive) return;
		const now = book.world.now();
		const age = (time - this.storedAt) / 1000;
		const isStale = age > book.staleSeconds;
		if (last.Presence === undefined) {
			if (isStale) return book.count("taken by age from a living server without handoff");
			return this.broken(`the lock of ${holder.name}, which has no presence, was taken at the age of ${age} s`);
		}
		if (isStale && lock.Presence === undefined) {
			return book.count("taken by age from a living server, by one without handoff");
		}
		const from = math.max(now - LOOK_BACK_SECONDS, holder.startedAt);
		const beats = beatsBetween(book.world, holder.jobId, from - SILENT_SECONDS, now);
		let silence = 0;
		let latest = math.max(from - SILENT_SECONDS, holder.startedAt);
		for (const at of [...beats, now]) {
			silence = math.max(silence, at - latest);
			latest = at;
		}
		if (silence > SILENT_SECONDS) return book.count("taken from a living server that had been silent");
		if (isStale && book.presenceFails) {
			return book.count("taken by age from a living server while presence failed");
		}
		this.broken(
			`${taker?.name} took the lock of ${holder.name}, which beats (longest silence ${silence} s, age ${age} s)`,
		);
	}

	/** The server that released the record last. */
	private releaserOf(record: StoredRecord | undefined): string | undefined {
		const token = record?.Meta.ReleasedToken;
		return token !== undefined ? this.locks.get(token)?.jobId : undefined;
	}

	private note({ Lock, Meta, Data }: StoredRecord): void {
		const { world } = this.book;
		const deposits = (Data as Wallet).deposits.size();
		const lock =
			Lock === undefined
				? `free, released ${short(Meta.ReleasedToken)}`
				: `${short(Lock.Token)} of ${this.book.serverOf(Lock.JobId)?.name}, seq ${Lock.Seq}, presence ${Lock.Presence}`;
		world.trace.note("store", `${this.key}: turn ${Meta.Turn}, ${lock}, ${deposits} deposits`);
	}

	private broken(text: string): void {
		this.book.broken(this.key, text);
	}
}

/** All that is known to be true of a simulated world, whatever its servers believe, and the rules that were broken. */
export class Book {
	public readonly deposits = new Array<Deposit>();
	public readonly violations = new Array<Violation>();
	/** How often something rare came about. */
	public readonly counts = new Map<string, number>();
	/** Whether reads of presence may fail in this world. */
	public presenceFails = false;
	/** Age at which a lock is stale: `lockTtlSeconds` + `lockSkewSeconds`. */
	public staleSeconds = 240;
	private readonly pages = new Map<string, Page>();
	private readonly servers = new Map<string, Server>();
	private sessions = 0;

	public constructor(
		public readonly world: World,
		private readonly store: string,
	) {}

	/** The page of a key; every change of it is judged from the first call on. */
	public page(key: string): Page {
		let page = this.pages.get(key);
		if (page === undefined) {
			const opened = new Page(this, key);
			const { dataStores } = this.world;
			dataStores.history(dataStores.shelf(this.store, "global"), key).onPush = (version) => opened.push(version);
			this.pages.set(key, opened);
			page = opened;
		}
		return page;
	}

	public addServer(server: Server): void {
		this.servers.set(server.jobId, server);
	}

	public serverOf(jobId: string): Server | undefined {
		return this.servers.get(jobId);
	}

	/** A number for a profile object. */
	public newSession(): number {
		this.sessions += 1;
		return this.sessions;
	}

	/** Enters a deposit; its number. */
	public deposit(key: string, server: Server, session: number): number {
		this.deposits.push({ key, server, session });
		return this.deposits.size();
	}

	/** A call has told that these deposits are stored: they are, and stay so. */
	public acknowledge(key: string, deposits: ReadonlyArray<number>, who: string): void {
		const page = this.page(key);
		for (const id of deposits) {
			if (!page.has(id)) this.broken(key, `${who} tells that deposit ${id} is stored, and it is not`);
			this.deposits[id - 1].acknowledgedAt ??= this.world.now();
		}
	}

	/** What a load or a read gives holds all that was acknowledged before it began. */
	public expectAcknowledged(key: string, deposits: ReadonlyArray<number>, since: number, who: string): void {
		const given = new Set(deposits);
		this.deposits.forEach((deposit, index) => {
			const { acknowledgedAt } = deposit;
			if (deposit.key !== key || acknowledgedAt === undefined || acknowledgedAt >= since) return;
			if (!given.has(index + 1))
				this.broken(key, `${who} does not see deposit ${index + 1}, acknowledged before`);
		});
	}

	public broken(key: string, text: string): void {
		this.world.trace.note("rule", `BROKEN for ${key}: ${text}`);
		this.violations.push({ at: this.world.now(), key, text });
	}

	public count(what: string, times = 1): void {
		this.counts.set(what, (this.counts.get(what) ?? 0) + times);
	}
}

/** The beginning of a token, for people. */
export function short(token: string | undefined): string {
	return token === undefined ? "nothing" : token.sub(1, 4);
}
