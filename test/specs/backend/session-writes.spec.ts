import { Backend } from "../../../src/backend/backend";
import { dataStoreBackend } from "../../../src/backend/dataStore";
import { memoryBackend } from "../../../src/backend/memory";
import { AcquireDecision, acquire } from "../../../src/record/acquire";
import { asTransform } from "../../../src/record/asTransform";
import { release } from "../../../src/record/release";
import { SaveDecision, save } from "../../../src/record/save";
import { StoredRecord } from "../../../src/record/types";
import { FaultEffect } from "../../cloud/faults";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";

/** A session's writes on one key, each tried once. */
class Session {
	private seq = 0;
	private turn = 0;

	public constructor(
		private readonly backend: Backend,
		private readonly jobId: string,
		private readonly token: string,
	) {}

	public acquire(takeOrphan?: string): AcquireDecision | string {
		const claim = {
			jobId: this.jobId,
			token: this.token,
			storeNow: 0,
			hasStoreTime: true,
			wallNow: 0,
			ttlSeconds: 180,
			skewSeconds: 60,
		};
		const request = { claim, time: 0, defaults: { n: 0 }, migrations: [], takeOrphan };
		const answer = this.backend.update(
			"k",
			asTransform((value, updatedTime) => acquire(value, updatedTime, request)),
		);
		if (!answer.success) return "failed";
		const decision = answer.value.report;
		if (decision.write !== undefined) this.turn = decision.write.Meta.Turn;
		else if (decision.keep === "mine") this.turn = decision.record.Meta.Turn;
		return decision;
	}

	public save(n: number): string {
		this.seq += 1;
		const request = { ...this.id(), time: 0, part: { data: { n }, migrations: [] } };
		return this.send((value) => save(value, request));
	}

	public release(n: number): string {
		this.seq += 1;
		const request = { ...this.id(), part: { data: { n }, migrations: [] } };
		return this.send((value) => release(value, request));
	}

	private id(): { token: string; turn: number; seq: number } {
		return { token: this.token, turn: this.turn, seq: this.seq };
	}

	private send(decide: (value: unknown) => SaveDecision): string {
		const answer = this.backend.update("k", asTransform(decide));
		return answer.success ? outcomeOf(answer.value.report) : "failed";
	}
}

function outcomeOf(decision: AcquireDecision | SaveDecision | string): string {
	if (typeIs(decision, "string")) return decision;
	return decision.write !== undefined ? "wrote" : decision.keep;
}

function stored(world: World): StoredRecord {
	return world.store("Players").get("k") as StoredRecord;
}

function dataOf(world: World): number {
	return (stored(world).Data as { n: number }).n;
}

function open(server: Server): Backend {
	return dataStoreBackend({ platform: server.platform, store: "Players" });
}

/** Lets the next update meet a fault; what lands late or doubled does so after 10 s. */
type DisturbNext = (effect: FaultEffect) => void;

/** Runs `body` with a session of each of two servers. */
function scene(body: (world: World, s1: Session, s2: Session, fault: DisturbNext) => void): void {
	simulate({ seed: 1 }, (world) => {
		const [first, second] = [world.startServer(), world.startServer()];
		const s1 = new Session(open(first), first.jobId, "t1");
		const s2 = new Session(open(second), second.jobId, "t2");
		first.run(() =>
			body(world, s1, s2, (effect) => {
				world.faults.add({ service: "DataStore", op: "UpdateAsync", effect, seconds: 10, count: 1 });
			}),
		);
	});
}

