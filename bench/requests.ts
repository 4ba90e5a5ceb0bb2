import { simulate } from "../test/cloud/simulate";
import { TraceCall } from "../test/cloud/trace";
import { World } from "../test/cloud/world";
import { Host, inGame, Session } from "../test/story/host";
import { Cell, Requests, Row } from "./cell";
import { Library, SharedKey } from "./library";

const USER = 7;
/** Long enough for servers to have proved themselves alive. */
const SETTLE_SECONDS = 20;
/** What a call has started and nobody waits for ends within this. */
const TAIL_SECONDS = 5;
const PLAYERS = 10;
/** A common multiple of all periods of saving and renewing. */
const LONG_MINUTES = 30;
/** Long enough for what a trade or transaction leaves to be cleaned up. */
const CLEAN_SECONDS = 240;
/** Seconds between a playing user's changes. */
const PLAY_SECONDS = 10;

/** What a row comes to; `kicked` where a join did not work. */
interface Counted {
	readonly requests: Requests;
	readonly outcome?: "kicked";
}

/** Counts the calls that match; `per` divides them. */
function count(world: World, since: number, upTo: number, per: number, matches: (call: TraceCall) => boolean): Counted {
	const counted: Writable<Requests> = {
		updates: 0,
		sets: 0,
		reads: 0,
		removes: 0,
		publishes: 0,
		subscribes: 0,
		memory: 0,
	};
	for (const call of world.trace.calls) {
		if (call.at < since || call.at > upTo || call.outcome === "cached" || !matches(call)) continue;
		const kind = KINDS[`${call.service}.${call.op}`] ?? (call.service === "MemoryStore" ? "memory" : undefined);
		if (kind !== undefined) counted[kind] += 1 / per;
	}
	return { requests: counted };
}

const KINDS: Readonly<Record<string, keyof Requests>> = {
	"DataStore.UpdateAsync": "updates",
	"DataStore.SetAsync": "sets",
	"DataStore.IncrementAsync": "sets",
	"DataStore.GetAsync": "reads",
	"DataStore.RemoveAsync": "removes",
	"Messaging.PublishAsync": "publishes",
	"Messaging.SubscribeAsync": "subscribes",
};

/** A server's own beat is counted with the server, and nowhere else. */
function isNoBeat({ service, op }: TraceCall): boolean {
	return service !== "MemoryStore" || op !== "SetAsync";
}

const isAny = (): boolean => true;

function settled(world: World, library: Library): Host {
	const host = library.open(world);
	world.wait(SETTLE_SECONDS);
	return host;
}

/** Lets the user in, and counts what all servers do about it. */
function countJoin(world: World, host: Host): Counted {
	const since = world.now();
	const arrival = host.join(USER);
	world.wait(TAIL_SECONDS);
	const counted = count(world, since, world.now(), 1, isNoBeat);
	return { ...counted, outcome: "cause" in arrival ? "kicked" : undefined };
}

function freeJoin(world: World, library: Library): Counted {
	const host = settled(world, library);
	const before = host.join(USER);
	inGame(before).earn(25);
	host.server.leave(before.player);
	world.wait(60);
	return countJoin(world, host);
}

function contendedJoin(world: World, library: Library): Counted {
	const [first, second] = [library.open(world), library.open(world)];
	world.wait(SETTLE_SECONDS);
	const session = inGame(first.join(USER));
	session.earn(25);
	session.save();
	first.server.crash();
	return countJoin(world, second);
}

function leave(world: World, library: Library): Counted {
	const host = settled(world, library);
	const arrival = host.join(USER);
	inGame(arrival).earn(25);
	const since = world.now();
	host.server.leave(arrival.player);
	world.wait(TAIL_SECONDS);
	return count(world, since, world.now(), 1, isNoBeat);
}

function handoff(world: World, library: Library): Counted {
	const [first, second] = [library.open(world), library.open(world)];
	world.wait(SETTLE_SECONDS);
	inGame(first.join(USER)).earn(25);
	world.wait(TAIL_SECONDS);
	return countJoin(world, second);
}

function playerMinute(plays: boolean): (world: World, library: Library) => Counted {
	return (world, library) => {
		const host = settled(world, library);
		const sessions = new Array<Session>();
		for (let user = 1; user <= PLAYERS; user++) sessions.push(inGame(host.join(user)));
		// The first minutes after the joins are not like the others.
		const since = world.now() + 600;
		const upTo = since + LONG_MINUTES * 60;
		while (world.now() < upTo) {
			if (plays) for (const session of sessions) session.earn(1);
			world.wait(PLAY_SECONDS);
		}
		return count(world, since, upTo, PLAYERS * LONG_MINUTES, isNoBeat);
	};
}

