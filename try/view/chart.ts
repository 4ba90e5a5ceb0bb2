import * as Plot from "@observablehq/plot";
import type { Recording } from "../../tools/story/recording.ts";
import { playersAt } from "../scene/players.ts";
import type { Range } from "../scene/range.ts";

interface Bar {
	readonly lane: string;
	readonly from: number;
	readonly to: number;
	readonly colour: string;
	readonly title: string;
}

interface Mark {
	readonly lane: string;
	readonly at: number;
	readonly colour: string;
	readonly title: string;
}

const LANE_HEIGHT = 22;
/** So that the shortest call is seen. */
const LEAST_SHARE = 0.003;

/** The case as a chart: a lane for players, servers, messages and what is stored. */
export function drawChart(
	recording: Recording,
	range: Range,
	width: number,
	margins: { readonly left: number; readonly right: number },
): Element {
	const { servers, events, changes } = recording;
	const bars = [...waits(recording, range), ...calls(recording, range)];
	const marks: Array<Mark> = changes
		.filter(({ at, key }) => at >= range.start && key !== "CKClock")
		.map(({ at, store, key }) => ({ lane: "stored", at, colour: "var(--good)", title: `${store}/${key} changes` }));
	for (const { at, server, text } of events) {
		if (at < range.start || (text !== "crash" && !text.startsWith("kick"))) continue;
		marks.push({ lane: server, at, colour: "var(--bad)", title: `${server} ${text}` });
	}
	const lanes = ["players", ...servers.map(({ name }) => name), "messages", "stored"].filter(
		(lane) => lane !== "messages" || bars.some((bar) => bar.lane === lane),
	);
	return Plot.plot({
		width,
		height: lanes.length * LANE_HEIGHT + 30,
		marginLeft: margins.left,
		marginRight: margins.right,
		marginTop: 4,
		marginBottom: 26,
		style: { background: "transparent", fontFamily: "inherit", fontSize: "12px" },
		x: { domain: [range.start, range.end], label: null, ticks: Math.max(3, Math.floor(width / 110)), tickSize: 4 },
		y: { domain: lanes, label: null, tickSize: 0, padding: 0.3 },
		marks: [
			Plot.gridX({ stroke: "var(--line)", strokeOpacity: 1 }),
			Plot.barX(bars, { x1: "from", x2: "to", y: "lane", fill: "colour", title: "title", rx: 2 }),
			Plot.tickX(marks, { x: "at", y: "lane", stroke: "colour", strokeWidth: 2, title: "title" }),
		],
		color: { type: "identity" },
		ariaLabel: "Calls, messages, stored changes and waiting times over virtual seconds",
	});
}

/** The times in which players wait to be let in. */
function waits({ events }: Recording, { start, end }: Range): Array<Bar> {
	const bars = new Map<string, Bar>();
	for (const { at, text } of [...events, { at: end, text: "", server: "" }]) {
		if (text !== "" && !/^(join|leave|kick|crash|Player)/.test(text)) continue;
		for (const { user, joinedAt, waited } of playersAt(events, at)) {
			if (joinedAt + waited < start || waited === 0) continue;
			const bar = { from: Math.max(start, joinedAt), to: joinedAt + waited, colour: "var(--wait)" };
			bars.set(`${user} ${joinedAt}`, {
				...bar,
				lane: "players",
				title: `Player ${user} waits ${waited.toFixed(2)} s`,
			});
		}
	}
	return [...bars.values()];
}

function calls({ calls, servers, events }: Recording, { start, end }: Range): Array<Bar> {
	const deaths = new Map(events.filter(({ text }) => text === "crash").map(({ server, at }) => [server, at]));
	const least = (end - start) * LEAST_SHARE;
	const bars: Array<Bar> = [];
	for (const { id, at, server, service, op, store, key, outcome, published, ...call } of calls) {
		const answeredAt = call.answeredAt ?? call.appliedAt ?? deaths.get(server) ?? end;
		if (answeredAt < start || outcome === "cached") continue;
		const colour = outcome === "failed" ? "var(--bad)" : service === "DataStore" ? "var(--store)" : "var(--beat)";
		const owner = servers.find(({ jobId, topic }) => jobId === key || topic === store)?.name;
		const title = `${server} ${op} ${owner ?? key ?? store ?? ""}: ${outcome}`;
		const span = { from: Math.max(start, at), to: Math.max(answeredAt, at + least, start + least) };
		if (service !== "Messaging") bars.push({ lane: server, ...span, colour, title });
		else if (op === "PublishAsync") {
			const heard = calls.find((other) => other.published === id);
			const to = Math.max(heard?.at ?? answeredAt, at + least);
			const isLost = heard?.outcome === "failed" || (heard === undefined && deaths.has(owner ?? ""));
			const message = { lane: "messages", from: Math.max(start, at), to };
			bars.push({
				...message,
				colour: isLost ? "var(--bad)" : "var(--message)",
				title: `${server} sends a message`,
			});
		} else if (published === undefined) bars.push({ lane: server, ...span, colour, title });
	}
	return bars.map((bar) => ({ ...bar, to: Math.min(end, bar.to) }));
}
