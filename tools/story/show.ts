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

function promise({ outcome, minSeconds, maxSeconds }: Promised): string {
	if (minSeconds !== undefined && maxSeconds !== undefined) return `${outcome}, ${minSeconds} to ${maxSeconds} s`;
	if (maxSeconds !== undefined) return `${outcome} within ${maxSeconds} s`;
	if (minSeconds !== undefined) return `${outcome} after ${minSeconds} s`;
	return outcome;
}

function outcomeOf(measured: Measured): string {
	return `${measured.outcome}, ${seconds(measured.waitSeconds)}`;
}

/** Equal counts once, different ones as "fast / live". */
function counts(fast: number, live: number): string {
	return fast === live ? String(fast) : `${fast} / ${live}`;
}

/** The story as a table: what is promised, what happened in both latency profiles, and what it cost. */
export function storyTable(cases: ReadonlyArray<PlayedCase>): string {
	const table = new Table({
		head: ["", "case", "promised", "fast", "live", "writes", "removes", "rounds", "messages", "presence"].map(bold),
		style: { head: [], border: [], compact: true },
		colAligns: ["left", "left", "left", "left", "left", "right", "right", "right", "right", "right"],
	});
	for (const group of new Set(cases.map((played) => played.group))) {
		table.push([{ content: bold(group), colSpan: 10 }]);
		for (const played of cases.filter((other) => other.group === group)) {
			const { measured: fast } = played.fast;
			const { measured: live } = played.live;
			table.push([
				played.ok ? green("✔") : red("✖"),
				`${played.title}\n${grey(played.id)}`,
				promise(played.promised),
				outcomeOf(fast),
				outcomeOf(live),
				counts(fast.durableWrites, live.durableWrites),
				counts(fast.removes, live.removes),
				counts(fast.rounds, live.rounds),
				counts(fast.messages, live.messages),
				counts(fast.presenceOps, live.presenceOps),
			]);
		}
	}
	return table.toString();
}

/** What happened in one case: virtual time, server, event. */
export function timelineText({ timeline }: Play): string {
	const width = Math.max(0, ...timeline.map((entry) => entry.server.length));
	return timeline
		.map(
			({ at, server, text }) =>
				`${grey(`${at.toFixed(3).padStart(10)} s`)}  ${bold(server.padEnd(width))}  ${text}`,
		)
		.join("\n");
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
			promised,
			measured: inOrder(fast.measured),
			live: inOrder(live.measured),
			ok,
		})),
	});
}
