import { StoredLock, StoredRecord } from "../../src/record/types";
import { StoredVersion } from "../cloud/datastore/key-history";
import { beatsBetween, cannotTell, takenSince } from "./beats";
import type { Book } from "./book";
import { Holdings } from "./holdings";
import { Fence, refusedPrepares } from "./latePrepares";

/** A lock that was on the record. */
interface SeenLock {
	readonly jobId: string;
	readonly at: number;
	/** The turn that it opened first; landing again, it opens another, which is nobody's. */
	readonly turn?: number;
	/** The profile whose deposits were written under it. */
	session?: number;
}

/** How what a reader finds has changed. */
export interface Change {
	readonly key: string;
	readonly isNew: boolean;
	readonly deposits: ReadonlyArray<number>;
	readonly operations: ReadonlyArray<number>;
	readonly gained: ReadonlyArray<number>;
	readonly lost: ReadonlyArray<number>;
	readonly coins: number;
}

/** What readers found from a time on. */
interface Seen {
	readonly at: number;
	readonly deposits: number;
	readonly operations: number;
}

/** A server without a beat for this many seconds has lost its presence key. */
const SILENT_SECONDS = 10;
/** How old the proof of such a silence may be when the call is sent that takes the lock, and a little for its read. */
const PROOF_SECONDS = 3.5;
/** How long a transaction's lock lasts where it does not say. */
const TX_LOCK_SECONDS = 10;
/** How many ids of trades a record keeps. */
const MAX_IDS = 200;
const NOTHING: ReadonlyArray<number> = [];

/** What is stored under one key, and every rule that a change of it has to keep. */
export class Page {
	public record?: StoredRecord;
	/** What a reader makes of it; undefined where nothing is stored. */
	public view?: Holdings;
	/** When its lock came onto the record. */
	public takenAt = 0;
	private readonly inStore = new Set<number>();
	private readonly locks = new Map<string, SeenLock>();
	/** The last deposit of each session. */
	private readonly lastOf = new Map<number, number>();
	private readonly seen = new Array<Seen>();
	/** Who took the lock from whom, and when. */
	private readonly takes = new Array<{ readonly at: number; readonly by?: string }>();
	private storedAt = 0;
	private fence?: Fence;

