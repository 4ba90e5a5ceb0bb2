import { playSeed, runSeed } from "../../simulation/runSeed";

/** As many as fit some twenty seconds of an idle machine. */
const SEEDS = 40;
const CHUNK = 10;

// Invariants I1 to I5, I11 to I16 of session locks, over games that nobody chose.
export = () => {
	describe("sessions under random faults", () => {
		for (let first = 1; first <= SEEDS; first += CHUNK) {
			it(`keep every rule, seeds ${first} to ${first + CHUNK - 1}`, () => {
				for (let seed = first; seed < first + CHUNK; seed++) runSeed(seed);
			});
		}

		it("the same seed plays the same game", () => {
			expect(playSeed(3).trace()).to.equal(playSeed(3).trace());
		});
	});
};
