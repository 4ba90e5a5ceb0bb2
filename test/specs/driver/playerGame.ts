import { DataDriver } from "../../../src/driver/dataDriver";
import { Kernel } from "../../../src/driver/kernel";
import { DriverOptions } from "../../../src/driver/options";
import { Profile } from "../../../src/driver/profile";
import { SessionEndReason } from "../../../src/driver/sessionEnd";
import { BatonError } from "../../../src/errors";
import { StoredRecord } from "../../../src/record/types";
import { Result } from "../../../src/result";
import { Server, ServerOptions } from "../../cloud/server";
import { Switches } from "../../cloud/switches";
import { World } from "../../cloud/world";
import { simulate } from "../../cloud/simulate";

/** The data of the specs' lobby. */
export interface Coins {
	readonly coins: number;
}

export const STORE = "PlayerData";

/** A record of the specs' game as another server would have left it. */
export function recordOf(coins: number, fields: Partial<StoredRecord> = {}): StoredRecord {
	return { Data: { coins }, Meta: { Turn: 1, Migrations: [] }, ...fields };
}

/** A record under the fresh lock of a server that is not part of the world. */
export function lockedRecord(coins: number): StoredRecord {
	return recordOf(coins, {
		Lock: { JobId: "elsewhere", Token: "foreign-token", Turn: 1, Seq: 3, Time: 1767225600 },
	});
}

/** How {@link PlayerGame} sets its driver up. */
export interface GameOptions {
	readonly driver?: Partial<DriverOptions<Coins>>;
	readonly server?: ServerOptions;
	/** Default true. */
	readonly attach?: boolean;
	readonly kernel?: Kernel;
}

/** A server with a driver of coins on it, and what its players lived through. */
export class PlayerGame {
	public readonly server: Server;
	public readonly driver: DataDriver<Coins>;
	public readonly ready = new Array<{ readonly player: Player; readonly profile: Profile<Coins> }>();
	public readonly failed = new Array<{ readonly player: Player; readonly cause: BatonError }>();

	public constructor(
		public readonly world: World,
		options: GameOptions = {},
	) {
		this.server = world.startServer(options.server);
		this.driver = this.server.run(() => this.newDriver(options.driver));
		this.driver.onReady.connect((player, profile) => this.ready.push({ player, profile }));
		this.driver.onLoadFailed.connect((player, cause) => this.failed.push({ player, cause }));
		if (options.attach !== false) this.server.run(() => this.driver.attach(options.kernel));
	}

	/** Another driver on this server; on its thread. */
	public newDriver(options: Partial<DriverOptions<Coins>> = {}): DataDriver<Coins> {
		return new DataDriver<Coins>({
			name: STORE,
			defaults: { coins: 0 },
			platform: this.server.platform,
			...options,
		});
	}

	/** The profile of the player, once it is loaded; throws when the load failed. */
	public profile(player: Player): Profile<Coins> {
		return this.wait(player).unwrap();
	}

	/** `waitForProfile` on the server. */
	public wait(player: Player): Result<Profile<Coins>> {
		return this.server.run(() => this.driver.waitForProfile(player));
	}

	/** Lets a user in and yields until the profile is there. */
	public join(userId: number): { readonly player: Player; readonly profile: Profile<Coins> } {
		const player = this.server.join(userId);
		return { player, profile: this.profile(player) };
	}

	/** Sets the coins of a profile. */
	public set(profile: Profile<Coins>, coins: number): Result<unknown> {
		return this.server.run(() => profile.update((data) => ({ ...data, coins })));
	}

	/** The stored record of a key of this game's store. */
	public record(key: string, scope?: string): StoredRecord | undefined {
		return this.world.store(STORE, scope).get(key) as StoredRecord | undefined;
	}

	/** The coins stored under a key. */
	public coins(key: string): number | undefined {
		return (this.record(key)?.Data as Coins | undefined)?.coins;
	}

	/** Yields until the key has no lock. */
	public waitUntilFree(key: string, seconds = 60): void {
		this.world.waitUntil(() => {
			const record = this.record(key);
			return record !== undefined && record.Lock === undefined;
		}, seconds);
	}
}

/** Makes a world with one game in it and runs `body`. */
export function play(body: (lobby: PlayerGame, world: World) => void, options: GameOptions & PlayOptions = {}): World {
	return simulate({ seed: options.seed ?? 1, switches: options.switches }, (world) =>
		body(new PlayerGame(world, options), world),
	);
}

/** What {@link play} makes its world of. */
export interface PlayOptions {
	readonly seed?: number;
	readonly switches?: Partial<Switches>;
}

/** One call of `onSessionEnd`. */
export interface SessionEnd {
	readonly player: Player;
	readonly reason: SessionEndReason;
	readonly message: string;
}

/** The error of a call that must have failed. */
export function failureOf(result: Result<unknown>): BatonError {
	if (result.success) error("the call worked", 2);
	return result.error;
}

/** The message of what `body` throws. */
export function thrownBy(body: () => void): string {
	const [worked, why] = pcall(body);
	if (worked) error("nothing was thrown", 2);
	return tostring(why);
}

/** Whether `text` holds every one of `parts`; throws where it does not. */
export function expectText(text: string, ...parts: Array<string>): void {
	for (const part of parts) {
		if (text.find(part, 1, true)[0] === undefined) error(`"${text}" does not hold "${part}"`, 2);
	}
}
