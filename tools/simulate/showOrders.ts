import type { OrdersReport } from "../host/protocol.ts";

/** An order that breaks a rule, how to play it again, and what happened. */
export function orderFailureText({ case: name, order, failure = "" }: OrdersReport): string {
	return `An order of the small case "${name}" breaks a rule. Again: npm run simulate -- --small ${name} --order ${order}\n${failure}`;
}

/** How many orders of each case were played, and what the depth left out. */
export function ordersText(reports: ReadonlyArray<OrdersReport>, depth: number): string {
	const names = [...new Set(reports.map((report) => report.case))];
	return names
		.map((name) => {
			const own = reports.filter((report) => report.case === name);
			const sum = (of: (report: OrdersReport) => number): number => own.reduce((all, each) => all + of(each), 0);
			const decisions = Math.max(...own.map((report) => report.decisions));
			const beyond = sum((report) => report.beyond);
			const cut =
				beyond > 0 ? `cut by the depth: ${beyond} orders with ${depth + 1} are not played` : "nothing is cut";
			const failures = own.filter(({ failure }) => failure !== undefined).length;
			return (
				`${name}: ${sum(({ orders }) => orders)} orders with at most ${depth} of up to ${decisions} decisions changed; ` +
				`${cut}; ${failures} failed`
			);
		})
		.join("\n");
}
