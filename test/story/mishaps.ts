import { Fault, FaultHandle } from "../cloud/faults";
import { World } from "../cloud/world";

/**
 * What can be thrown into a case by hand. `lose`: the next message is not delivered; `fail`: the next durable write fails
 * before it is applied; `silence`: a server's beats fail from then on; `crash`: a server dies.
 */
export type MishapKind = "lose" | "fail" | "silence" | "crash";

/** One mishap, and from which virtual second on. */
export interface Mishap {
	readonly kind: MishapKind;
	/** The name of the server that it hits; those that hit whatever comes next name none. */
	readonly server?: string;
	readonly at: number;
}

/** A mishap, and how often it has hit something. */
export interface ThrownMishap extends Mishap {
	readonly hits: number;
}

const FAULTS: Record<Exclude<MishapKind, "crash">, Fault> = {
	lose: { service: "Messaging", op: "Deliver", effect: "drop", count: 1 },
	fail: { service: "DataStore", durableOnly: true, effect: "failBefore", count: 1 },
	silence: { service: "MemoryStore", op: "SetAsync", effect: "failBefore" },
};

const NEEDS_SERVER: Record<MishapKind, boolean> = { lose: false, fail: false, silence: true, crash: true };

/** Reads mishaps as they stand in an address: `lose@21.5,crash.S1@22`. Throws where one is none. */
export function readMishaps(text: string): Array<Mishap> {
	if (text === "") return [];
	return text.split(",").map((each) => {
		const [kind, dotServer, seconds] = each.match("^(%a+)(%.?%w*)@(%d+%.?%d*)$");
		const at = typeIs(seconds, "string") ? tonumber(seconds) : undefined;
		const server = typeIs(dotServer, "string") && dotServer !== "" ? dotServer.sub(2) : undefined;
		if (at === undefined || !isKind(kind) || (server !== undefined) !== NEEDS_SERVER[kind]) {
			error(`"${each}" is no mishap: write lose@<seconds>, fail@, silence.<server>@ or crash.<server>@`, 0);
		}
		return { kind, server, at };
	});
}

function isKind(kind: unknown): kind is MishapKind {
	return typeIs(kind, "string") && kind in NEEDS_SERVER;
}

/** Puts mishaps in force, before the world runs; the answer tells how often each has hit. */
export function throwIn(world: World, mishaps: ReadonlyArray<Mishap>): () => Array<ThrownMishap> {
	const counts = mishaps.map((mishap) => {
		if (mishap.kind === "crash") return crashLater(world, mishap);
		const server = mishap.server !== undefined ? { name: mishap.server } : undefined;
		const handle: FaultHandle = world.faults.add({ ...FAULTS[mishap.kind], server, from: mishap.at });
		return () => handle.hits;
	});
	return () => mishaps.map((mishap, index) => ({ ...mishap, hits: counts[index]() }));
}

function crashLater(world: World, { server: name, at }: Mishap): () => number {
	let hits = 0;
	world.after(at, () => {
		const server = world.servers.find((each) => each.name === name);
		if (server === undefined || !server.alive) return;
		hits += 1;
		server.crash();
	});
	return () => hits;
}
