import { DataDriver } from "../../../src/driver/dataDriver";
import { Profile } from "../../../src/driver/profile";
import { BatonError } from "../../../src/errors";
import { RESERVED_PREFIX } from "../../../src/record/limits";
import { StoredRecord } from "../../../src/record/types";
import { Result } from "../../../src/result";
import { Journal } from "../../../src/trade/journal";
import { trade, TradeResult } from "../../../src/trade/trade";
import { Fault } from "../../cloud/faults";
import { Server, ServerOptions } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World, WorldOptions } from "../../cloud/world";

/** The data of the traders' game. */
export interface Goods {
	readonly coins: number;
	readonly items: ReadonlyArray<string>;
}

export const STORE = "Goods";
export const USERS = { A: 1, B: 2 };
export type Side = keyof typeof USERS;
export const SIDES: ReadonlyArray<Side> = ["A", "B"];
export const KEYS: Readonly<Record<Side, string>> = { A: "Player_1", B: "Player_2" };
export const TRADE_ID = "swap-1";
/** Long enough for servers to have proved themselves alive. */
const SETTLE_SECONDS = 20;
/** Longer than a stopped server's lock protects its record. */
const JOIN_SECONDS = 400;

const BEFORE: Readonly<Record<Side, Goods>> = {
	A: { coins: 100, items: ["sword"] },
	B: { coins: 100, items: ["shield"] },
};
const AFTER: Readonly<Record<Side, Goods>> = {
	A: { coins: 90, items: ["shield"] },
	B: { coins: 110, items: ["sword"] },
};

/** Throws `what` where `condition` does not hold. */
export function must(condition: boolean, what: string): asserts condition {
	if (!condition) error(what, 2);
}

function isSame(data: Goods, expected: Goods): boolean {
	return data.coins === expected.coins && data.items.join() === expected.items.join();
}

export function sibling(side: Side): Side {
	return side === "A" ? "B" : "A";
}

/** A server with the traders' game. */
export class Market {
	public readonly server: Server;
	public readonly driver: DataDriver<Goods>;
	private readonly answers = new Map<Player, { readonly profile?: Profile<Goods>; readonly cause?: BatonError }>();

	public constructor(
		public readonly world: World,
		options?: ServerOptions,
	) {
		this.server = world.startServer(options);
		this.driver = this.server.run(() => {
			const driver = new DataDriver<Goods>({
				name: STORE,
				defaults: { coins: 0, items: [] },
				platform: this.server.platform,
			});
			driver.onReady.connect((player, profile) => this.answers.set(player, { profile }));
			driver.onLoadFailed.connect((player, cause) => this.answers.set(player, { cause }));
			driver.attach();
			return driver;
		});
	}

	/** Lets the user in; `ended` tells how, once it is over. Does not yield. */
	public coming(side: Side): () => { readonly profile?: Profile<Goods>; readonly cause?: BatonError } | undefined {
		const player = this.server.join(USERS[side]);
		return () => this.answers.get(player);
	}

	/** Lets the user in and yields until the load has ended, however. */
	public join(side: Side): { readonly profile?: Profile<Goods>; readonly cause?: BatonError } {
		const ended = this.coming(side);
		this.world.waitUntil(() => ended() !== undefined, JOIN_SECONDS);
		return ended()!;
	}

	/** Lets the user in, once more after each failure, for as long as a lock protects a record. */
	public joined(side: Side): Profile<Goods> {
		const deadline = this.world.now() + JOIN_SECONDS;
		for (;;) {
			const { profile, cause } = this.join(side);
			if (profile !== undefined) return profile;
			must(cause!.type !== "recovery_failed", `${side} cannot be recovered: ${cause}`);
			must(this.world.now() < deadline, `${side} is not in after ${JOIN_SECONDS} s: ${cause}`);
			this.world.wait(1);
		}
	}

	/** Everyone leaves. Yields until their records are free. */
	public empty(): void {
		for (const player of this.server.players()) this.server.leave(player);
	}
}

