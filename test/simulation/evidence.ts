import { Outcome } from "../../src/record/decided";
import { StoredPointer, StoredRecord } from "../../src/record/types";
import { isOutcome } from "../../src/transaction/marker";
import { entryOf, isSettled, Journal } from "../../src/trade/journal";
import { StoredVersion } from "../cloud/datastore/key-history";
import { Holdings } from "./holdings";

/** The server that makes a trade, and when it wrote its journal. */
export interface TradeMaker {
	readonly server: string;
	readonly at: number;
}

/** The journals and markers of a simulated world, as they are stored. */
export class Evidence {
	private readonly markers = new Map<string, Outcome>();
	private readonly journals = new Map<string, Journal>();
	/** The first decision of each transaction, by its id, and of each trade, by its journal's token. */
	private readonly decided = new Map<string, Outcome>();
	/** Who made each trade's journal, by its token. */
	private readonly makers = new Map<string, TradeMaker>();

	/** A marker changed. Returns the decision that it goes against, if it does. */
	public pushMarker(id: string, { deleted, packed }: StoredVersion): Outcome | undefined {
		const outcome = deleted ? undefined : packed.value;
		if (!isOutcome(outcome)) {
			this.markers.delete(id);
			return undefined;
		}
		this.markers.set(id, outcome);
		return this.decide(id, outcome);
	}

	/** A journal changed at the world's time `at`. Returns the decision that it goes against, if it does. */
	public pushJournal(key: string, { deleted, packed, writer }: StoredVersion, at: number): Outcome | undefined {
		if (deleted) {
			this.journals.delete(key);
			return undefined;
		}
		const journal = packed.value as Journal;
		this.journals.set(key, journal);
		const { State, Token } = journal;
		if (!this.makers.has(Token) && writer !== undefined) this.makers.set(Token, { server: writer, at });
		if (State === "Preparing") return this.decided.get(Token);
		return this.decide(Token, State === "Committed" ? "committed" : "aborted");
	}

	/** Who makes the trade whose journal has this token. */
	public makerOf(token: string): TradeMaker | undefined {
		return this.makers.get(token);
	}

	/** The decision that is stored for a transaction. */
	public marker(id: string): Outcome | undefined {
		return this.markers.get(id);
	}

	/** The journal that is stored under a key. */
	public journal(key: string): Journal | undefined {
		return this.journals.get(key);
	}

	/** How many journals and markers are stored. */
	public count(): { readonly journals: number; readonly markers: number } {
		return { journals: this.journals.size(), markers: this.markers.size() };
	}

	/** What a reader makes of a record: a committed trade or transaction counts, any other leaves the data. */
	public resolve(key: string, record: StoredRecord): Holdings {
		const { Pending, Data, Meta } = record;
		if (Pending !== undefined) {
			return (this.markers.get(Pending.Id) === "committed" ? Pending.Data : Data) as Holdings;
		}
		const journal = this.journalFor(Meta.PendingTransaction);
		const entry = journal?.State === "Committed" && !isSettled(journal, key) ? entryOf(journal, key) : undefined;
		return (entry?.Data ?? Data) as Holdings;
	}

	/** I8, evidence outlives intents: why a record cannot be resolved any more; undefined where it can. */
	public lacksFor({ Pending, Meta }: StoredRecord): string | undefined {
		const pointer = Meta.PendingTransaction;
		if (pointer !== undefined && this.journalFor(pointer) === undefined)
			return "it points at a journal that is gone";
		if (Pending === undefined) return undefined;
		const outcome = this.decided.get(Pending.Id);
		// One that is gone counts as aborted, as whoever asks makes it again.
		if (outcome !== "committed" || this.markers.get(Pending.Id) === "committed") return undefined;
		return "it waits for a marker that has committed and is gone";
	}

	private journalFor(pointer: StoredPointer | undefined): Journal | undefined {
		const journal = pointer !== undefined ? this.journals.get(pointer.Key) : undefined;
		return journal?.Token === pointer?.Token ? journal : undefined;
	}

	private decide(id: string, outcome: Outcome): Outcome | undefined {
		const before = this.decided.get(id);
		if (before === undefined) this.decided.set(id, outcome);
		return before !== outcome ? before : undefined;
	}
}
