import Table from "cli-table3";
import { type Hunted, isCaught } from "./hunt.ts";

function outcomeOf({ caught, problem }: Hunted, fileOf: (path: string) => string): string {
	if (problem !== undefined) return problem;
	if (caught === undefined) return "SURVIVED";
	if (caught.kind === "seed") return `the search, after ${caught.seed} seed${caught.seed === 1 ? "" : "s"}`;
	return `${fileOf(caught.path).replace(/^test\/specs\//, "")}: ${caught.name}`;
}

/** One mutant's end, as it comes. */
export function huntLine(one: Hunted): string {
	const sign = isCaught(one) ? "✔" : "✖";
	const end = isCaught(one) ? "" : `: ${one.problem ?? "nothing noticed it"}`;
	return `${sign} ${one.mutant.name}${end} (${one.seconds.toFixed(1)} s)`;
}

/** What became of each mutant. */
export function huntTable(
	hunted: ReadonlyArray<Hunted>,
	fileOf: (path: string) => string,
	columns = process.stdout.columns ?? 160,
): string {
	const free = Math.max(60, columns - 40);
	const table = new Table({
		head: ["", "mutant", "rule", "caught by", "seconds"],
		style: { head: [], border: [], compact: true },
		colAligns: ["left", "left", "left", "left", "right"],
		colWidths: [4, Math.floor(free * 0.4), 24, Math.ceil(free * 0.6), 9],
		wordWrap: true,
	});
	for (const one of hunted) {
		const { mutant, seconds } = one;
		table.push([isCaught(one) ? "✔" : "✖", mutant.name, mutant.rule, outcomeOf(one, fileOf), seconds.toFixed(1)]);
	}
	return table.toString();
}
