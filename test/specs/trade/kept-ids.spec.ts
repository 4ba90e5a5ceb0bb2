import { Result } from "../../../src/result";
import { trade, TradeResult } from "../../../src/trade/trade";
import { expectText } from "../driver/playerGame";
import { Market, must, SIDES, Traders, withTraders } from "./traders";

/** How many ids a record keeps (seed "Transactions"). */
const KEPT = 200;

/** A trade of this id on any server that changes nothing else; counts the runs of its function. */
function repeated(market: Market, id: string, runs = { count: 0 }): Result<TradeResult> {
	const [a, b] = SIDES.map((side) => market.driver.get(side === "A" ? "Player_1" : "Player_2")!);
	return market.server.run(() =>
		trade(
			a,
			b,
			(mine, yours) => {
				runs.count += 1;
				return [{ ...mine }, { ...yours }];
			},
			{ id },
		),
	);
}

function mustBeDuplicate(market: Market, id: string): void {
	const runs = { count: 0 };
	const answer = repeated(market, id, runs);
	must(!answer.success && answer.error.type === "duplicate_id", `${id} was traded again: ${answer}`);
	must(runs.count === 0, `the function of ${id} ran`);
}

function noted(traders: Traders): ReadonlyArray<number> {
	return SIDES.map((side) => traders.record(side).Meta.TransactionIds!.size());
}

// Seed "Transactions": the last 200 ids of each record, oldest out by count; invariant I10 for as long as they last.
export = () => {
	describe("201 trades of the same two", () => {
		it("the 200 newest are duplicates here and elsewhere, the oldest is forgotten and trades again", () => {
			withTraders(
				(traders, [fresh], world) => {
					const { host } = traders;
					for (let nth = 1; nth <= KEPT + 1; nth++) {
						const answer = repeated(host, `sale-${nth}`);
						must(answer.success && answer.value.outcome === "committed", `sale-${nth}: ${answer}`);
					}
					expect(noted(traders).join()).to.equal(`${KEPT}, ${KEPT}`);
					const since = world.now();
					for (let nth = 2; nth <= KEPT + 1; nth++) mustBeDuplicate(host, `sale-${nth}`);
					expect(world.trace.durableWrites({ server: host.server, since })).to.equal(0);
					host.empty();
					for (const side of SIDES) fresh.joined(side);
					for (let nth = 2; nth <= KEPT + 1; nth++) mustBeDuplicate(fresh, `sale-${nth}`);
					expect(repeated(fresh, "sale-1").success).to.equal(true);
					// It is the newest now, and the one that was the oldest is forgotten.
					mustBeDuplicate(fresh, "sale-1");
					expect(repeated(fresh, "sale-2").success).to.equal(true);
					expect(noted(traders).join()).to.equal(`${KEPT}, ${KEPT}`);
					expectText(traders.record("A").Meta.TransactionIds!.join(), "sale-201, sale-1, sale-2");
					expect(traders.journalKeys().size()).to.equal(0);
				},
				{ switches: { limits: false } },
			);
		});
	});
};
