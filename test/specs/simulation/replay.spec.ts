import { Injection } from "../../simulation/injections";
import { playSeed, SeedOptions, SeedReport } from "../../simulation/runSeed";
import { shrink } from "../../simulation/shrink";
import { hashOf } from "../../simulation/traceHash";

/** A game of ten things going wrong, which breaks a rule where `needed` are among them. */
function fakeGame(needed: ReadonlyArray<string>) {
	return (seed: number, { spared = new Set() }: SeedOptions = {}): SeedReport => {
		const injections = new Array<Injection>();
		for (const source of ["pause", "W1"]) {
			for (let number = 1; number <= 5; number++) {
				const name = `${source}#${number}`;
				if (!spared.has(source) && !spared.has(name)) injections.push({ name, source, text: name, at: number });
			}
		}
		const isBroken = needed.every((name) => injections.some((each) => each.name === name));
		// Another rule, broken whatever happens, is another failure.
		const text = isBroken ? `deposit ${injections.size()} is gone` : "something else";
		return {
			seed,
			mood: "stormy",
			failure: text,
			violations: [{ at: 0, key: "Player_1", text }],
			injections,
			serverSeconds: 0,
			writes: 0,
			counts: [],
			trace: () => "",
		};
	};
}

function namesOf({ injections }: SeedReport): string {
	return injections.map(({ name }) => name).join();
}

// What a failing seed tells: the same game again, and as little as possible of what has to go wrong in it.
export = () => {
	it("the same seed plays the same game, call by call", () => {
		for (const seed of [3, 8]) {
			const hash = hashOf(playSeed(seed).trace());
			expect(hash).to.equal(hashOf(playSeed(seed).trace()));
			expect(hash === hashOf(playSeed(seed + 1).trace())).to.equal(false);
		}
	});

	it("what is spared does not happen", () => {
		const whole = playSeed(2);
		const [first] = whole.injections;
		expect(first).to.be.ok();
		const without = playSeed(2, { spared: new Set([first.source]) });
		expect(without.injections.some(({ source }) => source === first.source)).to.equal(false);
	});

	it("the shortest list that still breaks the same rule is found", () => {
		const play = fakeGame(["W1#2", "pause#4"]);
		expect(namesOf(shrink(play(1), () => true, play).report)).to.equal("pause#4, W1#2");
		const alone = fakeGame(["W1#5"]);
		expect(namesOf(shrink(alone(1), () => true, alone).report)).to.equal("W1#5");
	});

	it("shrinking ends when its time is over, with what it has", () => {
		const play = fakeGame(["W1#2"]);
		let games = 0;
		const shrunk = shrink(play(1), () => games++ < 1, play);
		expect(shrunk.games).to.equal(1);
		expect(namesOf(shrunk.report)).to.equal("W1#1, W1#2, W1#3, W1#4, W1#5");
	});

	it("a hash tells texts apart by every byte and its place", () => {
		const long = string.rep("a", 5000);
		const texts = ["", "a", "b", "ab", "ba", long, `${long}b`, `b${long}`];
		const hashes = new Set(texts.map((text) => hashOf(text)));
		expect(hashes.size()).to.equal(texts.size());
	});
};
