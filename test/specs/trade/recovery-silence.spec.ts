import { expectText } from "../driver/playerGame";
import { CUTS, Cut, isUnreferenced } from "./recoveries";
import { KEYS, must, settle, Setting, Side, SIDES, STORE, withTraders } from "./traders";

/** Bounds of the crash wait in seconds: seed "Lock handoff", and what slower answers add. */
const WAITS: ReadonlyArray<readonly [profile: "fast" | "live", seconds: number]> = [
	["fast", 16],
	["live", 18],
];

/** Both join a server each at the moment of the crash; every one's seconds until the profile was there. */
function joinAtOnce(cut: Cut, beat: number, setting: Setting): ReadonlyMap<Side, number> {
	const waited = new Map<Side, number>();
	withTraders((traders, fresh, world) => {
		world.wait(beat);
		cut.make(traders);
		const since = world.now();
		const mayLeaveJournal = isUnreferenced(traders);
		// Young locks that speak of beats: nothing but the proof of silence passes them.
		for (const side of SIDES) must(traders.record(side).Lock!.Presence === true, `${side}'s lock has no flag`);
		const { jobId } = traders.host.server;
		SIDES.forEach((side, index) => {
			const market = fresh[index];
			market.server.spawn(() => {
				const { profile, cause } = market.join(side);
				must(profile !== undefined, `${side} is not in: ${cause}`);
				must(traders.check(profile, side) === cut.outcome, `${side} is not ${cut.outcome}`);
				waited.set(side, world.now() - since);
				const took = `took the lock of "${KEYS[side]}" in store "${STORE}" from server ${jobId}, which stopped beating`;
				expectText(market.server.warnings.join(), took);
				must(market.server.warnings.size() === 1, "it warned more than once");
			});
		});
		world.waitUntil(() => waited.size() === 2, 60);
		settle(traders, fresh);
		traders.audit(cut.outcome, mayLeaveJournal);
	}, setting);
	return waited;
}

// Seeds "Transaction recovery" and "Lock handoff": after a crash, whoever takes the lock has recovered within the crash wait.
export = () => {
	for (const cut of CUTS) {
		for (const [profile, bound] of WAITS) {
			describe(`the seed's crash wait, a trade cut ${cut.title}, ${profile}`, () => {
				for (const beat of [0, 1, 2]) {
					it(`both are in, recovered, within ${bound} s; ${beat} s into a beat`, () => {
						for (const [side, seconds] of joinAtOnce(cut, beat, { profile })) {
							must(seconds <= bound, `${side} waited for ${seconds} s`);
							must(seconds >= 7, `${side} was in after ${seconds} s, before its beats ran out`);
						}
					});
				}
			});
		}
	}
};