export = () => {
	describe("writes of sessions on the emulated data store", () => {
		it("scenario 10: an acquire whose answer was lost is recognized, and holds the key once", () => {
			scene((world, s1, _s2, fault) => {
				fault("loseAnswer");
				expect(outcomeOf(s1.acquire())).to.equal("failed");
				expect(outcomeOf(s1.acquire())).to.equal("mine");
				expect(stored(world).Meta.Turn).to.equal(1);
				expect(s1.save(1)).to.equal("wrote");
			});
		});

		it("a release whose answer was lost recognizes its stamp", () => {
			scene((world, s1, _s2, fault) => {
				s1.acquire();
				fault("loseAnswer");
				expect(s1.release(5)).to.equal("failed");
				expect(s1.release(5)).to.equal("released");
				expect(dataOf(world)).to.equal(5);
				expect(stored(world).Lock).to.equal(undefined);
			});
		});

		it("a commit that the engine missed is recognized by the run after it", () => {
			scene((world, s1, _s2, fault) => {
				fault("loseCommit");
				expect(outcomeOf(s1.acquire())).to.equal("mine");
				fault("loseCommit");
				expect(s1.save(3)).to.equal("mine");
				fault("loseCommit");
				expect(s1.release(4)).to.equal("released");
				expect(dataOf(world)).to.equal(4);
			});
		});

		it("scenario 2: a save that lands after a release and another server's acquire changes nothing", () => {
			scene((world, s1, s2, fault) => {
				s1.acquire();
				fault("landLate");
				expect(s1.save(1)).to.equal("failed");
				expect(s1.release(2)).to.equal("wrote");
				expect(outcomeOf(s2.acquire())).to.equal("wrote");
				world.wait(20);
				expect(dataOf(world)).to.equal(2);
				expect(stored(world).Lock?.Token).to.equal("t2");
			});
		});

		it("a late save does not land over a later save of its own session", () => {
			scene((world, s1, _s2, fault) => {
				s1.acquire();
				fault("landLate");
				expect(s1.save(1)).to.equal("failed");
				expect(s1.save(2)).to.equal("wrote");
				world.wait(20);
				expect(dataOf(world)).to.equal(2);
			});
		});

		it("a doubled release does not end the session after it", () => {
			scene((world, s1, s2, fault) => {
				s1.acquire();
				fault("duplicate");
				expect(s1.release(2)).to.equal("wrote");
				expect(outcomeOf(s2.acquire())).to.equal("wrote");
				world.wait(20);
				expect(stored(world).Lock?.Token).to.equal("t2");
			});
		});

		it("a late acquire leaves an orphan in its own turn, which its server takes by name", () => {
			simulate({ seed: 1 }, (world) => {
				const server = world.startServer();
				const backend = open(server);
				server.run(() => {
					const [lost, found] = [
						new Session(backend, server.jobId, "t1"),
						new Session(backend, server.jobId, "t3"),
					];
					const other = new Session(backend, "elsewhere", "t2");
					other.acquire();
					other.release(7);
					world.faults.add({
						service: "DataStore",
						op: "UpdateAsync",
						effect: "landLate",
						seconds: 10,
						count: 1,
					});
					expect(outcomeOf(lost.acquire())).to.equal("failed");
					world.wait(20);
					expect(stored(world).Lock?.Token).to.equal("t1");
					expect(outcomeOf(found.acquire())).to.equal("orphan");
					expect(outcomeOf(found.acquire("t1"))).to.equal("wrote");
					expect(stored(world).Meta.Turn).to.equal(3);
					expect(dataOf(world)).to.equal(7);
				});
			});
		});
	});

	it("the same transforms work over the Memory backend", () => {
		simulate({ seed: 1 }, (world) => {
			const { platform } = world.startServer();
			const session = new Session(memoryBackend()({ platform, store: "Players" }), "S1", "t1");
			expect(outcomeOf(session.acquire())).to.equal("wrote");
			expect(session.save(1)).to.equal("wrote");
			expect(session.release(2)).to.equal("wrote");
			expect(session.save(3)).to.equal("released");
			world.wait(0.1);
		});
	});

	it("prior fault: a cancelled transform and a failed call are told apart", () => {
		scene((world, s1, s2) => {
			s1.acquire();
			expect(outcomeOf(s2.acquire())).to.equal("held");
			const down = world.faults.add({ service: "DataStore", effect: "failBefore" });
			expect(outcomeOf(s2.acquire())).to.equal("failed");
			down.remove();
			expect(stored(world).Lock?.Token).to.equal("t1");
		});
	});
};
