import type { RecordedCall, Recording } from "../../tools/story/recording.ts";
import type { Range } from "./range.ts";

/** One line of what happened. */
export interface Moment {
	readonly id: string;
	readonly at: number;
	readonly server: string;
	readonly text: string;
	/** How it went, for calls. */
	readonly answer: string;
	readonly tone: "event" | "good" | "warn" | "bad";
	/** A beat that went well: seen by the dozen. */
	readonly isBeat: boolean;
}

/** What happened in the range, in the order of time. */
export function momentsOf(recording: Recording, { start, end }: Range): Array<Moment> {
	const moments: Array<Moment> = [];
	for (const [index, { at, server, text }] of recording.events.entries()) {
		const tone = /^(crash|kick|warn)|refused/.test(text) ? "bad" : "event";
		moments.push({ id: `e${index}`, at, server, text: sentence(text), answer: "", tone, isBeat: false });
	}
	for (const call of recording.calls) moments.push(ofCall(recording, call));
	return moments.filter(({ at }) => at >= start && at <= end).sort((a, b) => a.at - b.at);
}

/** A server's event as a sentence about it. */
function sentence(text: string): string {
	const words: Record<string, string> = { start: "starts", crash: "crashes", closed: "has closed" };
	return (words[text] ?? text)
		.replace(/^join (\d+)$/, "Player $1 joins")
		.replace(/^leave (\d+)$/, "Player $1 leaves")
		.replace(/^kick (\d+)/, "Player $1 is kicked")
		.replace(/^warn /, "warns: ");
}

function ofCall(recording: Recording, call: RecordedCall): Moment {
	const { id, at, server, service, op, outcome } = call;
	const isBeat = service === "MemoryStore" && op === "SetAsync" && outcome === "ok";
	return { id: `c${id}`, at, server, text: deed(recording, call), ...answerOf(call), isBeat };
}

function deed({ calls, presence, servers }: Recording, call: RecordedCall): string {
	const { server, service, op, store = "", key } = call;
	const owner = servers.find(({ jobId, topic }) => jobId === key || topic === store)?.name;
	if (service === "MemoryStore" && store === presence.map && owner !== undefined) {
		if (op === "GetAsync") return owner === server ? "looks for its own beat" : `looks for the beat of ${owner}`;
		return op === "SetAsync" ? "beats" : "takes its beat away";
	}
	if (service === "Messaging" && owner !== undefined) {
		if (op === "PublishAsync") return messageText(call, owner);
		if (op !== "Deliver") return "listens for messages";
		const published = calls.find(({ id }) => id === call.published);
		return published === undefined
			? "hears a message"
			: `hears: ${published.server} ${messageText(published, owner)}`;
	}
	return `${op} ${store}${key !== undefined ? `/${key}` : ""}`;
}

/** What its sender does with a message of src/handoff/wire.ts. */
function messageText({ message }: RecordedCall, receiver: string): string {
	if (message === undefined) return `sends ${receiver} a message`;
	const { T, K = "a key" } = JSON.parse(message) as { readonly T?: string; readonly K?: string };
	return T === "Q" ? `asks ${receiver} to release ${K}` : `tells ${receiver} that ${K} is free`;
}

function answerOf({
	service,
	outcome,
	wrote,
	fault,
	failure,
	appliedAt,
	answeredAt,
	at,
}: RecordedCall): Pick<Moment, "answer" | "tone"> {
	const why = fault !== undefined ? ` (${fault})` : "";
	const after = answeredAt !== undefined && answeredAt > at ? ` after ${(answeredAt - at).toFixed(2)} s` : "";
	if (outcome === "failed") {
		const lost = wrote ? "stored, but the answer is lost" : (failure ?? "lost");
		return { answer: `${lost}${why}`, tone: "bad" };
	}
	if (outcome === "cancelled") return { answer: `wrote nothing${after}`, tone: "warn" };
	if (outcome === "pending") {
		return { answer: `${appliedAt !== undefined ? "stored, " : ""}not answered by the end${why}`, tone: "warn" };
	}
	const done = service === "DataStore" ? (wrote ? "stored" : "read") : service === "Messaging" ? "" : "ok";
	return { answer: `${done}${after}${why}`.trim(), tone: "good" };
}

/** The virtual seconds at which a step stops: every start, change and answer of the range, without the dull beats. */
export function stopsOf(recording: Recording, { start, end }: Range): Array<number> {
	const stops = new Set<number>([start, end]);
	for (const { at } of recording.events) stops.add(at);
	for (const call of recording.calls) {
		if (ofCall(recording, call).isBeat) continue;
		for (const at of [call.at, call.appliedAt, call.answeredAt]) if (at !== undefined) stops.add(at);
	}
	for (const { at } of recording.mishaps) stops.add(at);
	return [...stops].filter((at) => at >= start && at <= end).sort((a, b) => a - b);
}
