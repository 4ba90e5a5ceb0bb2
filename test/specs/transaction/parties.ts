import { DataDriver } from "../../../src/driver/dataDriver";
import { DriverOptions } from "../../../src/driver/options";
import { Profile } from "../../../src/driver/profile";
import { BatonError } from "../../../src/errors";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { StoredLock, StoredRecord } from "../../../src/record/types";
import { Result } from "../../../src/result";
import { TransactionConfig } from "../../../src/transaction/config";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { transaction } from "../../../src/transaction/transaction";
import { Fault, FaultHandle } from "../../cloud/faults";
import { LatencyProfileName } from "../../cloud/latency";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";

/** The data of every party. */
export interface Purse {
	readonly coins: number;
	readonly items: ReadonlyArray<string>;
}

/** One participant of the transactions of a case. */
export interface Party {
	readonly store: string;
	readonly key: string;
	readonly isLockless: boolean;
}

function locked(store: string, key: string): Party {
	return { store, key, isLockless: false };
}

function lockless(store: string, key: string): Party {
	return { store, key, isLockless: true };
}

/** A named set of participants. */
export type Cast = readonly [name: string, parties: ReadonlyArray<Party>];

/** The sets of participants that every rule is shown for. */
export const CASTS: ReadonlyArray<Cast> = [
	["2 locked", [locked("Players", "A"), locked("Players", "B")]],
	["1 locked, 1 lockless", [locked("Players", "A"), lockless("Guilds", "G")]],
	["2 lockless", [lockless("Guilds", "G"), lockless("Guilds", "H")]],
	[
		"5 mixed over three stores",
		[
			locked("Players", "A"),
			locked("Players", "B"),
			lockless("Guilds", "G"),
			lockless("Market", "M"),
			locked("Market", "N"),
		],
	],
];

/** The casts by themselves. */
export const [TWO_LOCKED, MIXED, TWO_LOCKLESS, FIVE] = CASTS.map(([, parties]) => parties);

export type Outcome = "committed" | "aborted";

/** Long enough for servers to have proved themselves alive. */
const SETTLE_SECONDS = 20;
const START = 100;

/** Throws `what` where `condition` does not hold. */
export function must(condition: boolean, what: string): asserts condition {
	if (!condition) error(what, 2);
}

/** What a party has before the transaction, and after: the first pays one coin to each other and hands an item round. */
function purseOf(cast: ReadonlyArray<Party>, index: number, outcome: Outcome): Purse {
	const count = cast.size();
	if (outcome === "aborted") return { coins: START, items: [cast[index].key] };
	const coins = index === 0 ? START - (count - 1) : START + 1;
	return { coins, items: [cast[(index + count - 1) % count].key] };
}

function isSame(data: Purse, expected: Purse): boolean {
	return data.coins === expected.coins && data.items.join() === expected.items.join();
}

/** A server with a driver for each store of a cast. */
export class House {
	public readonly server: Server;
	private readonly drivers = new Map<string, DataDriver<Purse>>();

	public constructor(
		public readonly world: World,
		cast: ReadonlyArray<Party>,
		options: Partial<DriverOptions<Purse>> = {},
		server?: Server,
	) {
		this.server = server ?? world.startServer();
		this.server.run(() => {
			for (const { store } of cast) {
				if (this.drivers.has(store)) continue;
				const driver = new DataDriver<Purse>({
					name: store,
					defaults: { coins: 0, items: [] },
					platform: this.server.platform,
					...options,
				});
				driver.attach();
				this.drivers.set(store, driver);
			}
		});
	}

	public driver(store: string): DataDriver<Purse> {
		return this.drivers.get(store)!;
	}

	/** Loads a party's session-locked record; tries until `seconds` have passed. Yields. */
	public load({ store, key }: Party, seconds = 400): Result<Profile<Purse>> {
		const deadline = this.world.now() + seconds;
		for (;;) {
			const loaded = this.server.run(() => this.driver(store).load(key, { waitForLock: true }));
			if (loaded.success || this.world.now() >= deadline) return loaded;
			must(loaded.error.type !== "unresolved_transaction", `${key} cannot be resolved: ${loaded.error}`);
			this.world.wait(1);
		}
	}

	public lockless({ store, key }: Party): LocklessProfile<Purse> {
		return this.server.run(() => this.driver(store).lockless(key)).unwrap();
	}

	/** What a party's own kind of reader finds. Yields. */
	public read(party: Party): Purse {
		if (!party.isLockless) return this.load(party).unwrap().data;
		const profile = this.lockless(party);
		return this.server.run(() => profile.fetch()).unwrap();
	}

	public peek({ store, key }: Party): Purse | undefined {
		return this.server.run(() => this.driver(store).peek(key)).unwrap();
	}

	/** Every open profile is released, every lockless one flushed and closed. Yields. */
	public close(): void {
		for (const [, driver] of this.drivers) this.server.run(() => driver.close());
	}
}

/** A cast on one server, its data stored, and the transaction over it. */
export class Parties {
	public readonly host: House;
	public readonly profiles: ReadonlyArray<Profile<Purse> | LocklessProfile<Purse>>;
	/** What the transaction answered. */
	public answer?: Result<boolean>;
	/** Virtual second from which durable writes are numbered. */
	public readonly since: number;

	public constructor(
		public readonly world: World,
		public readonly cast: ReadonlyArray<Party>,
		options: Partial<DriverOptions<Purse>> = {},
	) {
		this.host = new House(world, cast, options);
		world.wait(SETTLE_SECONDS);
		this.profiles = cast.map((party, index) => {
			const start = purseOf(cast, index, "aborted");
			const { server } = this.host;
			if (party.isLockless) {
				const profile = this.host.lockless(party);
				server.run(() => profile.update(() => start)).unwrap();
				server.run(() => profile.save()).unwrap();
				return profile;
			}
			const profile = this.host.load(party).unwrap();
			server.run(() => profile.update(() => start)).unwrap();
			server.run(() => profile.save()).unwrap();
			return profile;
		});
		this.since = world.now();
	}

