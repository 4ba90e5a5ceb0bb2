import { MARKER_STORE } from "../../src/transaction/markerStore";
import { StoredVersion } from "../cloud/datastore/key-history";
import { Server } from "../cloud/server";
import { World } from "../cloud/world";
import { Evidence } from "./evidence";
import { Gift, Holdings, NEW_GUILD, NEW_WALLET } from "./holdings";
import { Operations } from "./operations";
import { Change, Page } from "./page";

/** The store of the users' records. */
export const WALLETS = "Wallets";
/** The store of the guilds', which all servers share. */
export const GUILDS = "Guilds";

/** A late decision of something whose record of it is gone. */
export const MADE_ANEW = "a decision made anew after its end, that nothing points at";

/** One update that a profile accepted. */
export interface Deposit extends Gift {
	readonly key: string;
	readonly server: Server;
	/** Number of the profile object that took it. */
	readonly session: number;
	/** Queued on a lockless profile, and so written under no session's lock. */
	readonly isQueued: boolean;
	/** Whether a call has told that it is stored. */
	acknowledgedAt?: number;
	/** The call that was to take it has failed. */
	isRefused?: boolean;
}

/** A rule that was broken. */
export interface Violation {
	readonly at: number;
	readonly key: string;
	readonly text: string;
}

/** All that is known to be true of a simulated world, whatever its servers believe, and the rules that were broken. */
export class Book {
	public readonly deposits = new Array<Deposit>();
	public readonly violations = new Array<Violation>();
	/** How often something rare came about. */
	public readonly counts = new Map<string, number>();
	public readonly evidence = new Evidence();
	public readonly operations = new Operations((key, text) => this.broken(key, text));
	/** Age at which a lock is stale: `lockTtlSeconds` + `lockSkewSeconds`. */
	public staleSeconds = 240;
	public readonly pages = new Array<Page>();
	private readonly pageOf = new Map<string, Page>();
	private readonly servers = new Map<string, Server>();
	private readonly silent = new Set<string>();
	private sessions = 0;
	/** How many values were stored. */
	public writes = 0;

	public constructor(public readonly world: World) {
		world.dataStores.onStored = (shelf, key, version) => this.push(shelf.name, key, version);
	}

	/** The page of a key; every change of it is judged. */
	public page(key: string): Page {
		let page = this.pageOf.get(key);
		if (page === undefined) {
			page = new Page(this, key);
			this.pageOf.set(key, page);
			this.pages.push(page);
		}
		return page;
	}

	/** Enters a server; one without handoff knows nothing of presence. */
	public addServer(server: Server, handoff: boolean): void {
		this.servers.set(server.jobId, server);
		if (!handoff) this.silent.add(server.name);
	}

	public serverOf(jobId: string): Server | undefined {
		return this.servers.get(jobId);
	}

	/** Seconds that all servers have run. */
	public serverSeconds(): number {
		let total = 0;
		for (const [, server] of this.servers) total += (server.endedAt ?? this.world.now()) - server.startedAt;
		return total;
	}

	/** Whether the server of this name takes part in handoff. */
	public speaks(name: string | undefined): boolean {
		return name === undefined || !this.silent.has(name);
	}

	/** A number for a profile object. */
	public newSession(): number {
		this.sessions += 1;
		return this.sessions;
	}

	/** Enters a deposit; its number. */
	public deposit(deposit: Deposit): number {
		this.deposits.push(deposit);
		return this.deposits.size();
	}

	/** I4, acknowledged is durable: a call has told that these deposits are stored. They are, and stay so. */
	public acknowledge(key: string, deposits: ReadonlyArray<number>, who: string): void {
		const page = this.page(key);
		for (const id of deposits) {
			if (!page.has(id)) this.broken(key, `${who} tells that deposit ${id} is stored, and it is not`);
			this.deposits[id - 1].acknowledgedAt ??= this.world.now();
		}
	}

	/** I4, I11: what a load or a read gives holds all that was acknowledged before it began. */
	public expectAcknowledged(key: string, deposits: ReadonlyArray<number>, since: number, who: string): void {
		const given = new Set(deposits);
		this.deposits.forEach((deposit, index) => {
			const { acknowledgedAt } = deposit;
			if (deposit.key !== key || acknowledgedAt === undefined || acknowledgedAt >= since) return;
			if (!given.has(index + 1))
				this.broken(key, `${who} does not see deposit ${index + 1}, acknowledged before`);
		});
	}

	/** I6, I11: a load that holds the record gives what every reader finds. */
	public expectSame(key: string, data: Holdings, who: string): void {
		const { view } = this.page(key);
		if (view === undefined) return this.broken(key, `${who} sees a record that is not stored`);
		const isSame =
			data.coins === view.coins &&
			data.deposits.join() === view.deposits.join() &&
			data.operations.join() === view.operations.join() &&
			data.items.join() === view.items.join();
		if (!isSame) this.broken(key, `${who} sees ${describe(data)}, and what is stored is ${describe(view)}`);
	}

	/** I11: a read without a lock gives what was stored at some time since it began, whole. `own` are updates on top. */
	public expectRead(key: string, data: Holdings, since: number, own: ReadonlySet<number>, who: string): void {
		const { view } = this.page(key);
		const stored = view?.deposits ?? [];
		const { deposits, operations } = data;
		this.expectAcknowledged(key, deposits, since, who);
		operations.forEach((id, index) => {
			if (view?.operations[index] !== id) this.broken(key, `${who} sees operation ${id}, which is not stored`);
		});
		let count = 0;
		while (count < deposits.size() && stored[count] === deposits[count]) count += 1;
		for (let index = count; index < deposits.size(); index++) {
			if (!own.has(deposits[index]))
				this.broken(key, `${who} sees deposit ${deposits[index]}, which is not stored`);
		}
		// Some of the last stored ones may be its own, on top of what was stored before.
		for (let base = count; ; base--) {
			if (this.page(key).wasSeen(base, operations.size(), since)) return;
			if (base === 0 || !own.has(deposits[base - 1])) break;
		}
		this.broken(key, `${who} sees ${describe(data)}, which nobody could find since it began`);
	}

