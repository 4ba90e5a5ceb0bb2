import type { RecordedCall, Recording } from "../../tools/story/recording.ts";
import { recordAnchor } from "./records.ts";

/** Something on its way across the stage, from when to when. */
export interface Flight {
	readonly id: string;
	readonly label: string;
	/** Names of the places on the stage that it leaves and reaches. */
	readonly from: string;
	readonly to: string;
	readonly departs: number;
	readonly arrives: number;
	/** It is seen up to then; it waits where it arrived. */
	readonly until: number;
	/** How far it gets; a lost one ends halfway. */
	readonly reach: number;
	readonly tone: "plain" | "good" | "warn" | "bad" | "message";
}

/** The place of a server on the stage, and of its beat. */
export function serverAnchor(name: string): string {
	return `server:${name}`;
}
export function presenceAnchor(name: string): string {
	return `presence:${name}`;
}

/** Seconds for which what never arrives is still seen. */
const LOST_SECONDS = 1;

/** No delivery takes longer, unless a fault delays it. */
const LONGEST_DELIVERY_SECONDS = 2;

/** Everything that moves in a recording. */
export function flightsOf(recording: Recording): Array<Flight> {
	const flights: Array<Flight> = [];
	for (const call of recording.calls) {
		if (call.service === "Messaging") flights.push(...messageFlights(recording, call));
		else flights.push(...callFlights(recording, call));
	}
	return flights;
}

function callFlights(recording: Recording, call: RecordedCall): Array<Flight> {
	const target = targetOf(recording, call);
	if (target === undefined || call.outcome === "cached") return [];
	const from = serverAnchor(call.server);
	const { at, answeredAt } = call;
	const deathAt = recording.events.find(
		({ server, text }) => server === call.server && (text === "crash" || text === "closed"),
	)?.at;
	const end = Math.min(deathAt ?? recording.endsAt, recording.endsAt);
	const reached = call.appliedAt ?? (answeredAt !== undefined ? (at + answeredAt) / 2 : undefined);
	const name = `${call.id}`;
	if (reached === undefined) {
		// Neither applied nor answered: it hangs, or died with its server.
		const until = Math.max(end, at);
		const label = `${target.label}…`;
		return [
			{
				id: name,
				label,
				from,
				to: target.anchor,
				departs: at,
				arrives: at + 0.3,
				until,
				reach: 0.6,
				tone: "warn",
			},
		];
	}
	const way = { id: name, from, to: target.anchor, departs: at, arrives: reached, reach: 1 };
	const out: Flight = { ...way, label: target.label, until: reached, tone: "plain" };
	if (answeredAt === undefined) return [out];
	const [tone, answer] = answerOf(call);
	const label = answer === "" ? target.label : `${target.label} ${answer}`;
	const back = { id: `${name}b`, from: target.anchor, to: from, departs: reached, arrives: answeredAt, reach: 1 };
	return [out, { ...back, label, until: answeredAt, tone }];
}

function answerOf({ outcome, wrote, fault }: RecordedCall): [tone: Flight["tone"], answer: string] {
	if (outcome === "failed") return ["bad", wrote || fault === "landLate" ? "✕ answer lost" : "✕"];
	if (outcome === "cancelled") return ["warn", "refused"];
	return ["good", "✓"];
}

function targetOf(
	{ servers, presence }: Recording,
	{ service, op, store = "", key = "", server }: RecordedCall,
): { readonly anchor: string; readonly label: string } | undefined {
	if (service === "DataStore") {
		const verbs: Record<string, string> = { GetAsync: "read", RemoveAsync: "remove" };
		return { anchor: recordAnchor(store, key), label: verbs[op] ?? "update" };
	}
	if (service !== "MemoryStore" || store !== presence.map) return undefined;
	const owner = servers.find(({ jobId }) => jobId === key)?.name;
	if (owner === undefined) return undefined;
	const label = op === "SetAsync" ? "beat" : op === "GetAsync" ? (owner === server ? "mine?" : "alive?") : "stop";
	return { anchor: presenceAnchor(owner), label };
}

/** A message travels from its sender to whom it is for; one that nobody hears ends on its way. */
function messageFlights({ servers, calls, endsAt }: Recording, call: RecordedCall): Array<Flight> {
	if (call.op !== "PublishAsync" || call.message === undefined) return [];
	const owner = servers.find(({ topic }) => topic === call.store)?.name;
	if (owner === undefined) return [];
	const isRequest = (JSON.parse(call.message) as { readonly T?: string }).T === "Q";
	const label = isRequest ? "release it?" : "it is free";
	const way = { from: serverAnchor(call.server), to: serverAnchor(owner), departs: call.at };
	const heard = calls.filter(({ published }) => published === call.id);
	if (heard.length > 0 && heard.every(({ outcome }) => outcome === "failed")) {
		const arrives = heard[0]!.at + LOST_SECONDS;
		const lost = { arrives, until: arrives + LOST_SECONDS, reach: 0.5 };
		return [{ ...way, ...lost, id: `${call.id}`, label: `${label} ✕ lost`, tone: "bad" }];
	}
	if (heard.length === 0) {
		// Nobody listens there any more, or the case is over before it arrives.
		const arrives = (call.appliedAt ?? call.at) + LONGEST_DELIVERY_SECONDS;
		const open = { id: `${call.id}`, arrives, until: arrives, reach: 0.9, label };
		return [{ ...way, ...open, tone: arrives > endsAt ? "message" : "bad" }];
	}
	return heard.map(({ id, at }) => ({
		...way,
		id: `${id}`,
		arrives: at,
		until: at,
		reach: 1,
		label,
		tone: "message",
	}));
}