/** What users of one server do for so long, who change something all the time, with or without something together. */
function playOn(
	world: World,
	library: Library,
	users: number,
	act?: (host: Host, all: Array<Session>) => void,
): Counted {
	const host = settled(world, library);
	const sessions = new Array<Session>();
	for (let user = 1; user <= users; user++) sessions.push(inGame(host.join(user)));
	for (const session of sessions) session.earn(25);
	for (const session of sessions) session.save();
	const since = world.now();
	const upTo = since + CLEAN_SECONDS;
	act?.(host, sessions);
	while (world.now() < upTo) {
		for (const session of sessions) session.earn(1);
		world.wait(PLAY_SECONDS);
	}
	return count(world, since, upTo, 1, isNoBeat);
}

/** What it takes more than if nothing were done together: what it leaves to later saves costs nothing of its own. */
function together(kind: string, users: number): (world: World, library: Library) => Counted {
	return (world, library) => {
		const { requests } = playOn(world, library, users, (host, all) => library.together[kind](host, all, world));
		const twin = new World(world.options);
		let without: Requests | undefined;
		twin.run(() => {
			without = playOn(twin, library, users).requests;
		});
		const more: Writable<Requests> = { ...requests };
		for (const [each] of pairs(more)) more[each] = requests[each] - without![each];
		return { requests: more };
	};
}

/** Servers that all pay into one shared record, once a second. */
function sharedMinute(servers: number): (world: World, library: Library) => Counted {
	return (world, library) => {
		const banks = new Array<SharedKey>();
		for (let index = 0; index < servers; index++) banks.push(library.openShared!(library.open(world)));
		world.wait(SETTLE_SECONDS);
		const since = world.now() + 60;
		const upTo = since + LONG_MINUTES * 60;
		while (world.now() < upTo) {
			for (const bank of banks) bank.pay(1);
			world.wait(1);
		}
		return count(world, since, upTo, servers * LONG_MINUTES, isNoBeat);
	};
}

function serverMinute(world: World, library: Library): Counted {
	settled(world, library);
	const since = world.now();
	world.wait(LONG_MINUTES * 60);
	return count(world, since, world.now(), LONG_MINUTES, isAny);
}

interface RequestRow extends Row {
	/** Which of a library's calls it is about; every library has what needs none. */
	readonly needs?: string;
	readonly measure: (world: World, library: Library) => Counted;
}

const row = (id: string, title: string, measure: RequestRow["measure"], needs?: string): RequestRow => ({
	id,
	part: "requests",
	title,
	measure,
	needs,
});

const SHARED = "shared key";

/** Whether the library has what a row is about. */
function has({ openShared, together: kinds }: Library, need: string): boolean {
	return need === SHARED ? openShared !== undefined : kinds[need] !== undefined;
}

/** What is counted, in the order of the table. */
export const requestRows: ReadonlyArray<RequestRow> = [
	row("join-free", "Join, key free", freeJoin),
	row("join-contended", "Join, contended by a server that crashed", contendedJoin),
	row("handoff", "Handoff: join contended by a living server, both servers", handoff),
	row("leave", "Leave", leave),
	row("player-idle", "Player-minute, nothing changes", playerMinute(false)),
	row("player-playing", "Player-minute, a change every 10 s", playerMinute(true)),
	row("trade", "Trade of two players, all in all", together("trade", 2), "trade"),
	row("transaction-2", "Transaction of 2 profiles, all in all", together("transaction", 2), "transaction"),
	row("transaction-5", "Transaction of 5 profiles, all in all", together("transaction", 5), "transaction"),
	row(
		"transaction-shared",
		"Transaction of a player and a shared key, all in all",
		together("shared transaction", 1),
		"shared transaction",
	),
	row("shared-one", "Shared key, a payment a second: server-minute", sharedMinute(1), SHARED),
	row("shared-ten", "The same from 10 servers at once: each one's minute", sharedMinute(10), SHARED),
	row("server-minute", "Server-minute, nobody on it", serverMinute),
];

/** Counts one row for one library, with the latencies of Roblox. */
export function countRequests({ id, measure, needs }: RequestRow, library: Library, seed: number): Cell {
	const cell = { row: id, library: library.name };
	const lack = library.lacks[id];
	if (lack !== undefined) return { ...cell, text: lack };
	if (needs !== undefined && !has(library, needs)) return { ...cell, text: `no ${needs}s` };
	let counted: Counted | undefined;
	simulate({ seed, profile: "live" }, (world) => {
		counted = measure(world, library);
	});
	return { ...cell, ...counted! };
}
