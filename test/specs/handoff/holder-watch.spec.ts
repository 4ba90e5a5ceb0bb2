import { Handoff } from "../../../src/handoff/handoff";
import { HolderWatch } from "../../../src/handoff/holderWatch";
import { PresenceReading } from "../../../src/handoff/presence";
import { simulate } from "../../cloud/simulate";
import { lock } from "../record/records";

const LOCK = lock({ JobId: "gone", Presence: true });

/** What the holder's presence says now, and how often it was asked for its lock. */
interface Holder {
	reading: PresenceReading;
	requests: number;
}

/** A watch over the holder of {@link LOCK}, under a double of handoff. */
function watching(play: (watch: HolderWatch, holder: Holder, pause: (seconds: number) => void) => void) {
	simulate({ seed: 1 }, (world) => {
		const server = world.startServer();
		const holder: Holder = { reading: "stopped", requests: 0 };
		const handoff = {
			read: () => holder.reading,
			epoch: () => 0,
			silenceSeconds: () => 3.5,
			request: () => (holder.requests += 1),
		} as unknown as Handoff;
		const watch = new HolderWatch(server.platform, handoff, "Vault", "key", () => true);
		server.run(() => play(watch, holder, server.platform.task.wait));
	});
}

// Protocol 3.3.
export = () => {
	it("two empty reads 3.5 s apart prove that the holder of this lock stopped", () => {
		watching((watch, _, pause) => {
			watch.meet(LOCK);
			expect(watch.prove()).to.equal(undefined);
			pause(3.4);
			watch.meet(LOCK);
			expect(watch.prove()).to.equal(undefined);
			pause(0.2);
			expect(watch.prove()?.token).to.equal(LOCK.Token);
		});
	});

	it("a proof whose last read is over 3 s old is made anew, and one that the holder is back ends it", () => {
		watching((watch, holder, pause) => {
			watch.meet(LOCK);
			pause(3.6);
			expect(watch.prove()).to.be.ok();
			pause(3.1);
			expect(watch.prove()).to.be.ok();
			pause(3.1);
			holder.reading = "alive";
			expect(watch.prove()).to.equal(undefined);
		});
	});

	it("a failed read, or one that says nothing, voids the first", () => {
		for (const other of ["unknown", "untrusted", "alive"] as const) {
			watching((watch, holder, pause) => {
				watch.meet(LOCK);
				pause(2);
				holder.reading = other;
				watch.meet(LOCK);
				holder.reading = "stopped";
				pause(2);
				watch.meet(LOCK);
				expect(watch.prove()).to.equal(undefined);
				pause(3.6);
				expect(watch.prove()).to.be.ok();
			});
		}
	});

	it("any other write of the lock starts it over; so does a lock without the flag, or a transaction's", () => {
		const others = [
			{ ...LOCK, Token: "t2" },
			{ ...LOCK, Turn: 2 },
			{ ...LOCK, Seq: 1 },
			{ ...LOCK, Time: 1003 },
			{ ...LOCK, Presence: false },
			{ ...LOCK, Tx: true },
			lock({ JobId: "gone" }),
		];
		for (const other of others) {
			watching((watch, _, pause) => {
				watch.meet(LOCK);
				pause(3.6);
				watch.meet(other);
				expect(watch.prove()).to.equal(undefined);
			});
		}
	});

	it("asks for the lock at once and every 4 s, for a new one at once too, and no more once the load is over", () => {
		watching((watch, holder, pause) => {
			watch.meet(LOCK);
			pause(9);
			expect(holder.requests).to.equal(3);
			watch.meet({ ...LOCK, Token: "t2" });
			pause(1);
			expect(holder.requests).to.equal(4);
			watch.stop();
			pause(20);
			watch.meet({ ...LOCK, Token: "t3" });
			pause(20);
			expect(holder.requests).to.equal(4);
		});
	});
};
