import { CASTS, House, must, Parties, Party, Purse, withParties } from "./parties";
import { Step, stepsOf } from "./steps";

/** What a reader of the other kind answered: the type of its error, or what it was given. */
type Answer = { readonly refused: string } | { readonly coins: number };

/** A lockless write of a session-locked key; a load without waiting of a lockless one. Yields. */
function useWrongly(house: House, { store, key, isLockless }: Party): Answer {
	const driver = house.driver(store);
	if (isLockless) {
		const loaded = house.server.run(() => driver.load(key));
		if (!loaded.success) return { refused: loaded.error.type };
		const { coins } = loaded.value.data;
		house.server.run(() => loaded.value.release()).unwrap();
		return { coins };
	}
	const profile = house.server.run(() => driver.lockless(key)).unwrap();
	house.server.run(() => profile.update((data) => ({ ...data }))).unwrap();
	const saved = house.server.run(() => profile.save());
	const answer = saved.success ? { coins: profile.data!.coins } : { refused: saved.error.type };
	house.server.spawn(() => profile.close());
	return answer;
}

/** The step's write takes 5 s longer to be applied, and meanwhile another server comes to a party the wrong way. */
function check(cast: ReadonlyArray<Party>, step: Step, party: Party): void {
	withParties(cast, (parties: Parties, [fresh], world) => {
		const delayed = parties.fault({ ...step.where, count: 1, effect: "delay", seconds: 5, durableOnly: true });
		parties.start();
		if (step.isLater === true) {
			parties.answered();
			for (const profile of parties.profiles) parties.host.server.spawn(() => profile.save());
		}
		world.waitUntil(() => delayed.hits > 0, 30);
		const record = parties.record(party);
		const answer = useWrongly(fresh, party);
		if (!party.isLockless)
			must("refused" in answer && answer.refused === "lockless_locked", "a live lock was passed");
		else if (record.Lock !== undefined) {
			must("refused" in answer && answer.refused === "profile_locked", "a transaction's lock was passed");
		} else must("coins" in answer, "a free key was refused");
		parties.answered();
		world.wait(20);
		parties.host.close();
		fresh.close();
		world.wait(60);
		const seen = parties.readAll(parties.another());
		// Before the lock it is free; from the prepare on, what a reader was shown is decided.
		if ("coins" in answer && record.Pending !== undefined) {
			must((parties.record(party).Data as Purse).coins === answer.coins, "what was shown did not stay");
		}
		parties.checkAnswer(seen);
	});
}

// The readers that a kind does not allow give their typed error, at every step, and change nothing of the outcome.
export = () => {
	for (const [name, cast] of CASTS) {
		for (const step of stepsOf(cast)) {
			if (step.where.op === "RemoveAsync") continue;
			describe(`${name}: during ${step.title}`, () => {
				for (const party of cast) {
					const what = party.isLockless ? "a load without waiting" : "a lockless write";
					it(`${what} of ${party.key}`, () => check(cast, step, party));
				}
			});
		}
	}
};
