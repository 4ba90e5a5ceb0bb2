import { HeldRequest } from "../../../src/record/heldWrite";
import { StoredPending, StoredRecord } from "../../../src/record/types";
import { Cleanup } from "../../../src/transaction/cleanup";
import { Decisions } from "../../../src/transaction/decisions";
import { decideMarker } from "../../../src/transaction/marker";
import { prepareLocked, writeAloneLocked } from "../../../src/transaction/lockedRecord";
import {
	confirmLockless,
	endLockless,
	prepareLockless,
	writeAloneLockless,
} from "../../../src/transaction/locklessRecord";
import { MarkerStore } from "../../../src/transaction/markerStore";
import { lock, record } from "../record/records";

const REQUEST: HeldRequest = { token: "t1", turn: 1, seq: 1, time: 1010, presence: true };
const PENDING: StoredPending = { Id: "tx", Data: { n: 9 }, Migrations: [], JobId: "S1" };
const FOREIGN: StoredPending = { ...PENDING, Id: "other" };
const POINTER = { Key: "CKTxn_1", Token: "j1" };
const PART = { data: { n: 9 }, migrations: ["m1"] };
const TX_LOCK = { token: "t1", turn: 1 };

function keptOf(decision: { readonly write?: StoredRecord; readonly keep?: string }): string {
	return decision.write !== undefined ? "written" : decision.keep!;
}

function nOf(decision: { readonly write?: StoredRecord }): number {
	return (decision.write!.Data as { n: number }).n;
}

export = () => {
	const prepare = (value: unknown) => prepareLocked(value, { ...REQUEST, pending: PENDING });
	const alone = (value: unknown) => writeAloneLocked(value, { ...REQUEST, id: "tx", part: PART });

	describe("a transaction's writes of a session-locked record", () => {
		for (const [title, write] of [
			["a prepare", prepare],
			["a write alone", alone],
		] as const) {
			it(`rule 6.3: ${title} writes nothing over a foreign Pending or pointer`, () => {
				expect(keptOf(write(record({ Lock: lock(), Pending: FOREIGN })))).to.equal("unresolved");
				expect(keptOf(write(record({ Lock: lock() }, { PendingTransaction: POINTER })))).to.equal("unresolved");
				expect(keptOf(write(record({ Lock: lock() })))).to.equal("written");
			});
		}

		it("rule 6.5: a write alone recognizes itself by its id, also behind a later number", () => {
			const { write } = alone(record({ Lock: lock() }));
			expect(write!.Meta.TransactionIds!.join()).to.equal("tx");
			expect(keptOf(alone(write))).to.equal("mine");
			expect(keptOf(alone({ ...write!, Lock: lock({ Seq: 5 }) }))).to.equal("mine");
		});

		it("I1: under another session's lock it is lost, and only says that its id is there", () => {
			const taken = alone(record({ Lock: lock({ Token: "t2" }) }, { TransactionIds: ["tx"] }));
			expect(keptOf(taken)).to.equal("lost");
			expect(taken.isStamped).to.equal(true);
			expect(alone(record({ Lock: lock({ Token: "t2" }) })).isStamped).to.equal(false);
		});
	});

	describe("a transaction's writes of a lockless record", () => {
		const ours = record({ Lock: lock({ Tx: true }) });
		const writes = [
			["a prepare", (value: unknown) => prepareLockless(value, { ...TX_LOCK, pending: PENDING })],
			["a write alone", (value: unknown) => writeAloneLockless(value, { ...TX_LOCK, id: "tx", part: PART })],
			["a confirmation", (value: unknown) => confirmLockless(value, TX_LOCK)],
		] as const;
		for (const [title, write] of writes) {
			it(`rule 6.5: ${title} needs the lock, by its token and turn`, () => {
				const { Lock } = ours;
				expect(keptOf(write(record()))).to.equal("lost");
				expect(keptOf(write(record({ Lock: { ...Lock!, Token: "t2" } })))).to.equal("lost");
				expect(keptOf(write(record({ Lock: { ...Lock!, Turn: 2 } }, { Turn: 2 })))).to.equal("lost");
			});

			it(`rules 1.1 and 1.2: ${title} ends the lock with a stamp, and recognizes itself`, () => {
				const { write: landed } = write(ours);
				expect(landed!.Lock).to.equal(undefined);
				expect(landed!.Meta.ReleasedToken).to.equal("t1");
				expect(keptOf(write(landed))).to.equal("mine");
			});
		}

		it("rule 6.5: a write alone stores data and id; a prepare leaves the data", () => {
			const [[, prepared], [, written]] = writes;
			expect(nOf(prepared(ours))).to.equal(1);
			expect(nOf(written(ours))).to.equal(9);
			expect(written(ours).write!.Meta.TransactionIds!.join()).to.equal("tx");
		});

		it("rule 6.2: the end of an aborted one leaves neither its Pending nor its lock, and nobody else's is touched", () => {
			const finish = (value: unknown) =>
				endLockless(value, { token: "t1", aborted: { id: "tx", outcome: "aborted" } });
			for (const value of [ours, record({ Pending: PENDING }), record({ Lock: ours.Lock, Pending: PENDING })]) {
				const { write } = finish(value);
				expect(write!.Lock).to.equal(undefined);
				expect(write!.Pending).to.equal(undefined);
			}
			const others = record({ Lock: lock({ Tx: true, Token: "t2" }), Pending: FOREIGN });
			expect(keptOf(finish(others))).to.equal("done");
		});
	});

	it("I7: a marker is decided once, and a value of another kind is no decision", () => {
		for (const outcome of ["committed", "aborted"] as const) {
			expect(decideMarker(undefined, outcome).write).to.equal(outcome);
			for (const stored of ["committed", "aborted"] as const) {
				const kept = decideMarker(stored, outcome);
				expect(kept.write).to.equal(undefined);
				expect(kept.write === undefined && kept.keep === "decided" && kept.outcome).to.equal(stored);
			}
			const invalid = decideMarker("maybe", outcome);
			expect(invalid.write === undefined && invalid.keep).to.equal("invalid");
		}
	});

	it("rule 6.2: a marker goes once it is decided and everybody was seen clean, by a write that named the decision", () => {
		const removed = new Array<string>();
		const markers = {
			remove(id: string) {
				removed.push(id);
			},
		};
		const cleanup = new Cleanup(markers as unknown as MarkerStore, "tx", 2);
		cleanup.seenClean();
		const decisions = new Decisions();
		const before = decisions.list();
		decisions.note(
			{ id: "tx", outcome: "aborted" },
			() => cleanup.seenClean(),
			() => {},
		);
		decisions.seenClean(before);
		expect(decisions.isEmpty()).to.equal(false);
		decisions.seenClean(decisions.list());
		expect(removed.size()).to.equal(0);
		cleanup.decided();
		expect(removed.join()).to.equal("tx");
	});
};
