import { exploreOrders } from "../../simulation/exploreOrders";
import { SMALL_CASES } from "../../simulation/smallCases";

/** Cases of few moments, which are followed further here. */
const DEEPER: ReadonlyArray<string> = ["leave"];

// Beside random seeds, all interleavings of small cases: every order of arrive, apply and respond up to a bound, in which
// every invariant I1 to I16 holds. `npm run simulate -- --small` goes deeper.
export = () => {
	for (const small of SMALL_CASES) {
		const depth = DEEPER.includes(small.name) ? 2 : 1;
		it(`every order of "${small.name}" with at most ${depth} changed keeps every rule`, () => {
			const { orders, failed } = exploreOrders(small, { depth });
			if (failed !== undefined)
				error(`${failed.failure}\nAgain: --small ${small.name} --order ${failed.order}`, 0);
			// Each decision of the plain order has a long wait and the crash of either server besides what is next.
			expect(orders > 20).to.equal(true);
		});
	}
};