/** Two traders on one server, with their goods saved, and the trade between them. */
export class Traders {
	public readonly host: Market;
	public readonly profiles: Record<Side, Profile<Goods>>;
	/** What the trade answered. */
	public answer?: Result<TradeResult>;

	public constructor(
		public readonly world: World,
		options?: ServerOptions,
	) {
		this.host = new Market(world, options);
		world.wait(SETTLE_SECONDS);
		const settle = (side: Side) => {
			const profile = this.host.joined(side);
			this.host.server.run(() => profile.update(() => BEFORE[side])).unwrap();
			this.host.server.run(() => profile.save()).unwrap();
			return profile;
		};
		this.profiles = { A: settle("A"), B: settle("B") };
	}

	/** Starts the trade. Does not yield. */
	public start(id = TRADE_ID): void {
		const { A, B } = this.profiles;
		this.host.server.spawn(() => {
			this.answer = trade(A, B, () => [AFTER.A, AFTER.B], { id });
		});
	}

	/** Yields until the trade has answered. */
	public answered(seconds = 200): Result<TradeResult> {
		this.world.waitUntil(() => this.answer !== undefined, seconds);
		return this.answer!;
	}

	public record(side: Side): StoredRecord {
		return this.world.store(STORE).get(KEYS[side]) as StoredRecord;
	}

	public points(side: Side): boolean {
		return this.record(side).Meta.PendingTransaction !== undefined;
	}

	public journalKeys(): ReadonlyArray<string> {
		return this.world
			.store(STORE)
			.keys()
			.filter((key) => key.sub(1, RESERVED_PREFIX.size()) === RESERVED_PREFIX);
	}

	/** The only journal, if there is one. */
	public journal(): Journal | undefined {
		const keys = this.journalKeys();
		must(keys.size() < 2, "there is more than one journal");
		return keys.isEmpty() ? undefined : (this.world.store(STORE).get(keys[0]) as Journal);
	}

	public outcome(data: Goods, side: Side): Outcome {
		if (isSame(data, BEFORE[side])) return "aborted";
		must(
			isSame(data, AFTER[side]),
			`${side} has ${data.coins} coins and [${data.items.join()}], which is neither before nor after`,
		);
		return "committed";
	}

	/** Adds a fault on this store; `server` is the traders' where none is given. */
	public fault(fault: Omit<Fault, "service" | "store">): ReturnType<World["faults"]["add"]> {
		return this.world.faults.add({ service: "DataStore", store: STORE, server: this.host.server, ...fault });
	}

	/**
	 * After one touch of each key: both records hold the same outcome, each item is on one side, no pointer is left and the
	 * id is noted where the trade is committed. A journal may remain only where `mayLeaveJournal`, tagged with both owners.
	 */
	public audit(expected: Outcome | undefined, mayLeaveJournal = false): Outcome {
		const [a, b] = SIDES.map((side) => this.record(side));
		const outcome = this.outcome(a.Data as Goods, "A");
		const other = this.outcome(b.Data as Goods, "B");
		must(outcome === other, `A is ${outcome}, B is ${other}`);
		must(expected === undefined || outcome === expected, `the trade is ${outcome}, not ${expected}`);
		for (const record of [a, b]) {
			must(record.Meta.PendingTransaction === undefined, "a pointer is left");
			const noted = (record.Meta.TransactionIds ?? []).filter((id) => id === TRADE_ID).size();
			must(
				noted === (outcome === "committed" ? 1 : 0),
				`the id is noted ${noted} times, the trade is ${outcome}`,
			);
		}
		const owners: ReadonlyArray<number> = [USERS.A, USERS.B];
		for (const key of this.journalKeys()) {
			const journal = this.world.store(STORE).get(key) as Journal;
			must(mayLeaveJournal, `a journal is left, ${journal.State}`);
			const tags = this.world.store(STORE).info(key)!.userIds;
			must(tags.join() === owners.join(), `the journal that is left is tagged with [${tags.join()}]`);
			must(journal.Meta.UserIds.join() === owners.join(), "the journal that is left does not name its owners");
		}
		return outcome;
	}

