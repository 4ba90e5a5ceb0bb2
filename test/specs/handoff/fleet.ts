import { StoredLock } from "../../../src/record/types";
import { TraceCall } from "../../cloud/trace";
import { World } from "../../cloud/world";
import { GameOptions, PlayerGame } from "../driver/playerGame";

export const KEY = "Player_7";
export const MAP = "CKPresence";
/** Seconds after which servers trust their own beats enough to judge others. */
export const SETTLE_SECONDS = 20;

/** Two servers that have beaten for long enough. */
export function settledPair(world: World, first?: GameOptions, second?: GameOptions): [PlayerGame, PlayerGame] {
	const pair: [PlayerGame, PlayerGame] = [new PlayerGame(world, first), new PlayerGame(world, second)];
	world.wait(SETTLE_SECONDS);
	return pair;
}

/** The lock on a stored record. */
export function lockOf(host: PlayerGame, key = KEY): StoredLock | undefined {
	return host.record(key)?.Lock;
}

/** Whether a warning of the game's server holds `part`. */
export function warned(host: PlayerGame, part: string): number {
	return host.server.warnings.filter((text) => text.find(part, 1, true)[0] !== undefined).size();
}

/** The answered beats of a server. */
export function beatsOf(world: World, server: { readonly name: string }): Array<TraceCall> {
	return world.trace.select({ service: "MemoryStore", op: "SetAsync", server: server.name, outcome: "ok" });
}

/** Yields until the next beat of a server is answered; returns when it was sent. */
export function awaitBeat(world: World, server: { readonly name: string }): number {
	const before = beatsOf(world, server).size();
	world.waitUntil(() => beatsOf(world, server).size() > before, 20);
	const beats = beatsOf(world, server);
	return beats[beats.size() - 1].at;
}

/** Loses the presence of all servers at once. */
export function loseMap(world: World): void {
	world.services.memory.memory.flush();
}