	/** One more server. */
	public another(): House {
		return new House(this.world, this.cast);
	}

	/** Runs the transaction; yields until it has answered. */
	public run(config?: TransactionConfig): Result<boolean> {
		return this.host.server.run(() =>
			transaction(
				this.profiles,
				(ctx) => {
					this.profiles.forEach((profile, index) => {
						const before = ctx.get(profile);
						must(
							isSame(before, purseOf(this.cast, index, "aborted")),
							`${profile.key} was read as ${before.coins}`,
						);
						ctx.set(profile, purseOf(this.cast, index, "committed"));
					});
				},
				config,
			),
		);
	}

	/** Starts the transaction. Does not yield. */
	public start(config?: TransactionConfig): void {
		this.host.server.spawn(() => {
			this.answer = this.run(config);
		});
	}

	/** Yields until the transaction has answered. */
	public answered(seconds = 300): Result<boolean> {
		this.world.waitUntil(() => this.answer !== undefined, seconds);
		return this.answer!;
	}

	public record({ store, key }: Party): StoredRecord {
		return this.world.store(store).get(key) as StoredRecord;
	}

	public markers(): ReadonlyArray<string> {
		return this.world.store(MARKER_STORE).keys();
	}

	/** Which outcome data show; throws where they show neither. */
	public outcomeOf(data: Purse | undefined, party: Party): Outcome {
		const index = this.cast.indexOf(party);
		for (const outcome of ["aborted", "committed"] as const) {
			if (data !== undefined && isSame(data, purseOf(this.cast, index, outcome))) return outcome;
		}
		return error(
			`${party.key} has ${data?.coins} coins and [${data?.items.join()}], which is neither before nor after`,
		);
	}

	/** A fault on the host's calls of a store. */
	public fault(fault: Omit<Fault, "service">): FaultHandle {
		return this.world.faults.add({ service: "DataStore", server: this.host.server, ...fault });
	}

	/** Every party read by its own kind of reader on `house`, in this order: all must show one outcome. */
	public readAll(house: House, parties: ReadonlyArray<Party> = this.cast): Outcome {
		const seen = parties.map((party) => this.outcomeOf(house.read(party), party));
		return this.agreed(seen, "read");
	}

	/** The host lets go of everything, and another server reads it; one outcome, nothing left. */
	public readAllAfterClose(house: House): Outcome {
		this.host.close();
		const outcome = this.readAll(house);
		house.close();
		this.checkAnswer(this.audit(outcome));
		return outcome;
	}

	/** Every party peeked at. */
	public peekAll(house: House, parties: ReadonlyArray<Party> = this.cast): Outcome {
		return this.agreed(
			parties.map((party) => this.outcomeOf(house.peek(party), party)),
			"peeked at",
		);
	}

	private agreed(seen: ReadonlyArray<Outcome>, how: string): Outcome {
		const all = this.cast.map((party, index) => `${party.key} ${seen[index]}`).join(", ");
		must(
			seen.every((outcome) => outcome === seen[0]),
			`the parties were ${how} as ${all}`,
		);
		return seen[0];
	}

	/** After a healthy write of each key: one outcome, no `Pending`, no transaction's lock; sums and items conserved. */
	public audit(expected?: Outcome): Outcome {
		const seen = this.cast.map((party) => {
			const record = this.record(party);
			must(record.Pending === undefined, `${party.key} still has a Pending`);
			must(record.Lock?.Tx !== true, `${party.key} is still under a transaction's lock`);
			return this.outcomeOf(record.Data as Purse, party);
		});
		const outcome = this.agreed(seen, "stored");
		must(expected === undefined || outcome === expected, `the transaction is ${outcome}, not ${expected}`);
		return outcome;
	}

	/** Whether what the transaction answered is true of what is stored. */
	public checkAnswer(outcome: Outcome): void {
		const { answer } = this;
		if (answer === undefined) return;
		if (answer.success)
			must(answer.value === (outcome === "committed"), `it answered ${answer.value} and is ${outcome}`);
		else if (answer.error.type !== "tx_unknown") {
			must(outcome === "aborted", `it answered ${answer.error.type}, and it is committed`);
		}
	}
}

/** A cast and two fresh servers; `body` interrupts the transaction and looks at what becomes of it. */
export function withParties(
	cast: ReadonlyArray<Party>,
	body: (parties: Parties, fresh: ReadonlyArray<House>, world: World) => void,
	{ profile = "fast", seed = 1 }: { readonly profile?: LatencyProfileName; readonly seed?: number } = {},
): World {
	return simulate({ profile, seed }, (world) => {
		const parties = new Parties(world, cast);
		const fresh = [parties.another(), parties.another()];
		world.wait(SETTLE_SECONDS);
		body(parties, fresh, world);
	});
}

/** The type of an answer's error; throws where it is a success. */
export function errorOf(answer: Result<unknown>): BatonError {
	if (answer.success) error("it succeeded", 2);
	return answer.error;
}

/** Another server's transaction has a key for good. */
export function occupy({ world }: Parties, { store, key }: Party): void {
	const record = world.store(store).get(key) as StoredRecord;
	const Turn = record.Meta.Turn + 1;
	const Lock: StoredLock = {
		JobId: "elsewhere",
		Token: `theirs ${key}`,
		Turn,
		Seq: 0,
		Time: 0,
		Tx: true,
		Expires: 100_000,
	};
	world.store(store).set(key, { ...record, Lock, Meta: { ...record.Meta, Turn } });
}
