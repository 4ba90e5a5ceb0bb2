import { House, must, Outcome, Parties, Party } from "./parties";

/** Seconds after which everybody may have the transaction decided: `txTtl`, and some. */
const EXPIRY_SECONDS = 70;

/** How the parties are read after an interruption. */
export interface Follow {
	readonly title: string;
	/** Yields; what all readers agree on. */
	readonly run: (parties: Parties, fresh: ReadonlyArray<House>) => Outcome;
}

function reversed(cast: ReadonlyArray<Party>): ReadonlyArray<Party> {
	return cast.map((_, index) => cast[cast.size() - 1 - index]);
}

/** Peeked at, each read by its own kind of reader, and peeked at again: nobody sees another outcome than the others. */
function peekAndRead(parties: Parties, house: House, order: ReadonlyArray<Party>): Outcome {
	const glimpsed = parties.peekAll(house);
	const seen = order.map((party) => parties.outcomeOf(house.read(party), party));
	must(
		seen.every((outcome) => outcome === glimpsed),
		`peek showed ${glimpsed}, the readers ${seen.join(", ")}`,
	);
	must(parties.peekAll(house) === glimpsed, "peek went back");
	return glimpsed;
}

/** Every reader that a kind allows, in either order, by two servers at once, before and after `txTtl`. */
export const FOLLOWS: ReadonlyArray<Follow> = [
	{ title: "all are read on a fresh server", run: (parties, [one]) => peekAndRead(parties, one, parties.cast) },
	{
		title: "all are read in the other order",
		run: (parties, [one]) => peekAndRead(parties, one, reversed(parties.cast)),
	},
	{
		title: "all are read after txTtl",
		run: (parties, [one]) => {
			parties.world.wait(EXPIRY_SECONDS);
			return peekAndRead(parties, one, parties.cast);
		},
	},
	{
		title: "two servers read them at once, each in its own order",
		run: (parties, houses) => {
			const { world, cast } = parties;
			const seen = new Array<Outcome>();
			houses.forEach((house, index) =>
				house.server.spawn(() => {
					for (const party of index === 0 ? cast : reversed(cast)) {
						if (!party.isLockless) {
							// The other one has it open as long as it likes; each lets go of it again.
							const profile = house.load(party).unwrap();
							seen.push(parties.outcomeOf(profile.data, party));
							profile.release();
						} else seen.push(parties.outcomeOf(house.read(party), party));
					}
				}),
			);
			world.waitUntil(() => seen.size() === 2 * cast.size(), 900);
			must(
				seen.every((outcome) => outcome === seen[0]),
				`the readers saw ${seen.join(", ")}`,
			);
			return seen[0];
		},
	},
];
