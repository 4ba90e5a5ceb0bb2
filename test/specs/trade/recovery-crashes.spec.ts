import { FOLLOWS, Follow, must, settle } from "./traders";
import { Cut, CUTS, isUnreferenced, letIn, placeOf, withCut, writtenAt } from "./recoveries";

const JOIN_SECONDS = 60;
/** Each one first, each on a server of its own, each on both. */
const [AB, BA, APART, TWICE] = FOLLOWS;

/** The recovering server dies at its `index`th write, and others let both in. */
function crash(cut: Cut, index: number, effect: "crashBefore" | "crashAfter", follow: Follow): void {
	withCut(cut, (traders, recoverer, others) => {
		const { world } = traders;
		const { server } = recoverer;
		const fault = traders.fault({ ...placeOf(traders, cut, index), server, durableOnly: true, effect });
		letIn(traders, recoverer);
		world.waitUntil(() => fault.hits > 0, JOIN_SECONDS);
		must(!server.alive, "the recovering server lives");
		const mayLeaveJournal = isUnreferenced(traders);
		follow.run(traders, others);
		settle(traders, others);
		traders.audit(cut.outcome, mayLeaveJournal);
	});
}

/** It does not hear the answer, and goes on. */
function loseAnswer(cut: Cut, index: number, follow: Follow): void {
	withCut(cut, (traders, recoverer, others) => {
		const { world } = traders;
		const { server } = recoverer;
		const mayLeaveJournal = isUnreferenced(traders);
		const place = placeOf(traders, cut, index);
		const fault = traders.fault({ ...place, server, durableOnly: true, count: 1, effect: "loseAnswer" });
		const seen = letIn(traders, recoverer);
		world.waitUntil(() => seen() !== undefined, JOIN_SECONDS);
		must(fault.hits === 1, "no answer was lost");
		must(seen() === cut.outcome, `both were shown as ${seen()}`);
		settle(traders, [recoverer], 2);
		follow.run(traders, others);
		settle(traders, others);
		traders.audit(cut.outcome, mayLeaveJournal);
	});
}

// Section 8 for recovery's own writes: every one of them, none left out.
export = () => {
	for (const cut of CUTS) {
		const { title, writes } = cut;
		describe(`section 8, a trade cut ${title}, and its recovery`, () => {
			it("writes what the table says, and nothing else", () => {
				withCut(cut, (traders, recoverer) => {
					const since = traders.world.now();
					const seen = letIn(traders, recoverer);
					traders.world.waitUntil(() => seen() !== undefined, JOIN_SECONDS);
					const [found, listed] = [writtenAt(traders, recoverer, since), writes.map(({ at }) => at)];
					must(found.join() === listed.join(), `wrote ${found.join()}, not ${listed.join()}`);
				});
			});

			// Right before a write is, in the store, right after the one ahead: each such state meets every way to go on.
			writes.forEach((write, index) => {
				for (const follow of [AB, APART]) {
					it(`the server dies right before ${write.title}; then ${follow.title}`, () =>
						crash(cut, index, "crashBefore", follow));
				}
				for (const follow of [BA, TWICE]) {
					it(`the server dies right after ${write.title}; then ${follow.title}`, () =>
						crash(cut, index, "crashAfter", follow));
				}
				it(`the answer of ${write.title} is lost; then ${AB.title}`, () => loseAnswer(cut, index, AB));
			});
		});
	}
};
