import { DataDriver } from "../../../src/driver/dataDriver";
import { DriverOptions } from "../../../src/driver/options";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { LockOptions, OpenLockless } from "../../../src/lockless/openLockless";
import { StoredLock, StoredPending, StoredRecord } from "../../../src/record/types";
import { Result } from "../../../src/result";
import { Fault, FaultHandle } from "../../cloud/faults";
import { Server, ServerOptions } from "../../cloud/server";
import { World } from "../../cloud/world";

/** How a transaction takes a lock that it waits for as long as it has to. */
export const USUAL: LockOptions = {
	retry: { attempts: 5, base: 1 },
	waits: true,
	deadline: math.huge,
	goesOn: () => true,
};
export const STORE = "Guilds";
export const KEY = "Guild_1";

export interface GuildData {
	readonly bank: number;
	/** Every donation, in the order of its landing. */
	readonly log: ReadonlyArray<string>;
}

/** A server with a driver of shared records; every method runs on that server and yields the caller until it is done. */
export class Hall {
	public readonly server: Server;
	public readonly driver: DataDriver<GuildData>;

	public constructor(
		public readonly world: World,
		options: Partial<DriverOptions<GuildData>> = {},
		serverOptions: ServerOptions = {},
	) {
		this.server = world.startServer(serverOptions);
		this.driver = this.server.run(
			() =>
				new DataDriver<GuildData>({
					name: STORE,
					defaults: { bank: 0, log: [] },
					platform: this.server.platform,
					...options,
				}),
		);
	}

	public open(key = KEY): OpenLockless<GuildData> {
		return this.server.run(() => this.driver.lockless(key)).unwrap() as OpenLockless<GuildData>;
	}

	public give(profile: LocklessProfile<GuildData>, what: string, coins = 1): Result<undefined> {
		return this.server.run(() => profile.update(donation(what, coins)));
	}

	public save(profile: LocklessProfile<GuildData>): Result<undefined> {
		return this.server.run(() => profile.save());
	}

	public fetch(profile: LocklessProfile<GuildData>): Result<GuildData> {
		return this.server.run(() => profile.fetch());
	}

	public close(profile: LocklessProfile<GuildData>): Result<undefined> {
		return this.server.run(() => profile.close());
	}

	/** Starts `body` on this server and tells later what it returned and when. */
	public start<T>(body: () => T): { answer?: T; answeredAt?: number } {
		const started: { answer?: T; answeredAt?: number } = {};
		this.server.spawn(() => {
			started.answer = body();
			started.answeredAt = this.world.now();
		});
		return started;
	}
}

/** An update that notes `what` and adds `coins`. */
export function donation(what: string, coins = 1): (data: GuildData) => GuildData {
	return (data) => ({ ...data, bank: data.bank + coins, log: [...data.log, what] });
}

/** The stored record of a key. */
export function stored(world: World, key = KEY): StoredRecord | undefined {
	return world.store(STORE).get(key) as StoredRecord | undefined;
}

/** What was donated according to the store, in order. */
export function logOf(world: World, key = KEY): string {
	return ((stored(world, key)?.Data as GuildData | undefined)?.log ?? []).join(" ");
}

/** Puts a record into the store, as if somebody had written it now. */
export function put(world: World, change: Partial<StoredRecord>, key = KEY): void {
	const data: GuildData = { bank: 0, log: [] };
	world.store(STORE).set(key, { Data: data, Meta: { Turn: 1, Migrations: [] }, ...change });
}

/** A transaction's lock of some other server. */
export function foreignTxLock(change: Partial<StoredLock> = {}): StoredLock {
	return { JobId: "elsewhere", Token: "tx1", Turn: 1, Seq: 0, Time: 0, Tx: true, ...change };
}

/** A prepared outcome of some other server's transaction x1. */
export function foreignPending(change: Partial<StoredPending> = {}): StoredPending {
	return { Id: "x1", Data: { bank: 100, log: ["tx"] }, Migrations: [], JobId: "elsewhere", ...change };
}

/** Writes the marker of a transaction. */
export function mark(world: World, id: string, outcome: string): void {
	world.store("CKMarkers").set(id, outcome);
}

/** A fault at the updates of the shared record. */
export function breakFlushes(world: World, fault: Omit<Fault, "service" | "op" | "key">, key = KEY): FaultHandle {
	return world.faults.add({ service: "DataStore", op: "UpdateAsync", key, ...fault });
}

/** Writes of the record that were applied. */
export function writesOf(world: World, since = 0, key = KEY): number {
	return world.trace.durableWrites({ store: STORE, key, since });
}
