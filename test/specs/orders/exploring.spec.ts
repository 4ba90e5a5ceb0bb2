import { exploreOrders } from "../../simulation/exploreOrders";
import { Order, orderText, parseOrder } from "../../simulation/order";
import { OrderReport, playOrder } from "../../simulation/playOrder";
import { SMALL_CASES } from "../../simulation/smallCases";
import { hashOf } from "../../simulation/traceHash";

const [trade] = SMALL_CASES;

/** A case of three decisions between so many each; remembers what was played, and breaks a rule in one order. */
function fakeCase(played: Array<string>, options: ReadonlyArray<number>, broken?: string) {
	return (_: unknown, order: Order): OrderReport => {
		const text = orderText(order);
		played.push(text);
		return { options, violations: [], failure: text === broken ? "broken" : undefined, trace: () => "" };
	};
}

// All interleavings of small cases: each order up to the bound is played once, what the bound leaves out is counted, and
// an order that fails can be played again exactly.
export = () => {
	it("every order up to the depth is played once, and those one further are counted", () => {
		const played = new Array<string>();
		const explored = exploreOrders(trade, { depth: 2 }, fakeCase(played, [2, 1, 3]));
		expect(played.join(" ")).to.equal("plain 0=1 0=1,2=1 0=1,2=2 2=1 2=2");
		expect(explored.orders).to.equal(6);
		expect(explored.beyond).to.equal(0);
		const flat = exploreOrders(trade, { depth: 1 }, fakeCase([], [2, 1, 3]));
		expect(flat.orders).to.equal(4);
		expect(flat.beyond).to.equal(2);
	});

	it("the parts together play what the whole does", () => {
		let orders = 0;
		for (let part = 0; part < 3; part++) {
			orders += exploreOrders(trade, { depth: 2, part, parts: 3 }, fakeCase([], [2, 3, 2, 4])).orders;
		}
		expect(orders).to.equal(exploreOrders(trade, { depth: 2 }, fakeCase([], [2, 3, 2, 4])).orders);
	});

	it("the first order that breaks a rule is told, and ends it", () => {
		const played = new Array<string>();
		const { failed } = exploreOrders(trade, { depth: 2 }, fakeCase(played, [2, 1, 3], "0=1,2=1"));
		expect(failed?.order).to.equal("0=1,2=1");
		expect(played[played.size() - 1]).to.equal("0=1,2=1");
	});

	it("an order that was printed plays the same calls again, and another one others", () => {
		const hashes = ["plain", "4=1", "4=2", "7=3,9=1"].map((text) => {
			const order = parseOrder(text);
			expect(orderText(order)).to.equal(text);
			const hash = hashOf(playOrder(trade, order).trace());
			expect(hashOf(playOrder(trade, order).trace())).to.equal(hash);
			return hash;
		});
		expect(new Set(hashes).size()).to.equal(hashes.size());
	});

	it("an order that does not fit its case is refused", () => {
		expect(() => parseOrder("4=1,x")).to.throw("no part of an order");
		expect(playOrder(trade, parseOrder("4=99")).failure?.find("has only", 1, true)[0]).to.be.ok();
	});
};
