import { Profile } from "../../../src/driver/profile";
import { receipts, ReceiptHandlers } from "../../../src/receipts/receipts";
import { Fault, FaultHandle } from "../../cloud/faults";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { Coins, GameOptions, PlayerGame, STORE } from "../driver/playerGame";

export const USER = 7;
export const KEY = "Player_7";
/** The product that gives {@link PACK} coins. */
export const PRODUCT = 501;
export const PACK = 100;
/** What the player has before anything is bought. */
export const START = 5;
/** Long enough for servers to have proved themselves alive. */
export const SETTLE_SECONDS = 20;

/** What Roblox hears, or nothing yet. */
export type Answer = "granted" | "not yet" | undefined;

/** One call of the callback. */
export interface Asked {
	answer: Answer;
	/** Virtual second of the answer. */
	at?: number;
}

/** The usual shop: a pack of coins. */
export const PACKS: ReceiptHandlers<Coins> = { [PRODUCT]: (data) => ({ ...data, coins: data.coins + PACK }) };

export function receiptOf(purchase = "P1", fields: Partial<ReceiptInfo> = {}): ReceiptInfo {
	return {
		PlayerId: USER,
		PlaceIdWherePurchased: 1,
		PurchaseId: purchase,
		ProductId: PRODUCT,
		CurrencyType: Enum.CurrencyType.Robux,
		CurrencySpent: 10,
		...fields,
	};
}

/** A server whose game sells packs of coins. */
export class Shop {
	public readonly game: PlayerGame;
	public readonly callback: (receipt: ReceiptInfo) => Enum.ProductPurchaseDecision;

	public constructor(
		public readonly world: World,
		options: GameOptions = {},
		handlers: ReceiptHandlers<Coins> = PACKS,
	) {
		this.game = new PlayerGame(world, options);
		this.callback = receipts(this.game.driver, handlers);
	}

	/** Roblox calls the callback; does not wait for the answer. */
	public ask(receipt = receiptOf()): Asked {
		const asked: Asked = { answer: undefined };
		this.game.server.spawn(() => {
			const decision = this.callback(receipt);
			asked.answer = decision === Enum.ProductPurchaseDecision.PurchaseGranted ? "granted" : "not yet";
			asked.at = this.world.now();
		});
		return asked;
	}

	/** The same, and yields until it is answered. */
	public answer(receipt?: ReceiptInfo): Answer {
		const asked = this.ask(receipt);
		this.world.waitUntil(() => asked.answer !== undefined, 400);
		return asked.answer;
	}

	/** As Roblox does it: asks again every 5 s until it is granted. Yields. */
	public askUntilGranted(receipt?: ReceiptInfo, seconds = 600): void {
		const deadline = this.world.now() + seconds;
		while (this.answer(receipt) !== "granted") {
			if (this.world.now() > deadline) error(`the purchase was not granted within ${seconds} s`, 2);
			this.world.wait(5);
		}
	}

	/** Lets the buyer in, however long their join waits; kicked ones come back. Yields. */
	public join(): { readonly player: Player; readonly profile: Profile<Coins> } {
		for (let tries = 0; tries < 30; tries++) {
			const player = this.game.server.join(USER);
			const loaded = this.game.wait(player);
			if (loaded.success) return { player, profile: loaded.value };
			this.game.server.leave(player);
			this.world.wait(5);
		}
		error("the buyer cannot join", 2);
	}

	/** The buyer is here, with {@link START} coins stored. Yields. */
	public open(): { readonly player: Player; readonly profile: Profile<Coins> } {
		const joined = this.join();
		this.game.set(joined.profile, START).unwrap();
		this.game.server.run(() => joined.profile.save()).unwrap();
		return joined;
	}

	/** Hits updates of the buyer's record by this server from now on. */
	public fault(fault: Omit<Fault, "service">): FaultHandle {
		return this.world.faults.add({
			service: "DataStore",
			store: STORE,
			key: KEY,
			server: this.game.server,
			...fault,
		});
	}

	/** The coins that are stored. */
	public stored(): number | undefined {
		return this.game.coins(KEY);
	}

	/** Durable writes of the store since a virtual second. */
	public writes(since: number): number {
		return this.world.trace.durableWrites({ service: "DataStore", store: STORE, since });
	}
}

/** Makes a world with a shop in it whose buyer is there, and runs `body`. */
export function openShop(
	body: (shop: Shop, world: World, buyer: { readonly player: Player; readonly profile: Profile<Coins> }) => void,
	handlers?: ReceiptHandlers<Coins>,
	options?: GameOptions,
): World {
	return simulate({ seed: 1 }, (world) => {
		const shop = new Shop(world, options, handlers);
		world.wait(SETTLE_SECONDS);
		const buyer = shop.open();
		body(shop, world, buyer);
	});
}
