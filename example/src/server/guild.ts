import { transaction } from "@rbxts/baton";
import { guilds, playerData } from "./data";

/** Moves coins from the player to a guild's bank, which players of other servers fill at the same time. */
export function donate(player: Player, guildName: unknown, coins: unknown): string {
	if (!typeIs(guildName, "string") || !typeIs(coins, "number")) return "donate needs a guild and coins";
	if (coins < 1 || coins % 1 !== 0) return "That is no amount";
	const mine = playerData.profileOf(player);
	if (mine === undefined) return "Your data are not here";
	const guild = guilds.lockless(`Guild_${guildName}`);
	if (!guild.success) return guild.error.message;
	const result = transaction([mine, guild.value], (ctx) => {
		const [purse, { bank }] = [ctx.get(mine), ctx.get(guild.value)];
		if (purse.coins < coins) return false;
		ctx.set(mine, { ...purse, coins: purse.coins - coins });
		ctx.set(guild.value, { bank: bank + coins });
	});
	// `tx_unknown` is neither yes nor no: the data say so later by themselves.
	if (!result.success) return result.error.message;
	return result.value ? `You gave ${coins} coins to ${guildName}` : "You cannot pay that";
}
