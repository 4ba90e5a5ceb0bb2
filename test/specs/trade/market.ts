import { plainKernel } from "../../../src/driver/kernel";
import { Profile } from "../../../src/driver/profile";
import { Result } from "../../../src/result";
import { Journal } from "../../../src/trade/journal";
import { trade, TradeChange, TradeOptions, TradeResult } from "../../../src/trade/trade";
import { Fault, FaultHandle } from "../../cloud/faults";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { Coins, GameOptions, PlayerGame, STORE } from "../driver/playerGame";

export const [KEY_A, KEY_B] = ["Player_1", "Player_2"];
/** What A pays B. */
export const PRICE = 10;

/** A payment of {@link PRICE} from the first to the second. */
export const payment = (mine: Coins, yours: Coins): TradeChange<Coins> => [
	{ coins: mine.coins - PRICE },
	{ coins: yours.coins + PRICE },
];

/** A trade that runs beside the spec, and how it ended. */
export interface Running {
	result?: Result<TradeResult>;
	thrown?: unknown;
	endedAt?: number;
}

/** Two players with 100 coins each on one server, saved, and the durable writes from then on numbered from 1. */
export class Market {
	public readonly game: PlayerGame;
	public readonly playerA: Player;
	public readonly playerB: Player;
	public readonly a: Profile<Coins>;
	public readonly b: Profile<Coins>;
	/** The keys of `transactionEnded`. */
	public readonly ended = new Array<string>();
	/** Virtual second from which the trace counts. */
	public readonly since: number;

	public constructor(
		public readonly world: World,
		options: GameOptions = {},
	) {
		this.game = new PlayerGame(world, { ...options, attach: false });
		const kernel = plainKernel(this.game.server.platform);
		kernel.events.transactionEnded.connect((key) => this.ended.push(key));
		this.run(() => this.game.driver.attach(kernel));
		world.wait(20);
		const [first, second] = [this.game.join(1), this.game.join(2)];
		[this.playerA, this.playerB] = [first.player, second.player];
		[this.a, this.b] = [first.profile, second.profile];
		for (const profile of [this.a, this.b]) {
			this.game.set(profile, 100).unwrap();
			this.run(() => profile.save()).unwrap();
		}
		this.since = world.now();
	}

	/** Runs on the market's server. */
	public run<T>(body: () => T): T {
		return this.game.server.run(body);
	}

	/** A trade from A to B; yields until it ends. */
	public pay(options?: TradeOptions, mutate = payment): Result<TradeResult> {
		return this.run(() => trade(this.a, this.b, mutate, options));
	}

	/** The same beside the spec. */
	public start(options?: TradeOptions): Running {
		return this.beside(() => trade(this.a, this.b, payment, options));
	}

	/** Any trade beside the spec. */
	public beside(body: () => Result<TradeResult>): Running {
		const running: Running = {};
		this.game.server.spawn(() => {
			const [fine, result] = pcall(body);
			if (fine) running.result = result;
			else running.thrown = result;
			running.endedAt = this.world.now();
		});
		return running;
	}

	/** Hits the updates of a key of the market's server from now on. */
	public fault(fault: Omit<Fault, "service">): FaultHandle {
		return this.world.faults.add({ service: "DataStore", store: STORE, server: this.game.server, ...fault });
	}

	/** Hits the market's nth durable write from now on. */
	public atWrite(nth: number, effect: Fault["effect"], more: Partial<Fault> = {}): FaultHandle {
		return this.fault({ durableOnly: true, op: "UpdateAsync", nth, count: 1, effect, ...more });
	}

	/** Both stored amounts, as in `90/110`. */
	public stored(): string {
		return `${this.game.coins(KEY_A)}/${this.game.coins(KEY_B)}`;
	}

	/** Both amounts in memory. */
	public live(): string {
		return `${this.a.data.coins}/${this.b.data.coins}`;
	}

	/** Durable writes since the market is open. */
	public writes(): number {
		return this.world.trace.durableWrites({ service: "DataStore", store: STORE, since: this.since });
	}
}

/** Makes a world with a market in it and runs `body`. */
export function open(body: (market: Market, world: World) => void, options: GameOptions = {}): World {
	return simulate({ seed: 1 }, (world) => body(new Market(world, options), world));
}

/** The keys of stored journals. */
export function journalKeys(world: World): ReadonlyArray<string> {
	return world
		.store(STORE)
		.keys()
		.filter((key) => key.find("CKTxn_", 1, true)[0] === 1);
}

/** The one stored journal; throws where there is another number of them. */
export function theJournal(world: World): Journal {
	const keys = journalKeys(world);
	if (keys.size() !== 1) error(`${keys.size()} journals are stored, not one`, 2);
	return world.store(STORE).get(keys[0]) as Journal;
}

/** Lets both in on a fresh server, one after the other; both amounts. */
export function reload(world: World, order: ReadonlyArray<number> = [1, 2]): string {
	const fresh = new PlayerGame(world);
	const coins = new Map<number, number>();
	for (const user of order) {
		for (let tries = 0; tries < 20; tries++) {
			const loaded = fresh.wait(fresh.server.join(user));
			if (loaded.success) {
				coins.set(user, loaded.value.data.coins);
				break;
			}
			world.wait(5);
		}
	}
	return `${coins.get(1)}/${coins.get(2)}`;
}
