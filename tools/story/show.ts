import Table from "cli-table3";
import type { Measured, Play, PlayedCase, Promised } from "./case.ts";

const isColoured = process.stdout.isTTY && process.env.NO_COLOR === undefined;

function coloured(code: number, text: string): string {
	return isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
}

const bold = (text: string): string => coloured(1, text);
const red = (text: string): string => coloured(31, text);
const green = (text: string): string => coloured(32, text);
const grey = (text: string): string => coloured(90, text);

function seconds(value: number): string {
	return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

function promise({ outcome, minSeconds, maxSeconds, fastMaxSeconds }: Promised): string {
	if (minSeconds !== undefined && fastMaxSeconds !== undefined)
		return `${outcome}, ${minSeconds} to ${fastMaxSeconds} / ${maxSeconds} s`;
	if (minSeconds !== undefined && maxSeconds !== undefined) return `${outcome}, ${minSeconds} to ${maxSeconds} s`;
	if (fastMaxSeconds !== undefined) return `${outcome} within ${fastMaxSeconds} / ${maxSeconds} s`;
	if (maxSeconds !== undefined) return `${outcome} within ${maxSeconds} s`;
	if (minSeconds !== undefined) return `${outcome} after ${minSeconds} s`;
	return outcome;
}

/** The wait alone where the outcome is the promised one. */
function outcomeOf(measured: Measured, promised: Promised): string {
	const wait = seconds(measured.waitSeconds);
	return measured.outcome === promised.outcome ? wait : `${measured.outcome}, ${wait}`;
}

/** Equal counts once, different ones as "fast / live". */
function counts(fast: number, live: number): string {
	return fast === live ? String(fast) : `${fast} / ${live}`;
}

/** Columns of counts; one that is zero in every case is left out, and the last two on a narrow terminal. */
const COUNTS = {
	durableWrites: "writes",
	removes: "removes",
	rounds: "rounds",
	messages: "messages",
	presenceOps: "presence",
} as const;

/** From this width on the table has room for every column. */
const WIDE_COLUMNS = 116;

/** Breaks a text into lines of at most `width` characters, between words. */
function wrap(text: string, width: number): Array<string> {
	const lines: Array<string> = [];
	for (const word of text.split(" ")) {
		const last = lines.at(-1);
		if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
		else lines.push(word);
	}
	return lines;
}

/** The story as a table: what is promised, what happened in both latency profiles, and what it cost. */
export function storyTable(cases: ReadonlyArray<PlayedCase>, columns = 120): string {
	const counted = (Object.keys(COUNTS) as Array<keyof typeof COUNTS>).filter((key) =>
		cases.some(({ fast, live }) => fast.measured[key] + live.measured[key] > 0),
	);
	if (columns < WIDE_COLUMNS) counted.splice(Math.max(0, counted.length - 2));
	const head = ["", "case", "promised", "fast", "live", ...counted.map((key) => COUNTS[key])];
	const rows = cases.map(({ promised, fast, live }) => [
		promise(promised),
		outcomeOf(fast.measured, promised),
		outcomeOf(live.measured, promised),
		...counted.map((key) => counts(fast.measured[key], live.measured[key])),
	]);
	const widthOf = (index: number): number =>
		Math.max(head[index + 2]!.length, ...rows.map((row) => row[index]!.length));
	const taken = head.slice(2).reduce((sum, _, index) => sum + widthOf(index) + 3, 8);
	const titleWidth = Math.max(24, columns - taken);

	const table = new Table({
		head: head.map(bold),
		style: { head: [], border: [], compact: true },
		colAligns: ["left", "left", "left", "left", "left", ...counted.map(() => "right" as const)],
	});
	for (const group of new Set(cases.map((played) => played.group))) {
		table.push([{ content: bold(group), colSpan: head.length }]);
		for (const [index, played] of cases.entries()) {
			if (played.group !== group) continue;
			const title = [...wrap(played.title, titleWidth), grey(played.id)].join("\n");
			table.push([played.ok ? green("✔") : red("✖"), title, ...rows[index]!]);
		}
	}
	return table.toString();
}

/** A text without what differs between repetitions of the same event. */
function kindOf(text: string): string {
	return text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]+|[0-9.]+/g, "#");
}

/** How many repetitions of one event in a row are shown before they are counted. */
const SHOWN_REPEATS = 2;

/** What happened in one case: virtual time, server, event. Events that repeat are counted. */
export function timelineText({ timeline }: Play): string {
	const width = Math.max(0, ...timeline.map((entry) => entry.server.length));
	const events = timeline.map(({ at, server, text }) => {
		const time = at.toFixed(3);
		// Lines of the cloud's trace say when and where, too.
		const event = text.startsWith(`${time} ${server} `) ? text.slice(time.length + server.length + 2) : text;
		return {
			kind: `${server} ${kindOf(event)}`,
			line: `${grey(`${time.padStart(8)} s`)}  ${bold(server.padEnd(width))}  ${event}`,
		};
	});
	const lines: Array<string> = [];
	for (let start = 0; start < events.length;) {
		let end = start;
		while (events[end]?.kind === events[start]!.kind) end += 1;
		const hidden = end - start - SHOWN_REPEATS;
		const shown = hidden > 1 ? start + SHOWN_REPEATS : end;
		lines.push(...events.slice(start, shown).map(({ line }) => line));
		if (hidden > 1) lines.push(grey(`${" ".repeat(width + 14)}… ${hidden} more of these`));
		start = end;
	}
	return lines.join("\n");
}

/** The errors that ended cases early. */
export function failuresText(cases: ReadonlyArray<PlayedCase>): string {
	const lines: Array<string> = [];
	for (const { id, fast, live } of cases) {
		for (const [profile, { failure }] of Object.entries({ fast, live })) {
			if (failure !== undefined) lines.push(red(`✖ ${id} (${profile})`), `  ${failure.replaceAll("\n", "\n  ")}`);
		}
	}
	return lines.join("\n");
}

/** The fields of a measurement in their order; times to the microsecond. */
function inOrder(measured: Measured): Measured {
	const { outcome, waitSeconds, durableWrites, removes, rounds, messages, presenceOps } = measured;
	const rounded = Math.round(waitSeconds * 1e6) / 1e6;
	return { outcome, waitSeconds: rounded, durableWrites, removes, rounds, messages, presenceOps };
}

/** The story for machines: one JSON object on one line. */
export function storyJson(cases: ReadonlyArray<PlayedCase>): string {
	return JSON.stringify({
		cases: cases.map(({ id, group, title, promised, fast, live, ok }) => ({
			id,
			group,
			title,
			promised: { outcome: promised.outcome, minSeconds: promised.minSeconds, maxSeconds: promised.maxSeconds },
			measured: inOrder(fast.measured),
			live: inOrder(live.measured),
			ok,
		})),
	});
}