	public broken(key: string, text: string): void {
		this.world.trace.note("rule", `BROKEN for ${key}: ${text}`);
		this.violations.push({ at: this.world.now(), key, text });
	}

	public count(what: string, times = 1): void {
		this.counts.set(what, (this.counts.get(what) ?? 0) + times);
	}

	/** One durable write. */
	private push(store: string, key: string, version: StoredVersion): void {
		if (!version.deleted) this.writes += 1;
		if (store === MARKER_STORE) return this.pushMarker(key, version);
		if (key.sub(1, 6) === "CKTxn_") return this.pushJournal(key, version);
		// The store's clock and probes.
		if (key.sub(1, 2) === "CK") return;
		const page = this.page(key);
		page.push(version);
		this.judge([page], version.writer);
	}

	private pushMarker(id: string, version: StoredVersion): void {
		const waiting = this.pages.filter(({ record }) => record?.Pending?.Id === id);
		const was = this.evidence.marker(id);
		const before = this.evidence.pushMarker(id, version);
		const now = this.evidence.marker(id);
		if (was !== undefined && now !== undefined && was !== now)
			this.broken(id, `the marker said ${was}, and now ${now}`);
		this.world.trace.note("store", `marker ${id} by ${version.writer}: ${version.packed.value ?? "removed"}`);
		this.noteFlip(`transaction ${id}`, before, waiting);
		const jobId = waiting[0]?.record?.Pending?.JobId;
		const coordinator = jobId !== undefined ? this.serverOf(jobId) : undefined;
		if (coordinator !== undefined && coordinator.name !== version.writer && version.packed.value === "aborted") {
			this.count(
				coordinator.alive ? "reader's abort beat a living coordinator" : "reader aborted a dead coordinator's",
			);
		}
		this.judge(waiting, version.writer);
	}

	private pushJournal(key: string, version: StoredVersion): void {
		const waiting = this.pages.filter(({ record }) => record?.Meta.PendingTransaction?.Key === key);
		const was = this.evidence.journal(key)?.State;
		const before = this.evidence.pushJournal(key, version, this.world.now());
		const journal = this.evidence.journal(key);
		const state = journal?.State;
		if (was !== undefined && was !== "Preparing" && state !== undefined && state !== was) {
			this.broken(key, `the journal said ${was}, and now ${state}`);
		}
		this.world.trace.note("store", `journal ${key} by ${version.writer}: ${state ?? "removed"}`);
		this.noteFlip(`trade ${key}`, before, waiting);
		const maker = journal !== undefined ? this.evidence.makerOf(journal.Token)?.server : undefined;
		if (was === "Preparing" && state === "Aborted" && maker !== version.writer) {
			const isAlive = this.world.servers.some((server) => server.name === maker && server.alive);
			this.count(isAlive ? "recovery beat a living coordinator" : "recovery aborted a dead coordinator's");
		}
		this.judge(waiting, version.writer);
	}

	/** I7, one decision: nobody may find another one than was made. */
	private noteFlip(what: string, before: string | undefined, waiting: ReadonlyArray<Page>): void {
		if (before === undefined) return;
		if (waiting.isEmpty()) return this.count(MADE_ANEW);
		this.broken(waiting[0].key, `${what} was ${before}, and now is not`);
	}

	/** Judges what one durable write has changed for readers. */
	private judge(touched: ReadonlyArray<Page>, writer: string | undefined): void {
		const changes = new Array<Change>();
		for (const page of touched) {
			const lacks = page.record !== undefined ? this.evidence.lacksFor(page.record) : undefined;
			if (lacks !== undefined) this.broken(page.key, lacks);
			const change = page.look(writer);
			if (change !== undefined) changes.push(change);
		}
		for (const { operations, key } of changes) for (const id of operations) this.operations.applied(id, key);
		for (const { operations } of changes) for (const id of operations) this.operations.judge(id);
		this.judgeSums(changes);
	}

	/** I9, conservation: each item is in one place, and coins come from deposits and new records alone. */
	private judgeSums(changes: ReadonlyArray<Change>): void {
		let coins = 0;
		const moved = new Map<number, number>();
		const move = (item: number, by: number) => moved.set(item, (moved.get(item) ?? 0) + by);
		for (const change of changes) {
			coins += change.coins;
			if (change.isNew) coins -= isWallet(change.key) ? NEW_WALLET.coins : NEW_GUILD.coins;
			for (const item of change.gained) move(item, 1);
			for (const item of change.lost) move(item, -1);
			for (const id of change.deposits) {
				const deposit = this.deposits[id - 1];
				coins -= deposit?.coins ?? 0;
				if (deposit?.hasItem) move(id, -1);
			}
		}
		if (coins !== 0) this.broken(changes[0].key, `${coins} coins came from nowhere`);
		for (const [item, by] of moved) {
			if (by !== 0) this.broken(changes[0].key, `item ${item} is in ${1 + by} places`);
		}
	}
}

function isWallet(key: string): boolean {
	return key.sub(1, 7) === "Player_";
}

function describe({ deposits, operations, coins, items }: Holdings): string {
	return `${deposits.size()} deposits, ${operations.size()} operations, ${coins} coins, items ${items.join()}`;
}
