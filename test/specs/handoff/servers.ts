import { DriverOptions } from "../../../src/driver/options";
import { Profile } from "../../../src/driver/profile";
import { BatonError } from "../../../src/errors";
import { PRESENCE_MAP } from "../../../src/handoff/presence";
import { RequestMessage, topicOf } from "../../../src/handoff/wire";
import { StoredLock } from "../../../src/record/types";
import { LatencyProfileName } from "../../cloud/latency";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { Coins, PlayerGame, STORE } from "../driver/playerGame";

export const USER = 7;
export const KEY = "Player_7";
export const PROFILES: ReadonlyArray<LatencyProfileName> = ["fast", "live"];
/** Long enough for servers to have proved themselves alive: 13 s of beats and the first one's latency. */
const SETTLE_SECONDS = 20;

/** What a run of several servers is set up with. */
export interface Setting {
	readonly profile?: LatencyProfileName;
	readonly seed?: number;
	/** Seconds by which the servers' wall clocks are ahead, in order. */
	readonly skews?: ReadonlyArray<number>;
	/** Seconds by which a scenario's {@link Servers.midSession} moves the clocks, the second server's the other way. */
	readonly step?: number;
	readonly driver?: Partial<DriverOptions<Coins>>;
	/** For the first server's driver alone. */
	readonly firstDriver?: Partial<DriverOptions<Coins>>;
}

/** How a join ended. */
export interface Arrival {
	readonly player: Player;
	readonly profile?: Profile<Coins>;
	readonly cause?: BatonError;
	/** Virtual seconds from the join to its end. */
	readonly seconds: number;
}

/** A join under way. */
export interface Coming {
	readonly player: Player;
	ended?: Arrival;
}

/** Throws `what` where `condition` does not hold. */
export function must(condition: boolean, what: string): asserts condition {
	if (!condition) error(what, 2);
}

/** Several servers with a driver of coins on each, their presence settled. */
export class Servers {
	public readonly s1: PlayerGame;
	public readonly s2: PlayerGame;
	public readonly s3: PlayerGame;
	public readonly all: ReadonlyArray<PlayerGame>;

	public constructor(
		public readonly world: World,
		private readonly setting: Setting,
	) {
		const games = [0, 1, 2].map(
			(place) =>
				new PlayerGame(world, {
					server: { skew: setting.skews?.[place] },
					driver: { ...setting.driver, ...(place === 0 ? setting.firstDriver : {}) },
				}),
		);
		[this.s1, this.s2, this.s3] = games;
		this.all = games;
		world.wait(SETTLE_SECONDS);
	}

	/** A point in the middle of a session at which the wall clocks step, where the setting says so. */
	public midSession(): void {
		const { step } = this.setting;
		if (step === undefined) return;
		this.all.forEach(({ server }, place) => {
			if (server.alive) server.stepClock(place % 2 === 0 ? step : -step);
		});
	}

	/** Lets the user in; `ended` is there once the load has ended, however. Does not yield. */
	public coming(host: PlayerGame, user = USER): Coming {
		const since = this.world.now();
		const player = host.server.join(user);
		const coming: Coming = { player };
		host.server.spawn(() => {
			const loaded = host.driver.waitForProfile(player);
			const seconds = this.world.now() - since;
			coming.ended = loaded.success
				? { player, profile: loaded.value, seconds }
				: { player, cause: loaded.error, seconds };
		});
		return coming;
	}

	/** Yields until a load has ended. */
	public ended(coming: Coming): Arrival {
		this.world.waitUntil(() => coming.ended !== undefined, 120);
		return coming.ended!;
	}

	/** Lets the user in and yields until the load has ended, however. */
	public arrive(host: PlayerGame, user = USER): Arrival {
		return this.ended(this.coming(host, user));
	}

	/** A user with a profile, of whose coins `saved` are stored and `unsaved` more are not. */
	public settle(
		host: PlayerGame,
		saved: number,
		unsaved = 0,
	): { readonly player: Player; readonly profile: Profile<Coins> } {
		const arrival = host.join(USER);
		host.set(arrival.profile, saved);
		host.server.run(() => arrival.profile.save()).unwrap();
		if (unsaved !== 0) host.set(arrival.profile, saved + unsaved);
		return arrival;
	}

	public lock(): StoredLock | undefined {
		return this.s1.record(KEY)?.Lock;
	}

	/** Whether the record is under a lock of this server. */
	public holds(host: PlayerGame): boolean {
		return this.lock()?.JobId === host.server.jobId;
	}

	/** Messages to a server are lost, until the returned function is called. */
	public deafen(host: PlayerGame): () => void {
		const fault = this.world.faults.add({
			service: "Messaging",
			op: "Deliver",
			store: topicOf(host.server.jobId),
			effect: "drop",
		});
		return () => fault.remove();
	}

	/** Sends a request as `from` would, naming `token`. */
	public request(from: PlayerGame, to: PlayerGame, token: string | undefined, driver = STORE): void {
		const message: RequestMessage = { T: "Q", D: driver, K: KEY, R: from.server.jobId, L: token };
		from.server.run(() => from.server.platform.messaging.PublishAsync(topicOf(to.server.jobId), message));
	}

	/** How many messages from others have arrived at a server since. */
	public heard(host: PlayerGame, since = 0): number {
		return this.world.trace.count({
			service: "Messaging",
			op: "Deliver",
			server: host.server,
			outcome: "ok",
			since,
		});
	}

	/** Writes that changed the key, by one server or by all. */
	public writes(since: number, host?: PlayerGame): number {
		return this.world.trace.durableWrites({ key: KEY, server: host?.server, since });
	}

	/** Yields until a beat of the server was answered; it was applied a moment ago. */
	public awaitBeat(host: PlayerGame): void {
		const filter = { service: "MemoryStore", op: "SetAsync", server: host.server, outcome: "ok" } as const;
		const before = this.world.trace.count(filter);
		this.world.waitUntil(() => this.world.trace.count(filter) > before, 10);
	}

	/** When a server's last beat was applied. */
	public lastBeat(host: PlayerGame): number {
		const beats = this.world.trace.select({
			service: "MemoryStore",
			op: "SetAsync",
			store: PRESENCE_MAP,
			server: host.server,
		});
		let last = 0;
		for (const { appliedAt } of beats) if (appliedAt !== undefined) last = math.max(last, appliedAt);
		return last;
	}

	/** How many servers have warned of taking a lock from another. */
	public takings(): number {
		let count = 0;
		for (const { server } of this.all) {
			for (const warning of server.warnings)
				if (warning.find("took the lock", 1, true)[0] !== undefined) count += 1;
		}
		return count;
	}

	/** The user leaves `game`, and the record ends free and with `coins`. */
	public end(host: PlayerGame, player: Player, coins: number): void {
		host.server.leave(player);
		host.waitUntilFree(KEY);
		must(host.coins(KEY) === coins, `stored are ${host.coins(KEY)} coins, not ${coins}`);
	}
}

/** Runs `body` with three servers whose presence has settled. */
export function withServers(setting: Setting, body: (servers: Servers, world: World) => void): World {
	return simulate({ profile: setting.profile, seed: setting.seed ?? 1 }, (world) =>
		body(new Servers(world, setting), world),
	);
}
