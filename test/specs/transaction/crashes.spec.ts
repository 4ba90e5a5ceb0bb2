import { FOLLOWS, Follow } from "./follows";
import { CASTS, House, must, Outcome, Parties, Party, withParties } from "./parties";
import { Step, stepsOf } from "./steps";

/** Read on fresh servers, then written there: one outcome, nothing left on the records, and the answer was true. */
function finish(parties: Parties, fresh: ReadonlyArray<House>, follow: Follow, expected: Outcome | undefined): void {
	const seen = follow.run(parties, fresh);
	must(expected === undefined || seen === expected, `it was read as ${seen}, not as ${expected}`);
	for (const party of parties.cast) if (party.isLockless) touch(parties, fresh[0], party);
	for (const house of fresh) house.close();
	parties.checkAnswer(parties.audit(seen));
}

/** A flush that changes nothing of the data. */
function touch({ world }: Parties, house: House, party: Party): void {
	const profile = house.lockless(party);
	house.server.run(() => profile.update((data) => ({ ...data }))).unwrap();
	house.server.run(() => profile.save()).unwrap();
	world.wait(0.1);
}

/** The host's saves and flushes after the answer, in a thread of their own: it may die in them. */
function saveLater({ host, profiles }: Parties): void {
	for (const profile of profiles) host.server.spawn(() => profile.save());
}

function crash(cast: ReadonlyArray<Party>, step: Step, effect: "crashBefore" | "crashAfter", follow: Follow): void {
	withParties(cast, (parties, fresh, world) => {
		parties.fault({ ...step.where, durableOnly: true, effect });
		parties.start();
		if (step.isLater === true) {
			must(parties.answered().success, "it was not committed");
			saveLater(parties);
		}
		world.waitUntil(() => !parties.host.server.alive, 60);
		must(step.isLater === true || parties.answer === undefined, "the transaction has answered");
		finish(parties, fresh, follow, effect === "crashBefore" ? step.before : step.after);
	});
}

/** The host lives, and every answer of the step is lost once. */
function loseAnswer(cast: ReadonlyArray<Party>, step: Step, follow: Follow): void {
	withParties(cast, (parties, fresh, world) => {
		const lost = parties.fault({ ...step.where, durableOnly: true, count: 1, effect: "loseAnswer" });
		parties.start();
		const answer = parties.answered();
		must(answer.success && answer.value, `it answered ${answer.success ? answer.value : answer.error}`);
		saveLater(parties);
		world.waitUntil(() => lost.hits === 1, 60);
		world.wait(5);
		parties.host.close();
		finish(parties, fresh, follow, "committed");
		const left = parties.markers();
		must(left.isEmpty() || step.where.op === "RemoveAsync", `${left.size()} markers are left`);
	});
}

/** The host lives, and from the step on its record is not reached for longer than any bound. */
function outage(
	cast: ReadonlyArray<Party>,
	step: Step,
	effect: "failBefore" | "loseAnswer" | "landLate",
	follow: Follow,
): void {
	withParties(cast, (parties, fresh, world) => {
		const { store, key, nth, op } = step.where;
		const first = parties.fault({ ...step.where, durableOnly: true, count: 1, effect, seconds: 50 });
		parties.fault({
			store,
			key,
			op,
			durableOnly: true,
			nth: (nth ?? 1) + 1,
			effect: "failBefore",
			until: world.now() + 40,
		});
		parties.start();
		world.waitUntil(() => first.hits > 0 || parties.answer !== undefined, 60);
		parties.answered();
		saveLater(parties);
		world.wait(1);
		const { answer } = parties;
		if (step.before === "committed")
			must(answer!.success, `a decided one answered ${!answer!.success ? answer!.error : ""}`);
		world.wait(120);
		parties.host.close();
		finish(parties, fresh, follow, undefined);
	});
}

// Section 6 and the seed's protocol: every durable step, every cast, every reader; none left out.
export = () => {
	for (const [name, cast] of CASTS) {
		for (const step of stepsOf(cast)) {
			describe(`${name}: the server dies right before ${step.title}`, () => {
				for (const follow of FOLLOWS)
					it(`then ${follow.title}`, () => crash(cast, step, "crashBefore", follow));
			});
			describe(`${name}: the server dies right after ${step.title}`, () => {
				for (const follow of FOLLOWS) it(`then ${follow.title}`, () => crash(cast, step, "crashAfter", follow));
			});
			describe(`${name}: the answer of ${step.title} is lost`, () => {
				for (const follow of FOLLOWS) it(`then ${follow.title}`, () => loseAnswer(cast, step, follow));
			});
			for (const effect of ["failBefore", "loseAnswer", "landLate"] as const) {
				describe(`${name}: ${step.title} is not answered within its bound (${effect})`, () => {
					const [first] = FOLLOWS;
					it(`then ${first.title}`, () => outage(cast, step, effect, first));
				});
			}
		}
	}
};
