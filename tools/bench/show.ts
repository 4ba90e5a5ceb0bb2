import Table from "cli-table3";
import type { Bench, BenchCell, BenchRow, Requests } from "./cell.ts";

const WORDS: Readonly<Record<keyof Requests, readonly [one: string, many: string]>> = {
	updates: ["update", "updates"],
	sets: ["set", "sets"],
	reads: ["read", "reads"],
	removes: ["remove", "removes"],
	publishes: ["publish", "publishes"],
	subscribes: ["subscribe", "subscribes"],
	memory: ["MemoryStore", "MemoryStore"],
};

const OUTCOMES: Readonly<Record<string, string>> = {
	joined: "",
	kept: "kept",
	kicked: "kicked after ",
	stale: "old data after ",
	stolen: "taken from a live server after ",
	refused: "not kept",
};

/** At most two places, and none where they are zero. */
function figure(value: number): string {
	return String(Math.round(value * 100) / 100);
}

export function requestsText(requests: Requests): string {
	const parts = (Object.keys(WORDS) as Array<keyof Requests>)
		.filter((kind) => requests[kind] > 0)
		.map((kind) => `${figure(requests[kind])} ${WORDS[kind][figure(requests[kind]) === "1" ? 0 : 1]}`);
	return parts.length === 0 ? "none" : parts.join(", ");
}

function waitText({ text, outcome = "", seconds = 0 }: BenchCell): string {
	if (text !== undefined) return text;
	const words = OUTCOMES[outcome] ?? `${outcome} after `;
	return words === "" || words.endsWith(" ") ? `${words}${seconds.toFixed(seconds < 10 ? 2 : 1)} s` : words;
}

/** What a row says of a library: counts, or the waits of both latency profiles as "fast / live". */
function cellText(cells: ReadonlyArray<BenchCell>): string {
	const [first] = cells;
	if (first === undefined) return "";
	if (first.micros !== undefined) return cpuText(first.micros);
	if (first.requests !== undefined) {
		const text = requestsText(first.requests);
		return first.outcome === "kicked" ? `${text}, then kicked` : text;
	}
	const [fast = "", ...others] = cells.map(waitText);
	// What both did is said once.
	const words = /^.* after (?=\d)/.exec(fast)?.[0] ?? "";
	const live = others.filter((text) => text !== fast);
	return [fast, ...live.map((text) => (text.startsWith(words) ? text.slice(words.length) : text))].join(" / ");
}

const PARTS = { requests: "Requests", waits: "Waits, fast / live", cpu: "CPU of this machine" } as const;

function cpuText(micros: ReadonlyArray<number>): string {
	const texts = micros.map((value) =>
		value < 1000 ? `${value.toFixed(0)} µs` : `${(value / 1000).toFixed(value < 10000 ? 1 : 0)} ms`,
	);
	return texts.join(" / ");
}

/** The rows of the table by their parts, as texts. */
function tableRows({ rows, libraries, cells }: Bench): Array<{ part: string; lines: Array<Array<string>> }> {
	const isPlayed = ({ id }: BenchRow): boolean => cells.some((cell) => cell.row === id);
	const parts = Object.entries(PARTS).map(([part, title]) => ({
		part: title,
		lines: rows
			.filter((row) => row.part === part && isPlayed(row))
			.map(({ id, title: name, points }) => [
				points === undefined ? name : `${name}: ${points.join(" / ")}`,
				...libraries.map((library) =>
					cellText(cells.filter((cell) => cell.row === id && cell.library === library)),
				),
			]),
	}));
	return parts.filter(({ lines }) => lines.length > 0);
}

/** The table for a terminal. */
export function benchTable(bench: Bench, columns = 120): string {
	const width = Math.max(24, Math.floor((columns - 4) / (bench.libraries.length + 1)) - 3);
	const table = new Table({
		head: ["", ...bench.libraries],
		style: { head: [], border: [], compact: true },
		wordWrap: true,
		colWidths: [width, ...bench.libraries.map(() => width)],
	});
	for (const { part, lines } of tableRows(bench)) {
		table.push([{ content: part, colSpan: bench.libraries.length + 1 }], ...lines);
	}
	return table.toString();
}

/** The table as Markdown, as prettier leaves it. */
export function benchMarkdown(bench: Bench): string {
	return tableRows(bench)
		.map(({ part, lines }) => markdownTable([[part, ...bench.libraries], ...lines]))
		.join("\n\n");
}

function markdownTable(lines: ReadonlyArray<ReadonlyArray<string>>): string {
	const widths = lines[0]!.map((_, at) => Math.max(3, ...lines.map((line) => line[at]!.length)));
	const text = (line: ReadonlyArray<string>): string =>
		`| ${line.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
	const [head, ...rest] = lines;
	return [text(head!), `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...rest.map(text)].join("\n");
}

/** The figures for machines: one JSON object on one line. */
export function benchJson({ rows, libraries, cells }: Bench): string {
	return JSON.stringify({ libraries, rows, cells });
}
