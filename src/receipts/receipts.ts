import { DataDriver } from "../driver/dataDriver";
import { OpenProfile } from "../driver/openProfile";
import { Profile } from "../driver/profile";
import { BatonError } from "../errors";
import { DeepReadonly } from "../record/deepReadonly";
import { err, Result } from "../result";
import { withinSeconds } from "../util/timeLimit";
import { grant } from "./grant";

/** How long a receipt waits for the player's profile, and for a trade that has it, in seconds, both together. */
export const WAIT_SECONDS = 30;
/** Keeps the ids of purchases apart from those that a game gives its trades. */
const PREFIX = "receipt:";
/** Longest id in a record, in bytes: as of a trade. */
const ID_BYTES = 100;

/**
 * What a purchase of one product does to the buyer's data: returns the next ones. It must not yield and should do nothing
 * else, since it runs again for the same purchase where a write failed.
 */
export type ReceiptHandler<T extends object> = (
	data: DeepReadonly<T>,
	receipt: Readonly<ReceiptInfo>,
) => DeepReadonly<T> | T;

/** The handler of each product, by its id. */
export type ReceiptHandlers<T extends object> = Readonly<Record<number, ReceiptHandler<T>>>;

/**
 * The callback for `MarketplaceService.ProcessReceipt`, over the players' profiles of an attached driver. Each purchase is
 * granted exactly once, whatever crashes, and however often and on however many servers Roblox asks: what the product's
 * handler returns and the purchase's id are stored in one write under the session lock, and `PurchaseGranted` is answered
 * only when that write is known to be stored. Everything else is `NotProcessedYet`, and Roblox asks again.
 *
 * Each record remembers its last 200 ids of purchases, trades and transactions together; the oldest go by count, never by
 * age.
 *
 * The callback yields, and never throws: up to 30 s for the player's profile and a trade that has it, then commonly for one
 * write, and for about a minute where the store keeps failing. It warns of what a developer should see. Making it does not
 * yield, and throws where `handlers` are no functions by product id.
 */
export function receipts<T extends object>(
	driver: DataDriver<T>,
	handlers: ReceiptHandlers<T>,
): (receipt: ReceiptInfo) => Enum.ProductPurchaseDecision {
	checkHandlers(handlers);
	return (receipt) => {
		const [fine, result] = pcall(() => process(driver, handlers, receipt));
		if (fine && result.success) return Enum.ProductPurchaseDecision.PurchaseGranted;
		const why = fine && !result.success ? result.error : result;
		// That players leave is nothing that anybody has to look into.
		if (!(why instanceof BatonError) || why.type !== "player_left") {
			driver.platform.warn(
				`Baton: purchase ${receipt.PurchaseId} of product ${receipt.ProductId} by user ${receipt.PlayerId} is not ` +
					`granted yet, Roblox will ask again: ${why}`,
			);
		}
		return Enum.ProductPurchaseDecision.NotProcessedYet;
	};
}

function checkHandlers(handlers: unknown): void {
	if (!typeIs(handlers, "table")) error("Baton: receipts takes a table of functions by product id", 3);
	for (const [product, handler] of pairs(handlers as Map<unknown, unknown>)) {
		if (!typeIs(product, "number")) {
			error(`Baton: receipts takes functions by product id, a number; "${tostring(product)}" is none`, 3);
		}
		if (!typeIs(handler, "function")) error(`Baton: receipts: product ${product} has no function`, 3);
	}
}

/** Ok where the purchase is granted, durably. */
function process<T extends object>(
	driver: DataDriver<T>,
	handlers: ReceiptHandlers<T>,
	receipt: ReceiptInfo,
): Result<true> {
	const id = `${PREFIX}${receipt.PurchaseId}`;
	if (!typeIs(receipt.PurchaseId, "string") || receipt.PurchaseId === "" || id.size() > ID_BYTES) {
		error(`its id is no text of 1 to ${ID_BYTES - PREFIX.size()} bytes`, 0);
	}
	const handler = handlers[receipt.ProductId];
	if (handler === undefined) error(`receipts has no function for product ${receipt.ProductId}`, 0);
	const { platform } = driver;
	const deadline = platform.clock() + WAIT_SECONDS;
	const loaded = profileOf(driver, receipt.PlayerId);
	if (!loaded.success) return loaded;
	const profile = loaded.value as OpenProfile<T>;
	const what = `the function of product ${receipt.ProductId}`;
	for (;;) {
		profile.hold()?.wait(deadline - platform.clock());
		const granted = grant(profile, id, what, (data) => handler(data, receipt));
		const isBusy = !granted.success && granted.error.type === "busy";
		if (!isBusy || platform.clock() >= deadline) return granted;
	}
}

/** The profile of the user's newest Player instance. Yields until it is loaded. */
function profileOf<T extends object>(driver: DataDriver<T>, userId: number): Result<Profile<T>> {
	const { platform, name } = driver;
	const here = platform.players.GetPlayers().filter((player) => player.UserId === userId);
	const player = here[here.size() - 1];
	if (player === undefined) {
		const message = `Baton: user ${userId} is not on this server`;
		return err(new BatonError("player_left", message, { store: name }));
	}
	const loaded = withinSeconds(platform, WAIT_SECONDS, () => driver.waitForProfile(player));
	if (loaded !== undefined) return loaded;
	const message = `Baton: the profile of user ${userId} in store "${name}" was not loaded within ${WAIT_SECONDS} s`;
	return err(new BatonError("busy", message, { store: name }));
}
