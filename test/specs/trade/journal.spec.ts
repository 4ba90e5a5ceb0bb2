import {
	createJournal,
	decideJournal,
	entryOf,
	isAllSettled,
	isJournal,
	Journal,
	JournalDecision,
	journalKey,
	settleJournal,
} from "../../../src/trade/journal";
import { textOf } from "../driver/drivers";

function journal(change: Partial<Journal> = {}): Journal {
	return {
		Kind: "CKTransaction",
		Token: "t",
		Id: "id",
		State: "Preparing",
		Entries: { A: { Data: { n: 1 }, Seen: ["id"] }, B: { Data: { n: 2 }, Seen: ["id"] } },
		Settled: {},
		Meta: { UserIds: [1, 2] },
		...change,
	};
}

function keptOf(decision: JournalDecision): string {
	return decision.write !== undefined ? "written" : decision.keep;
}

export = () => {
	describe("a journal's shape (seed: Kind, Token, Id, State, Entries, Settled, Meta.UserIds)", () => {
		it("is one of exactly the wanted token", () => {
			expect(isJournal(journal(), "t")).to.equal(true);
			expect(isJournal(journal(), "other")).to.equal(false);
		});

		it("needs the kind, an id, a known state, entries and, where it is there, a table of the settled", () => {
			const broken: Array<object> = [
				{ Kind: "Other" },
				{ Id: 7 },
				{ State: "Done" },
				{ State: 1 },
				{ Entries: "none" },
				{ Settled: true },
			];
			for (const change of broken) {
				if (isJournal(journal(change), "t")) error(`taken for a journal: ${textOf(change)}`);
			}
			for (const value of [undefined, 7, "text", {}]) expect(isJournal(value, "t")).to.equal(false);
			for (const State of ["Preparing", "Committed", "Aborted"] as const) {
				expect(isJournal(journal({ State }), "t")).to.equal(true);
			}
		});

		it("may lack Settled, as a store leaves out an empty table", () => {
			const bare = { ...journal(), Settled: undefined };
			expect(isJournal(bare, "t")).to.equal(true);
			expect(isAllSettled({ ...journal(), Settled: undefined as never })).to.equal(false);
		});

		it("has an entry of a participant only with data and ids", () => {
			expect(entryOf(journal(), "A")).to.be.ok();
			expect(entryOf(journal(), "C")).never.to.be.ok();
			expect(entryOf(journal({ Entries: { A: { Seen: [] } as never } }), "A")).never.to.be.ok();
			expect(entryOf(journal({ Entries: { A: { Data: 1, Seen: "x" as never } } }), "A")).never.to.be.ok();
			expect(entryOf(journal({ Entries: { A: "x" as never } }), "A")).never.to.be.ok();
		});

		it("lies under the key CKTxn_<GUID>", () => {
			expect(journalKey("1-2")).to.equal("CKTxn_1-2");
		});
	});

	describe("createJournal, write 1", () => {
		it("writes where nothing is stored", () => {
			expect(createJournal(undefined, journal()).write).to.be.ok();
		});

		it("recognizes itself, and keeps a decision that came first", () => {
			const decision = createJournal(journal({ State: "Aborted" }), journal());
			expect(keptOf(decision)).to.equal("as it is");
		});

		it("never writes over anything else", () => {
			expect(keptOf(createJournal(journal({ Token: "other" }), journal()))).to.equal("missing");
			expect(keptOf(createJournal("text", journal()))).to.equal("missing");
		});
	});

	describe("decideJournal (rule 5.5: it never creates, and a decision stays)", () => {
		it("decides an undecided one either way, and changes nothing else", () => {
			for (const decision of ["Committed", "Aborted"] as const) {
				const { write } = decideJournal(journal({ Settled: { A: true } }), "t", decision);
				expect(textOf(write)).to.equal(textOf(journal({ Settled: { A: true }, State: decision })));
			}
		});

		it("leaves a decided one as it is, whatever is asked for", () => {
			for (const State of ["Committed", "Aborted"] as const) {
				for (const wanted of ["Committed", "Aborted"] as const) {
					const decision = decideJournal(journal({ State }), "t", wanted);
					if (decision.write !== undefined || decision.keep !== "as it is") error("it was changed or missed");
					expect(decision.journal.State).to.equal(State);
				}
			}
		});

		it("never makes one, and never touches one of another token", () => {
			expect(keptOf(decideJournal(undefined, "t", "Aborted"))).to.equal("missing");
			expect(keptOf(decideJournal(journal({ Token: "other" }), "t", "Committed"))).to.equal("missing");
		});
	});

	describe("settleJournal", () => {
		it("adds to who is settled", () => {
			const { write } = settleJournal(journal({ Settled: { A: true } }), "t", ["B"]);
			expect(textOf(write!.Settled)).to.equal(textOf({ A: true, B: true }));
			expect(isAllSettled(write!)).to.equal(true);
		});

		it("writes nothing where all are noted already", () => {
			expect(keptOf(settleJournal(journal({ Settled: { A: true } }), "t", ["A"]))).to.equal("as it is");
		});

		it("notes into a journal without a table of the settled", () => {
			const { write } = settleJournal({ ...journal(), Settled: undefined }, "t", ["A"]);
			expect(textOf(write!.Settled)).to.equal(textOf({ A: true }));
			expect(isAllSettled(write!)).to.equal(false);
		});

		it("never makes one, and never touches one of another token", () => {
			expect(keptOf(settleJournal(undefined, "t", ["A"]))).to.equal("missing");
			expect(keptOf(settleJournal(journal({ Token: "other" }), "t", ["A"]))).to.equal("missing");
		});
	});
};
