import { trade } from "@rbxts/baton";
import { Players } from "@rbxts/services";
import { Item, playerData } from "./data";

interface Offer {
	readonly seller: Player;
	readonly item: Item;
	readonly price: number;
}

/** By the user id of the player to whom it is made. */
const offers = new Map<number, Offer>();

/** Offers the player's first item to a player of this server. */
export function offerItem(seller: Player, buyerId: unknown, price: unknown): string {
	// Everything that a client sends may be anything.
	if (!typeIs(buyerId, "number") || !typeIs(price, "number")) return "offer needs a user id and a price";
	if (price < 0 || price % 1 !== 0 || price > 1e6) return "That is no price";
	const buyer = Players.GetPlayerByUserId(buyerId);
	if (buyer === undefined || buyer === seller) return "There is no such player";
	const item = playerData.profileOf(seller)?.data.items[0];
	if (item === undefined) return "You have no item";
	offers.set(buyerId, { seller, item, price });
	return `Offered your ${item.kind} to ${buyer.Name} for ${price} coins`;
}

/** Buys what was offered last: both records change, or none does, whatever crashes in between. */
export function acceptOffer(buyer: Player): string {
	const offer = offers.get(buyer.UserId);
	if (offer === undefined) return "Nobody has offered you anything";
	offers.delete(buyer.UserId);
	const { item, price } = offer;
	const [selling, buying] = [playerData.profileOf(offer.seller), playerData.profileOf(buyer)];
	if (selling === undefined || buying === undefined) return "One of you has left";
	const result = trade(selling, buying, (theirs, mine) => {
		// The offer may be old: only what is in the data now counts.
		if (!theirs.items.some(({ id }) => id === item.id) || mine.coins < price) return false;
		return [
			{ ...theirs, coins: theirs.coins + price, items: theirs.items.filter(({ id }) => id !== item.id) },
			{ ...mine, coins: mine.coins - price, items: [...mine.items, item] },
		];
	});
	if (!result.success) return `Not traded: ${result.error.message}`;
	return result.value.outcome === "committed" ? `You bought the ${item.kind}` : "You cannot pay, or it is gone";
}
