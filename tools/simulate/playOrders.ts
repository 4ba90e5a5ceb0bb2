import type { OrdersReport } from "../host/protocol.ts";
import { workOn } from "./work.ts";

/** Pieces that a case's orders are cut into: more than there are workers, as they differ in size. */
const PARTS = 40;

export interface OrdersOptions {
	readonly workers: number;
	/** How many decisions of an order may differ from the plain one. */
	readonly depth: number;
	/** The only case to play; default all. */
	readonly only?: string;
	/** The only order of that case to play. */
	readonly order?: string;
	readonly trace?: boolean;
	readonly onReport: (report: OrdersReport) => void;
	readonly onLog: (text: string) => void;
}

/** Plays the small cases in every order up to a depth, on several workers; what is left of a case that failed is left out. */
export async function playOrders(place: string, options: OrdersOptions): Promise<void> {
	const failed = new Set<string>();
	let pieces: Array<{ readonly name: string; readonly part: string }> | undefined;
	await workOn(options.workers, {
		place,
		program: "orders",
		argument: { depth: String(options.depth), parts: String(PARTS), trace: options.trace === true ? "yes" : "" },
		next: () => {
			for (;;) {
				const piece = pieces?.shift();
				if (piece === undefined || !failed.has(piece.name)) return piece && `${piece.name} ${piece.part}`;
			}
		},
		onEvent: (event) => {
			if (event.type === "log") options.onLog(event.text);
			else if (event.type === "smallCases") pieces ??= piecesOf(event.names, options);
			else if (event.type === "orders") {
				if (event.report.failure !== undefined) failed.add(event.report.case);
				options.onReport(event.report);
			}
		},
	});
}

function piecesOf(names: ReadonlyArray<string>, { only, order }: OrdersOptions) {
	if (only !== undefined && !names.includes(only))
		throw new Error(`there is no small case ${only}: there are ${names.join(", ")}`);
	const chosen = only !== undefined ? [only] : names;
	if (order !== undefined) return chosen.map((name) => ({ name, part: order }));
	return chosen.flatMap((name) => Array.from({ length: PARTS }, (_, part) => ({ name, part: String(part) })));
}
