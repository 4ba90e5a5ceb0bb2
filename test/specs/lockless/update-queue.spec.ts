import { flush, FlushDecision } from "../../../src/lockless/flush";
import { UpdateQueue } from "../../../src/lockless/updateQueue";
import { StoredRecord } from "../../../src/record/types";
import { ok } from "../../../src/result";
import { same } from "../driver/writeRig";
import { claim, lock, record } from "../record/records";
import { flushing } from "./flushes";

interface Count {
	readonly n: number;
}

const DAY = 86_400;

/** A writer, and a store that its flushes reach: a record under test, changed by hand where others write it. */
class Bench {
	public stored: StoredRecord = record();
	public readonly queue: UpdateQueue<Count>;

	public constructor(private readonly writer: string) {
		this.queue = new UpdateQueue(writer);
	}

	public add(amount: number): void {
		this.queue.push((data) => ({ n: data.n + amount }));
	}

	/** Sends a flush at `seconds` of the store's time; `lands` whether it reaches the store, `answers` whether it is heard. */
	public flush(seconds: number, { lands = true, answers = true } = {}): FlushDecision | undefined {
		const sent = this.queue.send(seconds * 1000, seconds);
		const request = flushing({
			writer: this.writer,
			claim: claim({ token: "", storeNow: seconds }),
			stamp: sent.stamp,
			updates: sent.carried.map(({ number, change }) => ({
				number: number!,
				apply: (data) => ok(change(data as Count)),
			})),
		});
		if (!lands) return undefined;
		const decision = flush(this.stored, seconds, request);
		if (decision.write !== undefined) {
			sent.written = decision;
			this.stored = decision.write;
		}
		if (!answers) return undefined;
		this.queue.seen(this.stored.Meta);
		this.queue.answered(sent);
		if (decision.write !== undefined || decision.keep === "clean") this.queue.settle();
		else if (decision.keep === "renumber") this.queue.renumber(decision.floor);
		return decision;
	}

	/** What others do to the lanes with a write at `seconds`. */
	public othersWrite(seconds: number): void {
		const update = { number: seconds * 1000, apply: (data: unknown) => ok(data) };
		const request = flushing({
			writer: "other",
			claim: claim({ token: "", storeNow: seconds }),
			stamp: seconds * 1000,
			updates: [update],
		});
		this.stored = flush(this.stored, seconds, request).write ?? this.stored;
	}

	/** A session locks the record, or releases it. */
	public setLocked(isLocked: boolean): void {
		this.stored = { ...this.stored, Lock: isLocked ? lock() : undefined };
	}

	public raiseFloor(floor: number): void {
		this.stored = { ...this.stored, Meta: { ...this.stored.Meta, FlushFloor: floor } };
	}

	/** Throws unless the record holds this number, and `queued` updates are not known to be stored. */
	public expect(n: number, queued: number): void {
		same((this.stored.Data as Count).n, n, "the stored number");
		same(this.queue.list().size(), queued, "the number of queued updates");
	}
}

export = () => {
	describe("lockless: 6.6, how a queue and the lanes go together", () => {
		it("what was pushed while a flush is out is not answered by it", () => {
			const bench = new Bench("w");
			bench.add(1);
			bench.flush(2000, { answers: false });
			bench.add(10);
			bench.flush(2001);
			bench.expect(12, 0);
		});

		it("an unanswered flush that landed is found by the next one, and one that did not is carried by it", () => {
			for (const lands of [true, false]) {
				const bench = new Bench("w");
				bench.add(1);
				bench.flush(2000, { lands, answers: false });
				bench.flush(2001);
				bench.expect(2, 0);
			}
		});

		it("a clock that stands still or goes back never gives a number twice", () => {
			const bench = new Bench("w");
			for (const seconds of [2000, 2000, 1990]) {
				bench.add(1);
				bench.flush(seconds);
			}
			bench.expect(4, 0);
		});

		it("updates that a session kept out for two days are not taken for old once they land", () => {
			const bench = new Bench("w");
			bench.add(1);
			bench.setLocked(true);
			same(bench.flush(1001)?.write, undefined, "what was written under the session's lock");
			bench.setLocked(false);
			bench.flush(1000 + 2 * DAY, { answers: false });
			bench.othersWrite(1001 + 2 * DAY);
			bench.flush(1002 + 2 * DAY);
			bench.expect(2, 0);
		});

		it("a writer whose entry was evicted goes on above the floor, and a lost answer does not double its next update", () => {
			const bench = new Bench("w");
			bench.add(1);
			bench.flush(2000);
			bench.othersWrite(2100 + DAY);
			same(bench.stored.Meta.Flushed?.w, undefined, "the entry");
			bench.add(10);
			bench.flush(2101 + DAY, { answers: false });
			bench.flush(2102 + DAY);
			bench.expect(12, 0);
		});

		it("one that never landed takes new numbers above a floor that was raised meanwhile; old copies land nowhere", () => {
			const bench = new Bench("w");
			bench.add(1);
			bench.flush(2000, { lands: false, answers: false });
			bench.raiseFloor(2_500_000);
			const refused = bench.flush(2001);
			same(refused?.write === undefined && refused?.keep, "renumber", "the answer");
			bench.expect(1, 1);
			bench.flush(2002);
			bench.expect(2, 0);
		});

		it("only what was sent an hour ago without an answer expires; what was answered as kept out, or sent later, stays", () => {
			const bench = new Bench("w");
			bench.add(1);
			bench.setLocked(true);
			bench.flush(1001);
			same(bench.queue.expire(9e9).size(), 0, "expired after an answer");
			bench.flush(1002, { lands: false, answers: false });
			bench.add(10);
			bench.flush(2000, { lands: false, answers: false });
			same(bench.queue.expire(1500).size(), 1, "expired");
			bench.setLocked(false);
			bench.flush(2001);
			bench.expect(11, 0);
		});
	});
};
