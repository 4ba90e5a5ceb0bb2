import { DataDriver } from "../../../src/driver/dataDriver";
import { DriverOptions, LoadOptions } from "../../../src/driver/options";
import { Profile } from "../../../src/driver/profile";
import { BatonError } from "../../../src/errors";
import { StoredRecord } from "../../../src/record/types";
import { Result } from "../../../src/result";
import { Fault, FaultHandle } from "../../cloud/faults";
import { Server, ServerOptions } from "../../cloud/server";
import { TraceCall } from "../../cloud/trace";
import { World } from "../../cloud/world";

export const STORE = "PlayerData";
export const USER = 7;
export const KEY = `Player_${USER}`;

export interface GameData {
	readonly coins: number;
	readonly notes?: ReadonlyArray<string>;
}

/** A server with one driver on it; every method runs on that server and yields the caller until it is done. */
export class Game {
	public readonly server: Server;
	public readonly driver: DataDriver<GameData>;

	public constructor(
		private readonly world: World,
		options: Partial<DriverOptions<GameData>> = {},
		serverOptions: ServerOptions = {},
	) {
		this.server = world.startServer(serverOptions);
		this.driver = this.server.run(
			() =>
				new DataDriver<GameData>({
					name: STORE,
					defaults: { coins: 0 },
					platform: this.server.platform,
					...options,
				}),
		);
	}

	public tryLoad(key = KEY, options?: LoadOptions): Result<Profile<GameData>> {
		return this.server.run(() => this.driver.load(key, options));
	}

	public load(key = KEY, options?: LoadOptions): Profile<GameData> {
		return this.tryLoad(key, options).unwrap();
	}

	/** Lets the user in and yields until the profile is there. Needs an attached driver. */
	public join(userId = USER): { readonly player: Player; readonly profile: Profile<GameData> } {
		const player = this.server.join(userId);
		const profile = this.server.run(() => this.driver.waitForProfile(player)).unwrap();
		return { player, profile };
	}

	public attach(): this {
		this.server.run(() => this.driver.attach());
		return this;
	}

	public earn(profile: Profile<GameData>, coins: number): Result<unknown> {
		return this.server.run(() => profile.update((data) => ({ ...data, coins: data.coins + coins })));
	}

	public save(profile: Profile<GameData>): Result<undefined> {
		return this.server.run(() => profile.save());
	}

	public release(profile: Profile<GameData>): Result<undefined> {
		return this.server.run(() => profile.release());
	}

	/** Starts `body` on this server and tells later what it returned and when. */
	public start<T>(body: () => T): Started<T> {
		const started: Started<T> = { begunAt: this.world.now() };
		this.server.spawn(() => {
			started.answer = body();
			started.answeredAt = this.world.now();
		});
		return started;
	}
}

/** Something that runs beside the spec. */
export interface Started<T> {
	readonly begunAt: number;
	answer?: T;
	answeredAt?: number;
}

/** The stored record of a key. */
export function stored(world: World, key = KEY): StoredRecord | undefined {
	return world.store(STORE).get(key) as StoredRecord | undefined;
}

export function storedCoins(world: World, key = KEY): number | undefined {
	return (stored(world, key)?.Data as GameData | undefined)?.coins;
}

export function isLocked(world: World, key = KEY): boolean {
	return stored(world, key)?.Lock !== undefined;
}

/** A fault at the data stores' updates. */
export function breakUpdates(world: World, fault: Omit<Fault, "service" | "op">): FaultHandle {
	return world.faults.add({ service: "DataStore", op: "UpdateAsync", ...fault });
}

/** The updates of a key, in the order of the calls. */
export function updatesOf(world: World, key = KEY, since = 0): Array<TraceCall> {
	return world.trace.select({ service: "DataStore", op: "UpdateAsync", store: STORE, key, since });
}

/** Writes of a key that were applied. */
export function writesOf(world: World, key = KEY, since = 0): number {
	return world.trace.durableWrites({ store: STORE, key, since });
}

/** The error of a call that must have failed. */
export function errorOf<T>(result: Result<T>): BatonError {
	if (result.success) error("the call succeeded", 2);
	return result.error;
}

/** Throws unless `condition` holds. */
export function check(condition: boolean, what: string): asserts condition {
	if (!condition) error(what, 2);
}

/** Throws unless both are the same. */
export function same(actual: unknown, wanted: unknown, what: string): void {
	if (actual !== wanted) error(`${what} is ${tostring(actual)}, not ${tostring(wanted)}`, 2);
}

/** Throws unless `actual` is `wanted` give or take `slack`. */
export function near(actual: number | undefined, wanted: number, slack: number, what: string): void {
	if (actual === undefined || math.abs(actual - wanted) > slack) {
		error(`${what} is ${tostring(actual)}, not ${wanted} ± ${slack}`, 2);
	}
}

/**
 * Watches a key from now on and fails the run when what is stored goes back: a lower turn, a lower number under one turn,
 * fewer coins, or another token under one turn.
 */
export function watchOrder(world: World, key = KEY): { readonly problems: ReadonlyArray<string> } {
	const problems = new Array<string>();
	let turn = 0;
	let seq = -1;
	let coins = 0;
	let token: string | undefined;
	const look = (): void => {
		const record = stored(world, key);
		if (record !== undefined) {
			const lock = record.Lock;
			const turnNow = record.Meta.Turn;
			const coinsNow = (record.Data as GameData).coins;
			if (turnNow < turn) problems.push(`at ${world.now()} s the turn went from ${turn} to ${turnNow}`);
			if (turnNow > turn) {
				seq = -1;
				token = undefined;
			}
			if (coinsNow < coins) problems.push(`at ${world.now()} s the coins went from ${coins} to ${coinsNow}`);
			if (lock !== undefined) {
				if (lock.Seq < seq) problems.push(`at ${world.now()} s the number went from ${seq} to ${lock.Seq}`);
				if (token !== undefined && token !== lock.Token) {
					problems.push(`at ${world.now()} s turn ${turnNow} passed to another token`);
				}
				seq = lock.Seq;
				token = lock.Token;
			}
			turn = turnNow;
			coins = coinsNow;
		}
		world.after(0.25, look);
	};
	look();
	return { problems };
}

/** Throws when a watch has seen something. */
export function expectOrder(watch: { readonly problems: ReadonlyArray<string> }): void {
	if (!watch.problems.isEmpty()) error(watch.problems.join("; "), 2);
}
