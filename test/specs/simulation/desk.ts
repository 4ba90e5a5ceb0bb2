import { StoredLock, StoredMeta, StoredRecord } from "../../../src/record/types";
import { Journal, JOURNAL_KIND, JournalState } from "../../../src/trade/journal";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { Book, WALLETS } from "../../simulation/book";
import { Holdings, NEW_WALLET } from "../../simulation/holdings";

export const KEY = "Player_1";
export const OTHER = "Player_2";
export const JOURNAL = "CKTxn_guid";

/** A world in which records are written by hand, as servers would write them or never may, and what the search says. */
export class Desk {
	public readonly book: Book;
	public readonly s1: Server;
	public readonly s2: Server;

	public constructor(public readonly world: World) {
		this.book = new Book(world);
		this.s1 = world.startServer();
		this.s2 = world.startServer();
		for (const server of [this.s1, this.s2]) this.book.addServer(server, true);
	}

	/** A lock of a server; the first one of its session by itself. */
	public lock(token: string, fields: Partial<StoredLock> = {}, { jobId }: Server = this.s1): StoredLock {
		return { JobId: jobId, Token: token, Turn: 1, Seq: 0, Time: 0, ...fields };
	}

	/** A record under a lock, or under none. */
	public record(lock?: StoredLock, data: Partial<Holdings> = {}, meta: Partial<StoredMeta> = {}): StoredRecord {
		return {
			Data: { ...NEW_WALLET, ...data },
			Lock: lock,
			Meta: { Turn: lock?.Turn ?? 1, Migrations: [], ...meta },
		};
	}

	public write(value: StoredRecord, writer: Server = this.s1, key: string = KEY): void {
		this.world.store(WALLETS).set(key, value, { writer: writer.name });
	}

	/** The journal of a trade of both records, in which each gets `operations`. */
	public journal(state: JournalState, operations: ReadonlyArray<number> = []): void {
		const entry = { Data: { ...NEW_WALLET, operations }, Seen: ["id"] };
		const value: Journal = {
			Kind: JOURNAL_KIND,
			Token: "journal",
			Id: "id",
			State: state,
			Entries: { [KEY]: entry, [OTHER]: entry },
			Settled: {},
			Meta: { UserIds: [1, 2] },
		};
		this.world.store(WALLETS).set(JOURNAL, value, { writer: this.s1.name });
	}

	public marker(id: string, outcome: "committed" | "aborted" | undefined): void {
		const markers = this.world.store(MARKER_STORE);
		if (outcome === undefined) markers.remove(id);
		else markers.set(id, outcome, { writer: this.s1.name });
	}

	/** One more deposit of a session on the record. Its number. */
	public deposit(session: number, fields: { readonly coins?: number; readonly hasItem?: boolean } = {}): number {
		const { coins = 0, hasItem = false } = fields;
		return this.book.deposit({ coins, hasItem, key: KEY, server: this.s1, session, isQueued: false });
	}

	/** What was broken since it was asked last. */
	public said(): string {
		const { violations } = this.book;
		const texts = violations.map(({ text }) => text);
		violations.clear();
		return texts.join("; ");
	}
}

/** Plays `good`, which breaks nothing, and then `bad`; the rule that breaks has to say `text`. */
export function breaks(text: string, good: (desk: Desk) => void, bad: (desk: Desk) => void): void {
	simulate({ seed: 1 }, (world) => {
		const desk = new Desk(world);
		good(desk);
		const early = desk.said();
		if (early !== "") error(`broken before: ${early}`, 0);
		bad(desk);
		const said = desk.said();
		if (said.find(text, 1, true)[0] === undefined) error(`not "${text}", but "${said}"`, 0);
	});
}