	public constructor(
		private readonly book: Book,
		public readonly key: string,
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

	/** Whether a reader could have found so much at some time since `since`. */
	public wasSeen(deposits: number, operations: number, since: number): boolean {
		for (let index = this.seen.size() - 1; index >= 0; index--) {
			const each = this.seen[index];
			if (each.deposits === deposits && each.operations === operations) return true;
			if (each.at < since) return false;
		}
		// Before anything was stored.
		return deposits === 0 && operations === 0;
	}

	/** Whether somebody other than `server` has taken the lock from its holder since `since`. */
	public wasTaken(since: number, server: string): boolean {
		return this.takes.some(({ at, by }) => at >= since && by !== server);
	}

	/** Judges what is stored, and who may have stored it. */
	public push(version: StoredVersion): void {
		const before = this.record;
		if (version.deleted) return this.broken("the record was removed");
		const after = version.packed.value as StoredRecord;
		this.record = after;
		this.note(after, version);
		const was = before?.Meta.Turn ?? 0;
		if (after.Meta.Turn < was) this.broken(`Turn went back from ${was} to ${after.Meta.Turn}`);
		this.judgeMeta(before, after);
		if (after.Pending !== undefined && after.Meta.PendingTransaction !== undefined) {
			this.broken("a trade and a transaction are on the record at once");
		}
		if (after.Lock !== undefined) this.judgeLock(before, after, after.Lock, version);
		else this.judgeFree(before, after, version);
		this.countRare(before, after, version);
		this.storedAt = version.time;
	}

	/** Compares what a reader finds with what one found before. */
	public look(writer: string | undefined): Change | undefined {
		const { record, view: before, key } = this;
		if (record === undefined) return undefined;
		const after = this.book.evidence.resolve(key, record);
		this.view = after;
		if (after === before) return undefined;
		const deposits = this.appended("deposit", before?.deposits ?? NOTHING, after.deposits);
		const operations = this.appended("operation", before?.operations ?? NOTHING, after.operations);
		this.judgeAdded(deposits, writer);
		if (after.coins < 0) this.broken(`it has ${after.coins} coins`);
		const last = this.seen[this.seen.size() - 1];
		if (last?.deposits !== after.deposits.size() || last.operations !== after.operations.size()) {
			const { world } = this.book;
			this.seen.push({ at: world.now(), deposits: after.deposits.size(), operations: after.operations.size() });
		}
		const [was, is] = [before?.items ?? NOTHING, after.items];
		return {
			key,
			isNew: before === undefined,
			deposits,
			operations,
			gained: is.filter((item) => !was.includes(item)),
			lost: was.filter((item) => !is.includes(item)),
			coins: after.coins - (before?.coins ?? 0),
		};
	}

	/** I5, exactly once: what tells a flush and a trade that it was made before is kept. */
	private judgeMeta(before: StoredRecord | undefined, { Meta }: StoredRecord): void {
		const was = before?.Meta;
		if ((Meta.FlushFloor ?? 0) < (was?.FlushFloor ?? 0)) this.broken("its FlushFloor fell");
		for (const [writer, flush] of pairs(was?.Flushed ?? {})) {
			// One that ends leaves its highest number in the floor.
			if ((Meta.Flushed?.[writer] ?? Meta.FlushFloor ?? 0) < flush)
				this.broken(`the lane of ${writer} went back`);
		}
		const ids = Meta.TransactionIds ?? [];
		if (ids.size() > MAX_IDS) this.broken(`it keeps ${ids.size()} ids of trades`);
		const lost = (was?.TransactionIds ?? []).filter((id) => !ids.includes(id));
		const room = ids.size() < MAX_IDS ? 0 : ids.filter((id) => was?.TransactionIds?.includes(id) !== true).size();
		if (lost.size() > room) this.broken(`it has forgotten the trade ${lost[0]}`);
	}

	private judgeLock(
		before: StoredRecord | undefined,
		after: StoredRecord,
		lock: StoredLock,
		version: StoredVersion,
	): void {
		const last = before?.Lock;
		const isSame = last !== undefined && last.Token === lock.Token;
		const holder = this.book.serverOf(lock.JobId)?.name;
		if (holder !== version.writer && !(isSame && lock.Seq <= last.Seq)) {
			this.broken(`${version.writer} wrote under the lock of ${holder}`);
		}
		if (lock.Turn !== after.Meta.Turn) this.broken(`a lock of turn ${lock.Turn} under turn ${after.Meta.Turn}`);
		if (isSame) {
			const moved = last.JobId !== lock.JobId || last.Turn !== lock.Turn;
			const isFence = after.Meta.RefusedTransaction !== before?.Meta.RefusedTransaction && last.Seq === lock.Seq;
			if (moved || (lock.Seq <= last.Seq && !isFence)) {
				this.broken(`seq ${lock.Seq} was written over seq ${last.Seq}`);
			}
			return;
		}
		this.takenAt = this.book.world.now();
		// An acquire that lands once more after its session is over opens a turn in which nobody writes.
		const isAgain = this.locks.has(lock.Token);
		if (isAgain) this.book.count("an acquire landed again after its session");
		if (isAgain && lock.Seq > 0) this.broken(`the session of ${short(lock.Token)} came back`);
		if (lock.Turn <= (before?.Meta.Turn ?? 0)) this.broken(`a new lock opened no turn of its own`);
		if (!isAgain) {
			this.locks.set(lock.Token, { jobId: lock.JobId, at: this.book.world.now(), turn: lock.Turn });
		}
		if (last !== undefined && last.JobId !== lock.JobId) this.judgeTake(last, version);
	}

	private judgeFree(before: StoredRecord | undefined, after: StoredRecord, version: StoredVersion): void {
		const last = before?.Lock;
		const stamp = after.Meta.ReleasedToken;
		if (stamp === undefined) {
			// A recovery or a lockless flush removes what it passes.
			if (last !== undefined && this.book.serverOf(last.JobId)?.name !== version.writer)
				this.judgeTake(last, version);
			return;
		}
		const known = this.locks.get(stamp);
		const holder = last !== undefined ? this.book.serverOf(last.JobId)?.name : version.writer;
		if (holder !== version.writer) this.broken(`${version.writer} released the lock of ${holder}`);
		if (last !== undefined && known !== undefined && stamp !== last.Token) {
			this.broken(`${short(stamp)} released the lock ${short(last.Token)}`);
		}
		const jobId = last?.JobId ?? this.releaserOf(before);
		if (known === undefined && jobId !== undefined) this.locks.set(stamp, { jobId, at: this.book.world.now() });
	}

	/** Every deposit is written by the server that took it, and a session's under the locks of that session alone. */
	private judgeAdded(added: ReadonlyArray<number>, writer: string | undefined): void {
		const { Lock, Meta } = this.record!;
		const token = Lock?.Token ?? Meta.ReleasedToken;
		for (const id of added) {
			if (this.inStore.has(id)) this.broken(`deposit ${id} was stored twice`);
			this.inStore.add(id);
			const deposit = this.book.deposits[id - 1];
			if (deposit === undefined) {
				this.broken(`deposit ${id} was never made`);
				continue;
			}
			const { server, session, key, isQueued } = deposit;
			if (key !== this.key) this.broken(`deposit ${id} is of ${key}`);
			if (server.name !== writer) this.broken(`deposit ${id} of ${server.name} was written by ${writer}`);
			if (deposit.isRefused === true) this.broken(`deposit ${id} was refused, and is stored`);
			// In its source's order.
			if ((this.lastOf.get(session) ?? 0) > id)
				this.broken(`deposit ${id} comes after a later one of its source`);
			this.lastOf.set(session, id);
			const lock = token !== undefined ? this.locks.get(token) : undefined;
			if (isQueued || lock === undefined) continue;
			lock.session ??= session;
			if (lock.session !== session) {
				this.broken(`deposit ${id} of session ${session} was written by session ${lock.session}`);
			}
		}
	}

	/** What is stored only ever grows: a write goes on from what was stored before it, and takes nothing of it away. */
	private appended(what: string, before: ReadonlyArray<number>, after: ReadonlyArray<number>): ReadonlyArray<number> {
		if (before === after) return NOTHING;
		const count = before.size();
		before.forEach((id, index) => {
			if (after[index] !== id) this.broken(`${what} ${id} was stored, and now is not`);
		});
		return after.filter((_, index) => index >= count);
	}

	/** I2, no steal from the living: a server that lives and beats keeps its locks. */
	private judgeTake(last: StoredLock, version: StoredVersion): void {
		const { book } = this;
		const age = (version.time - this.storedAt) / 1000;
		if (last.Tx === true) {
			const least = last.Expires ?? TX_LOCK_SECONDS;
			const isAlive = book.serverOf(last.JobId)?.alive === true;
			book.count(isAlive ? "tx lock expired under a stalled owner" : "tx lock of a dead owner expired");
			if (age < least) this.broken(`a transaction's lock was taken at the age of ${age} s`);
			return;
		}
		this.takes.push({ at: book.world.now(), by: version.writer });
		const holder = book.serverOf(last.JobId);
		if (holder === undefined || !holder.alive) return;
		const now = book.world.now();
		const isStale = age > book.staleSeconds;
		if (last.Presence === undefined) {
			if (isStale) return book.count("taken by age from a living server without handoff");
			return this.broken(`the lock of ${holder.name}, which has no presence, was taken at the age of ${age} s`);
		}
		if (isStale && !book.speaks(version.writer)) {
			return book.count("taken by age from a living server, by one without handoff");
		}
		const from = math.max(takenSince(book.world, this.key, version.writer) - PROOF_SECONDS, holder.startedAt);
		const beats = beatsBetween(book.world, holder.jobId, from - SILENT_SECONDS, now);
		let silence = 0;
		let latest = math.max(from - SILENT_SECONDS, holder.startedAt);
		for (const at of [...beats, now]) {
			silence = math.max(silence, at - latest);
			latest = at;
		}
		if (silence > SILENT_SECONDS) return book.count("taken from a living server that had been silent");
		// By the seed only a stale lock goes by age, where its taker cannot tell presence.
		if (isStale && cannotTell(book.world, version.writer, holder.jobId)) {
			return book.count("taken by age from a living server while presence failed");
		}
		this.broken(
			`${version.writer} took the lock of ${holder.name}, which beats (longest silence ${silence} s, age ${age} s)`,
		);
	}

	/** The server that released the record last. */
	private releaserOf(record: StoredRecord | undefined): string | undefined {
		const token = record?.Meta.ReleasedToken;
		return token !== undefined ? this.locks.get(token)?.jobId : undefined;
	}

	private countRare(before: StoredRecord | undefined, after: StoredRecord, { writer }: StoredVersion): void {
		const { book } = this;
		const [was, is] = [before?.Meta.PendingTransaction, after.Meta.PendingTransaction];
		if (this.fence !== undefined) book.count("late prepare refused", refusedPrepares(book.world, this.fence));
		this.fence = this.fenceOf(before, after);
		if (was !== undefined && is === undefined) {
			const maker = book.evidence.makerOf(was.Token)?.server;
			const state = book.evidence.journal(was.Key)?.State ?? "gone";
			if (maker !== writer) book.count(`trade recovered: ${state}`);
		}
		const pending = before?.Pending;
		if (pending !== undefined && after.Pending === undefined && book.serverOf(pending.JobId)?.name !== writer) {
			book.count("transaction resolved by another server");
		}
		if (before?.Lock !== undefined && after.Lock === undefined) {
			if (is !== undefined) book.count("lock given up with a trade open");
			else if (after.Pending !== undefined && before.Lock.Tx !== true)
				book.count("lock given up with a transaction open");
		}
		if ((after.Meta.FlushFloor ?? 0) > (before?.Meta.FlushFloor ?? 0)) book.count("lane closed");
	}

	/** The stamp that rules a trade's prepare out, where it has just come, under the lock of that trade's own session. */
	private fenceOf(before: StoredRecord | undefined, { Lock, Meta }: StoredRecord): Fence | undefined {
		const { book, key } = this;
		const token = Meta.RefusedTransaction;
		if (token === undefined || token === before?.Meta.RefusedTransaction) return undefined;
		book.count("peer fenced");
		const maker = book.evidence.makerOf(token);
		const holder = Lock !== undefined ? book.serverOf(Lock.JobId)?.name : undefined;
		if (maker === undefined || Lock === undefined || maker.server !== holder) return undefined;
		if ((this.seenAt(Lock.Token) ?? math.huge) > maker.at) return undefined;
		return { key, maker, since: book.world.now() };
	}

	private note({ Lock, Meta, Data, Pending }: StoredRecord, { writer }: StoredVersion): void {
		const { world } = this.book;
		const { deposits, operations, coins } = Data as Holdings;
		const lock =
			Lock === undefined
				? `free, released ${short(Meta.ReleasedToken)}`
				: `${short(Lock.Token)} of ${this.book.serverOf(Lock.JobId)?.name}, seq ${Lock.Seq}, ${Lock.Tx === true ? `tx for ${Lock.Expires ?? TX_LOCK_SECONDS} s` : `presence ${Lock.Presence}`}`;
		const open = Pending !== undefined ? `, pending ${short(Pending.Id)}` : "";
		const pointer = Meta.PendingTransaction !== undefined ? `, points at ${Meta.PendingTransaction.Key}` : "";
		const holds = `${deposits.size()} deposits, ${operations.size()} operations, ${coins} coins`;
		world.trace.note("store", `${this.key} by ${writer}: turn ${Meta.Turn}, ${lock}, ${holds}${open}${pointer}`);
	}

	private broken(text: string): void {
		this.book.broken(this.key, text);
	}
}

/** The beginning of a token, for people. */
export function short(token: string | undefined): string {
	return token === undefined ? "nothing" : token.sub(1, 4);
}
