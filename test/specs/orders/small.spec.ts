import { exploreOrders } from "../../simulation/exploreOrders";
import { SMALL_CASES } from "../../simulation/smallCases";

// Beside random seeds, all interleavings of small cases: every order of arrive, apply and respond up to a bound, in which
// every invariant I1 to I16 holds. `npm run simulate -- --small` goes deeper.
export = () => {
	for (const small of SMALL_CASES) {
		it(`every order of "${small.name}" with at most one decision changed keeps every rule`, () => {
			const { orders, failed } = exploreOrders(small, { depth: 1 });
			if (failed !== undefined)
				error(`${failed.failure}\nAgain: --small ${small.name} --order ${failed.order}`, 0);
			// Each decision of the plain order can put off what is next, or crash either server.
			expect(orders > 20).to.equal(true);
		});
	}
};