	/** Whether what the trade answered is true of what is stored. */
	public checkAnswer(outcome: Outcome): void {
		const { answer } = this;
		if (answer === undefined) return;
		if (answer.success) must(outcome === "committed", "the trade answered that it is committed, and it is not");
		else if (answer.error.type !== "pending_recovery") {
			must(outcome === "aborted", `the trade answered ${answer.error.type}, and it is committed`);
		}
	}

	/** The data that a load gives are those of the outcome that is stored in the end, from the first load on. */
	public check(profile: Profile<Goods>, side: Side): Outcome {
		return this.outcome(profile.data, side);
	}
}

export type Outcome = "committed" | "aborted";

/** How both are loaded after an interruption. */
export interface Follow {
	readonly title: string;
	/** Whether it needs the traders' server to live. */
	readonly needsHost?: boolean;
	readonly run: (traders: Traders, fresh: ReadonlyArray<Market>) => void;
}

function touch(traders: Traders, market: Market, sides: ReadonlyArray<Side>): void {
	const seen = sides.map((side) => traders.check(market.joined(side), side));
	must(seen[0] === seen[1], `${sides[0]} was loaded as ${seen[0]}, ${sides[1]} as ${seen[1]}`);
}

/** Each loaded first, on a fresh server, by two at once, and on the same one. */
export const FOLLOWS: ReadonlyArray<Follow> = [
	{ title: "A then B on a fresh server", run: (traders, [fresh]) => touch(traders, fresh, ["A", "B"]) },
	{ title: "B then A on a fresh server", run: (traders, [fresh]) => touch(traders, fresh, ["B", "A"]) },
	{
		title: "A and B on two servers at once",
		run: (traders, [one, two]) => {
			const { world } = traders;
			const seen = new Map<Side, Outcome>();
			one.server.spawn(() => seen.set("A", traders.check(one.joined("A"), "A")));
			two.server.spawn(() => seen.set("B", traders.check(two.joined("B"), "B")));
			world.waitUntil(() => seen.size() === 2, JOIN_SECONDS);
			must(seen.get("A") === seen.get("B"), `A was loaded as ${seen.get("A")}, B as ${seen.get("B")}`);
		},
	},
	{
		title: "both on two servers at once",
		run: (traders, [one, two]) => {
			const { world } = traders;
			const ended = new Array<() => unknown>();
			for (const side of SIDES) for (const market of [one, two]) ended.push(market.coming(side));
			world.waitUntil(() => ended.every((each) => each() !== undefined), JOIN_SECONDS);
			one.empty();
			two.empty();
			world.wait(5);
			touch(traders, one, ["A", "B"]);
		},
	},
	{
		title: "A then B on the same server",
		needsHost: true,
		run: (traders) => touch(traders, traders.host, ["A", "B"]),
	},
	{
		title: "B then A on the same server",
		needsHost: true,
		run: (traders) => touch(traders, traders.host, ["B", "A"]),
	},
];

/** What a spec of traders runs in. */
export interface Setting extends WorldOptions {
	/** Servers beside the traders'. Default 2. */
	readonly servers?: number;
	/** Seconds by which the wall clock of the traders' server is ahead; the others' are as much behind. */
	readonly skew?: number;
}

/** Two traders, and two fresh servers; `body` interrupts the trade, then `follow` loads both. */
export function withTraders(
	body: (traders: Traders, fresh: ReadonlyArray<Market>, world: World) => void,
	setting: Setting = {},
): World {
	const { servers = 2, skew = 0 } = setting;
	return simulate({ seed: 1, ...setting }, (world) => {
		const traders = new Traders(world, { skew });
		const fresh = new Array<Market>();
		while (fresh.size() < servers) fresh.push(new Market(world, { skew: -skew }));
		world.wait(SETTLE_SECONDS);
		body(traders, fresh, world);
	});
}

/** Everyone leaves, and late writes have time to land. Yields. */
export function settle({ host, world }: Traders, fresh: ReadonlyArray<Market>, seconds = 5): void {
	for (const market of [host, ...fresh]) if (market.server.alive) market.empty();
	world.wait(seconds);
}
