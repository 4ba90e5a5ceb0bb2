import { Fault } from "../../cloud/faults";
import { FOLLOWS } from "./follows";
import { CASTS, House, Parties, Party, withParties } from "./parties";
import { Step, stepsOf } from "./steps";

/**
 * Seconds after which a write lands: between the transaction's next rounds, after its answer, after the cleaning saves and
 * the marker's removal, after the release, after the next load or fetch, after what is written there.
 */
const LANDS_AFTER = [0.02, 0.05, 0.1, 0.2, 0.5, 1.5, 2.5, 3.5, 6, 12, 30];

type Effect = "landLate" | "duplicate" | "both";

function faultsOf(parties: Parties, { where }: Step, effect: Effect, seconds: number): void {
	const fault = { ...where, durableOnly: true, count: 1 };
	if (effect !== "both") {
		parties.fault({ ...fault, effect, seconds });
		return;
	}
	// The first try lands late, and so does the next one, which finds what the first one left.
	parties.fault({ ...fault, effect: "landLate", seconds });
	parties.fault({ ...fault, effect: "landLate", seconds: seconds + 0.1 });
}

/** The transaction, the saves after it, and its server's end. */
function live(parties: Parties): void {
	const { world, host, profiles } = parties;
	const began = world.now();
	const at = (seconds: number) => world.wait(math.max(0, began + seconds - world.now()));
	parties.start();
	parties.answered();
	at(1);
	for (const profile of profiles) host.server.spawn(() => profile.save());
	at(3);
	host.close();
}

/** Another server reads and writes every key, and lets go of it. */
function visit(parties: Parties, house: House): void {
	FOLLOWS[0].run(parties, [house]);
	for (const party of parties.cast) {
		if (!party.isLockless) continue;
		const profile = house.lockless(party);
		house.server.run(() => profile.update((data) => ({ ...data }))).unwrap();
		house.server.run(() => profile.save()).unwrap();
	}
	house.close();
}

function check(cast: ReadonlyArray<Party>, step: Step, effect: Effect, seconds: number): void {
	withParties(cast, (parties, fresh, world) => {
		faultsOf(parties, step, effect, seconds);
		live(parties);
		visit(parties, fresh[0]);
		world.wait(40);
		visit(parties, fresh[1]);
		parties.checkAnswer(parties.audit());
	});
}

// Protocol section 8: every write of a transaction lands late, once and twice, at every later step.
export = () => {
	const effects: ReadonlyArray<readonly [Effect & Fault["effect"], string] | readonly ["both", string]> = [
		["landLate", "lands late, after its caller heard an error"],
		["duplicate", "lands a second time"],
		["both", "lands late, and its second try too"],
	];
	for (const [name, cast] of CASTS) {
		for (const step of stepsOf(cast)) {
			for (const [effect, how] of effects) {
				describe(`section 8, ${name}: ${step.title} ${how}`, () => {
					for (const seconds of LANDS_AFTER)
						it(`${seconds} s later`, () => check(cast, step, effect, seconds));
				});
			}
		}
	}
};
