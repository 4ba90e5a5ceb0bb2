/**
 * In which order the moments of a small case come: at each decision but those named, the first of what could come next;
 * at those, another one of them, counted from 0.
 */
export type Order = ReadonlyMap<number, number>;

/** An order as text, `12=1,30=2`: at decision 12 the second of what could come, at decision 30 the third. Pure. */
export function orderText(order: Order): string {
	const parts = new Array<readonly [number, number]>();
	for (const [decision, choice] of order) parts.push([decision, choice]);
	parts.sort((a, b) => a[0] < b[0]);
	return parts.isEmpty() ? "plain" : parts.map(([decision, choice]) => `${decision}=${choice}`).join(",");
}

/** The order that a text names. Pure; throws where it names none. */
export function parseOrder(text: string): Order {
	const order = new Map<number, number>();
	if (text === "plain") return order;
	for (const part of text.split(",")) {
		const [decision, choice] = part.match("^(%d+)=(%d+)$");
		if (decision === undefined || choice === undefined) error(`"${part}" is no part of an order, like 12=1`, 0);
		order.set(tonumber(decision)!, tonumber(choice)!);
	}
	return order;
}
