import { acquire } from "../../../src/record/acquire";
import { clearLock, giveBack } from "../../../src/record/giveBack";
import { StoredRecord } from "../../../src/record/types";

const FRESH = { defaults: { coins: 0 }, migrations: ["first"] };
const LOCK = { JobId: "s1", Token: "t1", Turn: 3, Seq: 2, Time: 50 };

function record(lock: StoredRecord["Lock"], released?: string): StoredRecord {
	return { Data: { coins: 5 }, Lock: lock, Meta: { Turn: 3, Migrations: ["first"], ReleasedToken: released } };
}

/** An acquire under `token` that lands now. */
function landing(value: unknown, token: string) {
	return acquire(value, 100, {
		claim: {
			jobId: "s1",
			token,
			hasStoreTime: true,
			storeNow: 100,
			wallNow: 100,
			ttlSeconds: 180,
			skewSeconds: 60,
		},
		time: 100,
		defaults: FRESH.defaults,
		migrations: FRESH.migrations,
	});
}

export = () => {
	describe("giving back an acquisition; protocol 1.3: an unknown outcome is closed by writing", () => {
		it("removes its lock and stamps it, and leaves the data", () => {
			const given = giveBack(record(LOCK), { token: "t1" });
			expect(given.write!.Lock).to.equal(undefined);
			expect(given.write!.Meta.ReleasedToken).to.equal("t1");
			expect((given.write!.Data as { coins: number }).coins).to.equal(5);
			expect(giveBack(given.write, { token: "t1" }).write).to.equal(undefined);
		});

		it("stamps a free record, so that the acquire finds itself given back when it lands", () => {
			const given = giveBack(record(undefined, "older"), { token: "t1" });
			const landed = landing(given.write, "t1");
			expect(landed.write).to.equal(undefined);
			expect((landed as { keep: string }).keep).to.equal("released");
		});

		it("where nothing is stored, makes the record that the acquire would have made, already given back", () => {
			const given = giveBack(undefined, { token: "t1", fresh: FRESH });
			expect(given.write!.Meta.Turn).to.equal(1);
			expect((landing(given.write, "t1") as { keep?: string }).keep).to.equal("released");
			expect(landing(given.write, "t2").write!.Lock!.Turn).to.equal(2);
		});

		it("makes no record where the acquire was answered, or something else is stored", () => {
			expect(giveBack(undefined, { token: "t1" }).write).to.equal(undefined);
			expect(giveBack(7, { token: "t1", fresh: FRESH }).write).to.equal(undefined);
		});

		it("touches nobody else's lock", () => {
			expect(giveBack(record(LOCK), { token: "t2", fresh: FRESH }).write).to.equal(undefined);
			expect(clearLock(record(LOCK), "t1", "s2").write).to.equal(undefined);
			expect(clearLock(record(LOCK), "t2", "s1").write).to.equal(undefined);
			expect(clearLock(record(undefined), "t1", "s1").write).to.equal(undefined);
			expect(clearLock(record(LOCK), "t1", "s1").write!.Lock).to.equal(undefined);
		});
	});
};
