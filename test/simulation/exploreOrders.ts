import { Order, orderText } from "./order";
import { OrderReport, playOrder } from "./playOrder";
import { SmallCase } from "./smallCases";

/** How far the orders of a case are followed. */
export interface OrderBound {
	/** How many decisions of one order may differ from what comes by itself. */
	readonly depth: number;
	/** Plays only the orders whose first such decision has this number, `part` of `parts` going around; default all. */
	readonly part?: number;
	readonly parts?: number;
}

/** What the orders of a case came to. */
export interface Explored {
	/** How many were played, each once. */
	readonly orders: number;
	/** The most decisions in one of them. */
	readonly decisions: number;
	/** How many orders with one more differing decision begin within these: what the depth leaves out. */
	readonly beyond: number;
	/** The first that broke a rule; nothing was played after it. */
	readonly failed?: { readonly order: string; readonly failure: string };
}

/**
 * Plays a small case from scratch in every order that differs in at most so many decisions from the plain one: depth
 * first, each once. Ends at the first that breaks a rule.
 */
export function exploreOrders(
	small: SmallCase,
	{ depth, part = 0, parts = 1 }: OrderBound,
	play: (small: SmallCase, order: Order) => OrderReport = playOrder,
): Explored {
	let orders = 0;
	let decisions = 0;
	let beyond = 0;
	let failed: Explored["failed"];
	const visit = (order: Order, from: number): void => {
		const isRoot = order.isEmpty();
		const { options, failure } = play(small, order);
		if (!isRoot || part === 0) orders += 1;
		decisions = math.max(decisions, options.size());
		if (failure !== undefined) {
			failed = { order: orderText(order), failure };
			return;
		}
		for (let decision = from; decision < options.size(); decision++) {
			if (isRoot && decision % parts !== part) continue;
			for (let choice = 1; choice < options[decision]; choice++) {
				if (order.size() === depth) {
					beyond += 1;
					continue;
				}
				const longer = new Map<number, number>();
				for (const [at, chosen] of order) longer.set(at, chosen);
				longer.set(decision, choice);
				visit(longer, decision + 1);
				if (failed !== undefined) return;
			}
		}
	};
	visit(new Map(), 0);
	return { orders, decisions, beyond, failed };
}
