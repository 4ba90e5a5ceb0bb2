import { StoredPointer, StoredRecord } from "../../../src/record/types";
import {
	fencePeer,
	HolderRequest,
	ParticipantDecision,
	prepareTrade,
	recoverParticipant,
	settleTrade,
	TradeOutcome,
} from "../../../src/trade/participant";
import { KEPT_IDS, withId } from "../../../src/record/transactionIds";
import { textOf } from "../driver/drivers";
import { claim, lock, record } from "../record/records";

const POINTER: StoredPointer = { Key: "CKTxn_1", Token: "j1" };
const OTHER: StoredPointer = { Key: "CKTxn_2", Token: "j2" };
const REQUEST: HolderRequest = { token: "t1", turn: 1, seq: 1, time: 1010, presence: true, pointer: POINTER };
const LOCKED = record({ Lock: lock() });
const POINTED = record({ Lock: lock() }, { PendingTransaction: POINTER });
const PART = { data: { n: 5 }, migrations: ["m1"] };
const OUTCOME: TradeOutcome = { data: { n: 9 }, ids: ["old", "id"] };

function prepare(value: unknown, change: Partial<HolderRequest> = {}): ParticipantDecision {
	return prepareTrade(value, { ...REQUEST, ...change, id: "id", part: PART });
}

function settle(value: unknown, outcome: TradeOutcome, change: Partial<HolderRequest> = {}): ParticipantDecision {
	return settleTrade(value, { ...REQUEST, ...change, outcome });
}

function keptOf(decision: { readonly write?: StoredRecord; readonly keep?: string }): string {
	return decision.write !== undefined ? "written" : decision.keep!;
}

/** What becomes of records that are not this write's to change. */
function fences(write: (value: unknown, change?: Partial<HolderRequest>) => ParticipantDecision): void {
	const stands: ReadonlyArray<readonly [value: unknown, kept: string]> = [
		[undefined, "lost"],
		["text", "lost"],
		[record(), "lost"],
		[record({}, { ReleasedToken: "t1" }), "lost"],
		[record({ Lock: lock({ Token: "t2" }) }), "lost"],
		[record({ Lock: lock({ Turn: 2 }) }), "lost"],
		[record({ Lock: lock({ Seq: 1 }) }), "mine"],
		[record({ Lock: lock({ Seq: 2 }) }), "superseded"],
		[record({ Lock: lock(), Pending: { Id: "x", Data: {}, Migrations: [], JobId: "S1" } }), "unresolved"],
		[record({ Lock: lock() }, { PendingTransaction: OTHER }), "unresolved"],
	];
	for (const [value, kept] of stands) {
		const got = keptOf(write(value));
		if (got !== kept) error(`${textOf(value)} is ${got}, not ${kept}`, 2);
	}
}

