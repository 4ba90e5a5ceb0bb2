import type { SeedReport } from "../host/protocol.ts";

/** A failing seed: what broke, what had to go wrong for it, and what happened. */
export function failureText(report: SeedReport): string {
	const { seed, failure = "", injections = [], injectionsBefore, games, hash } = report;
	const list = injections.length > 0 ? injections.join("\n") : "  nothing: what the players do is enough";
	const before =
		injectionsBefore !== undefined ? `, ${injections.length} of ${injectionsBefore}, found in ${games} games` : "";
	return [
		`seed ${seed} breaks a rule. Trace hash ${hash}. Again: npm run simulate -- --seed ${seed}`,
		`What has to go wrong${before}:`,
		list,
		"Its timeline then:",
		failure,
	].join("\n");
}

/** What all games came to: how much was played, what went wrong in them, and which rare states they came by. */
export function searchText(reports: ReadonlyArray<SeedReport>, rareStates: ReadonlyArray<string>): string {
	const counts = countsOf(reports);
	const sum = (of: (report: SeedReport) => number): number => reports.reduce((total, each) => total + of(each), 0);
	const row = (what: string): string =>
		`${String(counts.get(what) ?? 0).padStart(8)}  ${what.replace(/^fault /, "")}`;
	const others = [...counts.keys()].filter((what) => !rareStates.includes(what) && !what.startsWith("fault ")).sort();
	const failed = reports.filter(({ failure }) => failure !== undefined).map(({ seed }) => seed);
	return [
		"Faults that hit a call:",
		...[...counts.keys()]
			.filter((what) => what.startsWith("fault "))
			.sort()
			.map(row),
		"Whatever else happened:",
		...others.map(row),
		"Rare states reached:",
		...rareStates.map(row),
		`${reports.length} seeds, ${(sum(({ serverSeconds }) => serverSeconds) / 3600).toFixed(1)} simulated server-hours, ` +
			`${sum(({ writes }) => writes)} durable writes; ${failed.length} failed${failed.length > 0 ? `: ${failed.join(", ")}` : ""}`,
	].join("\n");
}

/** The rare states that no game came by. */
export function neverReached(
	reports: ReadonlyArray<SeedReport>,
	rareStates: ReadonlyArray<string>,
): ReadonlyArray<string> {
	const counts = countsOf(reports);
	return rareStates.filter((what) => (counts.get(what) ?? 0) === 0);
}

function countsOf(reports: ReadonlyArray<SeedReport>): Map<string, number> {
	const counts = new Map<string, number>();
	for (const report of reports) {
		for (const { what, times } of report.counts) counts.set(what, (counts.get(what) ?? 0) + times);
	}
	return counts;
}
