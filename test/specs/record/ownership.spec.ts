import { Claim, Ownership, StoppedProof, ownershipOf } from "../../../src/record/ownership";
import { StoredLock } from "../../../src/record/types";
import { claim, lock } from "./records";

function verdict(held: StoredLock | undefined, updatedTime: number | undefined, by: Claim): Ownership["verdict"] {
	return ownershipOf(held, updatedTime, by).verdict;
}

const proof: StoppedProof = { jobId: "S1", token: "t1", turn: 1, seq: 0, time: 1000 };

export = () => {
	describe("prior fault: stale was decided by one rule on load and another on save", () => {
		it("answers free, mine, and held", () => {
			expect(verdict(undefined, undefined, claim())).to.equal("free");
			expect(verdict(lock(), 1000, claim({ token: "t1" }))).to.equal("mine");
			expect(verdict(lock(), 1000, claim())).to.equal("held");
		});

		it("is stale strictly after TTL and skew, on the store's clock", () => {
			expect(verdict(lock(), 1000, claim({ storeNow: 1240 }))).to.equal("held");
			expect(verdict(lock(), 1000, claim({ storeNow: 1240.001 }))).to.equal("stale");
			expect(verdict(lock(), 1001, claim({ storeNow: 1240.001 }))).to.equal("held");
		});

		it("scenario 9: wall clocks and the lock's own time change nothing where the store has a clock", () => {
			for (const skew of [-3600, 3600]) {
				expect(verdict(lock({ Time: 1000 + skew }), 1000, claim({ wallNow: 1000 - skew }))).to.equal("held");
				const late = claim({ storeNow: 1300, wallNow: 1000 - skew });
				expect(verdict(lock({ Time: 1000 + skew }), 1000, late)).to.equal("stale");
			}
		});

		it("takes nothing by age without a figure of the store's time, and says so", () => {
			const answer = ownershipOf(lock(), 0, { ...claim({ wallNow: 1e9 }), storeNow: undefined });
			expect(answer.verdict).to.equal("held");
			expect(answer.verdict === "held" && answer.needsStoreTime).to.equal(true);
			const unknownWrite = ownershipOf(lock(), undefined, claim({ storeNow: 1e9 }));
			expect(unknownWrite.verdict).to.equal("held");
		});

		it("goes by the lock's time and the wall clock where the store has no clock", () => {
			const by = (wallNow: number): Claim => claim({ hasStoreTime: false, wallNow });
			expect(verdict(lock(), undefined, by(1240))).to.equal("held");
			expect(verdict(lock(), undefined, by(1241))).to.equal("stale");
		});
	});

	describe("locks of this server", () => {
		it("is an orphan under a token that nothing here owns, however old", () => {
			expect(verdict(lock({ JobId: "S2" }), 1000, claim())).to.equal("orphan");
			expect(verdict(lock({ JobId: "S2" }), 1000, claim({ storeNow: 1e9 }))).to.equal("orphan");
			expect(verdict(lock({ JobId: "S2", Tx: true }), 1000, claim())).to.equal("orphan");
		});

		it("is held under a token of another profile or load here", () => {
			expect(verdict(lock({ JobId: "S2" }), 0, claim({ otherTokens: new Set(["t1"]) }))).to.equal("held");
		});

		it("a running transaction's is a lease all the same: it expires for its own server too", () => {
			const own = lock({ JobId: "S2", Tx: true });
			const running = claim({ otherTokens: new Set(["t1"]), txTtlSeconds: 10 });
			expect(verdict(own, 1000, running)).to.equal("held");
			expect(verdict(own, 1000, { ...running, storeNow: 1011 })).to.equal("stale");
		});
	});

	describe("presence", () => {
		it("is read before a stale lock that carries the flag is taken, and of that very lock", () => {
			const by = claim({ storeNow: 1e6, asksPresence: true });
			const flagged = lock({ Presence: true });
			expect(ownershipOf(flagged, 0, by).verdict).to.equal("held");
			expect((ownershipOf(flagged, 0, by) as { needsPresence?: boolean }).needsPresence).to.equal(true);
			expect(verdict(flagged, 0, { ...by, silentToken: "t1" })).to.equal("stale");
			expect(verdict(flagged, 0, { ...by, silentToken: "t0" })).to.equal("held");
		});

		it("is not asked for where the lock does not carry the flag, or this server cannot ask", () => {
			const by = claim({ storeNow: 1e6, asksPresence: true });
			expect(verdict(lock(), 0, by)).to.equal("stale");
			expect(verdict(lock({ Presence: true }), 0, claim({ storeNow: 1e6 }))).to.equal("stale");
		});

		it("rule 3.1: still protects a stale lock whose holder withdrew the flag", () => {
			const by = claim({ storeNow: 1e6, asksPresence: true });
			expect(verdict(lock({ Presence: false }), 0, by)).to.equal("held");
			expect(verdict(lock({ Presence: false }), 0, { ...by, silentToken: "t1" })).to.equal("stale");
		});

		it("takes a young lock by proof that its holder stopped, if it carries the flag", () => {
			const by = claim({ stoppedProof: proof });
			expect(verdict(lock({ Presence: true }), 1000, by)).to.equal("stopped");
			expect(verdict(lock(), 1000, by)).to.equal("held");
			expect(verdict(lock({ Presence: false }), 1000, by)).to.equal("held");
		});

		it("wants the proof to be about this very lock", () => {
			const others: Array<Partial<StoredLock>> = [
				{ Token: "t9" },
				{ Turn: 2 },
				{ Seq: 1 },
				{ Time: 1001 },
				{ JobId: "S3" },
			];
			for (const change of others) {
				const held = lock({ Presence: true, ...change });
				expect(verdict(held, 1000, claim({ stoppedProof: proof }))).to.equal("held");
			}
		});
	});

	describe("a transaction's lock", () => {
		const tx = lock({ Tx: true, Presence: true });

		it("is not touched by presence, proof or the session's age", () => {
			expect(verdict(tx, 1000, claim({ stoppedProof: proof }))).to.equal("held");
			expect(verdict(tx, 0, claim({ storeNow: 1e6 }))).to.equal("held");
		});

		it("expires when it was seen unchanged for its time, or is that old by store time", () => {
			expect(verdict(tx, 1000, claim({ expiredTxTurn: 1 }))).to.equal("stale");
			expect(verdict(tx, 1000, claim({ expiredTxTurn: 0 }))).to.equal("held");
			expect(verdict(tx, 1000, claim({ txTtlSeconds: 10, storeNow: 1010 }))).to.equal("held");
			expect(verdict(tx, 1000, claim({ txTtlSeconds: 10, storeNow: 1011 }))).to.equal("stale");
			expect(verdict(lock(), 1000, claim({ expiredTxTurn: 1 }))).to.equal("held");
			const longer = lock({ Tx: true, Expires: 20 });
			expect(verdict(longer, 1000, claim({ txTtlSeconds: 10, storeNow: 1020 }))).to.equal("held");
			expect(verdict(longer, 1000, claim({ txTtlSeconds: 10, storeNow: 1021 }))).to.equal("stale");
		});
	});
};
