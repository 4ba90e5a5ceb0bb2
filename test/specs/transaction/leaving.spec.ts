import { Profile } from "../../../src/driver/profile";
import { Result } from "../../../src/result";
import { World } from "../../cloud/world";
import { FOLLOWS } from "./follows";
import { CASTS, FIVE, House, MIXED, must, Parties, Purse, TWO_LOCKED, withParties } from "./parties";
import { Step, stepsOf } from "./steps";

/** Within how many seconds of its beginning a server's shutdown is over. */
const SHUTDOWN_SECONDS = 30;

/** How a step hangs while the server closes: slow, lost, landed with no answer, or landing long after. */
const WAYS = {
	"is slow": { effect: "delay", seconds: 6 },
	"is lost": { effect: "hang" },
	"lands, and nobody hears": { effect: "hang", lands: true },
	"lands late": { effect: "landLate", seconds: 40 },
} as const;

/** Read on fresh servers, written there, and let go: one outcome, nothing left, and the answer was true. */
function finish(parties: Parties, fresh: ReadonlyArray<House>): void {
	const { world } = parties;
	const seen = FOLLOWS[0].run(parties, fresh);
	for (const house of fresh) house.close();
	world.wait(60);
	const again = parties.another();
	must(FOLLOWS[0].run(parties, [again]) === seen, "the outcome has flipped");
	for (const party of parties.cast) {
		if (!party.isLockless) continue;
		const profile = again.lockless(party);
		again.server.run(() => profile.update((data) => ({ ...data }))).unwrap();
	}
	again.close();
	parties.checkAnswer(parties.audit(seen));
}

function shutDown(cast: Parties["cast"], step: Step, way: keyof typeof WAYS, after: number): void {
	withParties(cast, (parties, fresh, world) => {
		parties.fault({ ...step.where, durableOnly: true, count: 2, ...WAYS[way] });
		parties.start();
		world.wait(after);
		const began = world.now();
		parties.host.server.shutdown();
		must(world.now() - began <= SHUTDOWN_SECONDS + 1, `it took ${world.now() - began} s`);
		finish(parties, fresh);
	});
}

/** What may happen to a participant in the middle, by its kind. */
function leave(house: House, profile: Parties["profiles"][number]): void {
	house.server.spawn(() => {
		if ("close" in profile) profile.close();
		else profile.release();
	});
}

/** The transaction with latencies that make every await visible, and `meanwhile` at each of them. */
function atEveryMoment(
	cast: Parties["cast"],
	moments: ReadonlyArray<number>,
	meanwhile: (parties: Parties, world: World) => void,
): void {
	for (const moment of moments) {
		withParties(
			cast,
			(parties, fresh, world) => {
				parties.start();
				world.wait(moment);
				meanwhile(parties, world);
				parties.answered();
				world.wait(3);
				parties.host.close();
				finish(parties, fresh);
			},
			{ profile: "live", seed: 1 + math.floor(moment * 100) },
		);
	}
}

const MOMENTS: ReadonlyArray<number> = [0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.3];

// Rule 7.1 and section 8: whoever leaves in the middle, at whichever step, all or none, and nothing is left.
export = () => {
	for (const [name, cast] of CASTS) {
		for (const step of stepsOf(cast)) {
			if (step.isLater === true) continue;
			describe(`rule 7.1, ${name}: the server closes while ${step.title}`, () => {
				for (const [way] of pairs(WAYS)) {
					it(`${way}`, () => {
						for (const after of [0, 0.2, 3]) shutDown(cast, step, way, after);
					});
				}
			});
		}
	}

	describe("one participant leaves at any moment of a transaction", () => {
		for (const [name, cast] of CASTS) {
			cast.forEach((party, index) => {
				it(`${name}: ${party.key}`, () => {
					atEveryMoment(cast, MOMENTS, ({ host, profiles }) => leave(host, profiles[index]));
				});
			});
		}
	});

	describe("two drivers, one of which closes at any moment", () => {
		for (const store of ["Players", "Guilds", "Market"]) {
			it(`that of ${store}`, () => {
				atEveryMoment(FIVE, MOMENTS, ({ host }) => host.server.spawn(() => host.driver(store).close()));
			});
		}
	});

	describe("a participant is asked for by another server at any moment", () => {
		for (const cast of [TWO_LOCKED, MIXED]) {
			it(`${cast.map(({ key }) => key).join(" and ")}`, () => {
				for (const moment of MOMENTS) {
					withParties(
						cast,
						(parties, [fresh, other], world) => {
							const [player] = parties.profiles as ReadonlyArray<Profile<Purse>>;
							player.onReleaseRequested.connect(() => player.release());
							parties.start();
							world.wait(moment);
							const seen = parties.outcomeOf(fresh.load(cast[0], 60).unwrap().data, cast[0]);
							parties.answered();
							parties.checkAnswer(seen);
							parties.host.close();
							fresh.close();
							finish(parties, [other]);
						},
						{ profile: "live", seed: 1 + math.floor(moment * 100) },
					);
				}
			});
		}
	});

	it("rule 7.2: released and taken back in the middle of it, the profile goes on with what became of it", () => {
		atEveryMoment(TWO_LOCKED, MOMENTS, ({ host, profiles }, world) => {
			const [player] = profiles as ReadonlyArray<Profile<Purse>>;
			let taken: Result<undefined> | undefined;
			host.server.spawn(() => {
				player.release();
				taken = player.reacquire();
			});
			world.waitUntil(() => taken !== undefined, 60);
			must(taken!.success, `it was not taken back: ${taken!.success ? "" : taken!.error}`);
			must(player.active, "it is not active");
		});
	});
};
