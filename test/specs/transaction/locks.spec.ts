import { ok } from "../../../src/result";
import { LocklessParticipant } from "../../../src/transaction/locklessParticipant";
import { Tx } from "../../../src/transaction/participant";
import { takeLocks } from "../../../src/transaction/txLocks";
import { simulate } from "../../cloud/simulate";

const TX: Tx = { id: "tx", retry: { attempts: 1, base: 1 } };

export = () => {
	// Rule 6.5 and scenario 24: who waits holds only locks that come before, so nobody waits for anybody in a ring.
	it("rule 6.5: of the locks that others have, the first in the order is waited for, with all later ones given back", () => {
		simulate({}, (world) => {
			const server = world.startServer();
			const held = new Set<string>();
			const waits = new Array<string>();
			const places = [
				["Market", "A"],
				["Guilds", "H"],
				["Market", "B"],
				["Guilds", "G"],
			];
			const participants = places.map(([store, key]) => {
				const isBusy = key !== "G" && key !== "B";
				const fake = {
					store,
					key,
					heldSince: server.platform.clock(),
					lock(_: unknown, isWaiting: boolean) {
						if (isWaiting) waits.push(`${key} holding ${[...held].sort().join("")}`);
						if (isBusy && !isWaiting) return ok("busy");
						held.add(key);
						return ok("taken");
					},
					giveBack() {
						held.delete(key);
					},
				};
				return fake as unknown as LocklessParticipant<object>;
			});
			const problem = server.run(() => takeLocks(server.platform, TX, participants, () => true));
			expect(problem).to.equal(undefined);
			expect(waits.join(", ")).to.equal("H holding G, A holding GH");
			expect([...held].sort().join("")).to.equal("ABGH");
		});
	});
};