export = () => {
	describe("withId: 200 ids, oldest out by count", () => {
		const many = (count: number) => new Array<string>(count, "").map((_, index) => `i${index}`);

		it("appends", () => {
			expect(withId(undefined, "x").join(",")).to.equal("x");
			expect(withId(["a"], "x").join(",")).to.equal("a,x");
		});

		it("keeps 200 and drops the oldest beyond", () => {
			expect(KEPT_IDS).to.equal(200);
			expect(withId(many(199), "x").size()).to.equal(200);
			expect(withId(many(199), "x")[0]).to.equal("i0");
			const full = withId(many(200), "x");
			expect(full.size()).to.equal(200);
			expect(full[0]).to.equal("i1");
			expect(full[199]).to.equal("x");
		});

		it("keeps an id that it has only once", () => {
			expect(withId(["x", "a"], "x").join(",")).to.equal("a,x");
		});
	});

	describe("prepareTrade, writes 2 and 3", () => {
		it("stores the profile's current data with the pointer, under the next number (rule 5.2)", () => {
			const { write } = prepare(record({ Lock: lock() }, { TransactionIds: ["old"] }));
			expect(textOf(write!.Data)).to.equal(textOf({ n: 5 }));
			expect(textOf(write!.Meta.PendingTransaction)).to.equal(textOf(POINTER));
			expect(write!.Meta.Migrations.join(",")).to.equal("m1");
			expect(write!.Meta.TransactionIds!.join(",")).to.equal("old");
			expect(textOf(write!.Lock)).to.equal(textOf(lock({ Seq: 1, Time: 1010, Presence: true })));
		});

		it("writes only under its own token, turn and a lower number, and over nothing unresolved", () => {
			fences(prepare);
		});

		it("writes nothing for a journal that recovery has ruled out (rule 5.3)", () => {
			expect(keptOf(prepare(record({ Lock: lock() }, { RefusedTransaction: "j1" })))).to.equal("refused");
			expect(keptOf(prepare(record({ Lock: lock() }, { RefusedTransaction: "j2" })))).to.equal("written");
		});

		it("writes nothing where the record has seen the id", () => {
			expect(keptOf(prepare(record({ Lock: lock() }, { TransactionIds: ["x", "id"] })))).to.equal("duplicate");
		});

		it("recognizes itself before it refuses (rule 1.2)", () => {
			const landed = record(
				{ Lock: lock({ Seq: 1 }) },
				{ PendingTransaction: POINTER, RefusedTransaction: "j1", TransactionIds: ["id"] },
			);
			expect(keptOf(prepare(landed))).to.equal("mine");
		});

		it("takes an adopted lock over, under the fresh token and turn", () => {
			const adopts = { jobId: "S1", from: [{ token: "t0", turn: 1 }] };
			const { write } = prepare(record({ Lock: lock({ Token: "t0" }) }), { token: "t1", turn: 2, adopts });
			expect(write!.Lock!.Token).to.equal("t1");
			expect(write!.Lock!.Turn).to.equal(2);
			expect(write!.Meta.Turn).to.equal(2);
		});

		it("takes a released record over where it adopts that session, and clears its stamp (rule 4.3)", () => {
			const adopts = { jobId: "S1", from: [{ token: "t0", turn: 1 }] };
			const { write } = prepare(record({}, { ReleasedToken: "t0" }), { token: "t1", turn: 2, adopts });
			expect(write!.Lock!.Token).to.equal("t1");
			expect(write!.Meta.ReleasedToken).to.equal(undefined);
		});
	});

	describe("settleTrade, writes 5 and 6", () => {
		it("stores the outcome with its ids and clears the pointer", () => {
			const { write } = settle(POINTED, OUTCOME);
			expect(textOf(write!.Data)).to.equal(textOf({ n: 9 }));
			expect(write!.Meta.PendingTransaction).never.to.be.ok();
			expect(write!.Meta.TransactionIds!.join(",")).to.equal("old,id");
			expect(write!.Lock!.Seq).to.equal(1);
		});

		it("keeps data and ids on an abort, and clears the pointer", () => {
			const aborted = record({ Lock: lock() }, { PendingTransaction: POINTER, TransactionIds: ["old"] });
			const { write } = settle(aborted, undefined);
			expect(textOf(write!.Data)).to.equal(textOf({ n: 1 }));
			expect(write!.Meta.PendingTransaction).never.to.be.ok();
			expect(write!.Meta.TransactionIds!.join(",")).to.equal("old");
		});

		it("writes a record that never got its pointer all the same, so that a late prepare stays off (rule 5.4)", () => {
			const { write } = settle(LOCKED, undefined, { seq: 2 });
			expect(keptOf(prepare(write))).to.equal("superseded");
			expect(settle(LOCKED, OUTCOME).write).to.be.ok();
		});

		it("writes only under its own token, turn and a lower number, and over no other trade's pointer", () => {
			fences((value, change) => settle(value, OUTCOME, change));
			const half: StoredPointer = { Key: POINTER.Key, Token: OTHER.Token };
			expect(keptOf(settle(record({ Lock: lock() }, { PendingTransaction: half }), OUTCOME))).to.equal(
				"unresolved",
			);
			const turned: StoredPointer = { Key: OTHER.Key, Token: POINTER.Token };
			expect(keptOf(settle(record({ Lock: lock() }, { PendingTransaction: turned }), OUTCOME))).to.equal(
				"unresolved",
			);
		});
	});

	describe("recoverParticipant (rule 5.6)", () => {
		const free = record({}, { PendingTransaction: POINTER, TransactionIds: ["old"], Turn: 4, ReleasedToken: "t1" });
		const entry = { Data: { n: 9 }, Seen: ["old", "id"] };
		const request = { claim: claim(), pointer: POINTER, entry };

		it("applies a committed entry, clears the pointer and leaves the turn", () => {
			const { write } = recoverParticipant(free, 1000, request);
			expect(textOf(write!.Data)).to.equal(textOf({ n: 9 }));
			expect(write!.Meta.TransactionIds!.join(",")).to.equal("old,id");
			expect(write!.Meta.PendingTransaction).never.to.be.ok();
			expect(write!.Meta.ReleasedToken).never.to.be.ok();
			expect(write!.Meta.Turn).to.equal(4);
		});

		it("keeps data and ids without an entry", () => {
			const { write } = recoverParticipant(free, 1000, { ...request, entry: undefined });
			expect(textOf(write!.Data)).to.equal(textOf({ n: 1 }));
			expect(write!.Meta.TransactionIds!.join(",")).to.equal("old");
			expect(write!.Meta.PendingTransaction).never.to.be.ok();
		});

		it("writes nothing unless it finds the very pointer", () => {
			for (const value of [undefined, "text", record(), record({}, { PendingTransaction: OTHER })]) {
				expect(keptOf(recoverParticipant(value, 1000, request))).to.equal("settled");
			}
			const half = record({}, { PendingTransaction: { Key: POINTER.Key, Token: "j2" } });
			expect(keptOf(recoverParticipant(half, 1000, request))).to.equal("settled");
			const turned = record({}, { PendingTransaction: { Key: "CKTxn_2", Token: POINTER.Token } });
			expect(keptOf(recoverParticipant(turned, 1000, request))).to.equal("settled");
		});

		it("refuses where another server holds the lock under the load's rule", () => {
			const decision = recoverParticipant(POINTED, 900, request);
			if (decision.write !== undefined || decision.keep !== "owned") error("it was not refused");
			expect(decision.lock.Token).to.equal("t1");
		});

		it("removes a stale lock that it passes, and one whose holder was proved to have stopped", () => {
			const stale = recoverParticipant(POINTED, 1000 - 241, request);
			expect(stale.write).to.be.ok();
			expect(stale.write!.Lock).never.to.be.ok();
			const stoppedProof = { jobId: "S1", token: "t1", turn: 1, seq: 0, time: 1000 };
			const present = record({ Lock: lock({ Presence: true }) }, { PendingTransaction: POINTER });
			const stopped = recoverParticipant(present, 1000, { ...request, claim: claim({ stoppedProof }) });
			expect(stopped.write!.Lock).never.to.be.ok();
		});
	});

	describe("fencePeer (rule 5.3)", () => {
		it("stamps a pointerless peer with the journal's token, lock and data as they are", () => {
			const { write } = fencePeer(LOCKED, POINTER, LOCKED);
			expect(write!.Meta.RefusedTransaction).to.equal("j1");
			expect(textOf(write!.Lock)).to.equal(textOf(LOCKED.Lock));
			expect(keptOf(prepare(write))).to.equal("refused");
		});

		it("leaves one that points at the journal", () => {
			expect(keptOf(fencePeer(POINTED, POINTER, POINTED))).to.equal("points");
		});

		it("stamps one that points elsewhere", () => {
			const elsewhere = record({}, { PendingTransaction: OTHER });
			expect(keptOf(fencePeer(elsewhere, POINTER, elsewhere))).to.equal("written");
		});

		it("writes nothing where it is stamped, or where there is no record", () => {
			const stamped = record({}, { RefusedTransaction: "j1" });
			for (const value of [stamped, undefined, "text"]) {
				expect(keptOf(fencePeer(value, POINTER, value))).to.equal("fenced");
			}
		});

		it("stamps nothing that a holder has written since it was seen: a later trade's stamp stands (section 8)", () => {
			const later = record({ Lock: lock({ Seq: 5 }) }, { RefusedTransaction: "j2" });
			for (const seen of [
				record({ Lock: lock({ Seq: 4 }) }),
				record({ Lock: lock({ Seq: 5, Token: "t0" }) }),
				record({}),
				undefined,
			]) {
				expect(keptOf(fencePeer(later, POINTER, seen))).to.equal("moved");
			}
			// A session that has come and gone leaves no lock.
			expect(keptOf(fencePeer(record({}, { Turn: 2 }), POINTER, record({}, { Turn: 1 })))).to.equal("moved");
			// One earlier stamp is no obstacle.
			expect(keptOf(fencePeer(later, POINTER, record({ Lock: lock({ Seq: 5 }) })))).to.equal("written");
		});
	});
};
