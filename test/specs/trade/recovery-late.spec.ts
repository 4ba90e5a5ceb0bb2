import { trade } from "../../../src/trade/trade";
import { FOLLOWS, Market, must, settle, SIDES, TRADE_ID } from "./traders";
import { Cut, CUTS, isUnreferenced, letIn, placeOf, withCut } from "./recoveries";

/** What follows both loads, and how many durable writes it makes: see {@link live}. */
const LATER: ReadonlyArray<readonly [title: string, writes: number]> = [
	["the next saves", 2],
	["the next trade's prepares", 3],
	["the next trade's end", 4],
	["the releases", 2],
	["the next loads", 2],
];

/** Both save, trade again and leave. Yields. */
function live({ server, driver }: Market): void {
	const profiles = server.players().map((player) => driver.get(`Player_${player.UserId}`)!);
	must(profiles.size() === 2, "not both are in");
	for (const profile of profiles) {
		// New to the driver, and the same.
		server.run(() => profile.update((data) => ({ ...data }))).unwrap();
		server.run(() => profile.save()).unwrap();
	}
	const [a, b] = profiles;
	const answer = server.run(() => trade(a, b, (mine, yours) => [{ ...mine }, { ...yours }], { id: "swap-2" }));
	must(answer.success && answer.value.outcome === "committed", `the next trade answered ${answer}`);
}

/** The numbers from 1 to `last`. */
function upTo(last: number): ReadonlyArray<number> {
	const numbers = new Array<number>();
	for (let each = 1; each <= last; each++) numbers.push(each);
	return numbers;
}

/** Durable writes that follow the `index`th of a recovery, to the next loads. */
function following({ writes }: Cut, index: number): number {
	return LATER.reduce((sum, [, count]) => sum + count, writes.size() - 1 - index);
}

/** The recovery's `index`th write lands, again or for the first time, after so many others; both live on, and move on. */
function check(cut: Cut, index: number, effect: "landLate" | "duplicate", afterWrites: ReadonlyArray<number>): void {
	withCut(cut, (traders, recoverer, others) => {
		const { world } = traders;
		const { server } = recoverer;
		const mayLeaveJournal = isUnreferenced(traders);
		const place = placeOf(traders, cut, index);
		const fault = traders.fault({ ...place, server, durableOnly: true, count: 1, effect, afterWrites });
		const seen = letIn(traders, recoverer);
		world.waitUntil(() => seen() !== undefined, 60);
		must(fault.hits === 1, "no write was late");
		must(seen() === cut.outcome, `both were shown as ${seen()}`);
		live(recoverer);
		settle(traders, [recoverer], 2);
		FOLLOWS[0].run(traders, others);
		world.wait(1);
		must(world.faults.awaited() === 0, `${world.faults.awaited()} landings never came`);
		settle(traders, others, 2);
		FOLLOWS[1].run(traders, [others[1]]);
		settle(traders, others);
		traders.audit(cut.outcome, mayLeaveJournal);
		const ids = cut.outcome === "committed" ? `${TRADE_ID}, swap-2` : "swap-2";
		for (const side of SIDES) {
			const noted = traders.record(side).Meta.TransactionIds!.join();
			must(noted === ids, `${side} notes ${noted}`);
		}
	});
}

// Section 8 for recovery's own writes: late and doubled, at every later step.
export = () => {
	for (const cut of CUTS) {
		cut.writes.forEach((write, index) => {
			// The locks are those of any load.
			if (write.title.find("lock", 1, true)[0] !== undefined) return;
			describe(`section 8, a trade cut ${cut.title}: ${write.title} of its recovery`, () => {
				it("lands again after every later write", () =>
					check(cut, index, "duplicate", upTo(following(cut, index))));
				it("is late, and lands after its second try and every later write", () =>
					check(cut, index, "landLate", upTo(following(cut, index) + 1)));

				let after = 1;
				const late = (title: string): void => {
					const writes = after;
					it(`lands late, after ${title}`, () => check(cut, index, "landLate", [writes]));
				};
				late("its second try");
				cut.writes.forEach((later, place) => {
					if (place <= index) return;
					after += 1;
					late(later.title);
				});
				for (const [title, count] of LATER) {
					after += count;
					late(title);
				}
			});
		});
	}
};
