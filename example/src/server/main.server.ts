import { receipts } from "@rbxts/baton";
import { HttpService, MarketplaceService, ReplicatedStorage } from "@rbxts/services";
import { playerData } from "./data";
import { donate } from "./guild";
import { hop } from "./hop";
import { press, startPanel } from "./panel";
import { COIN_PACK, PACK_COINS } from "./settings";
import { acceptOffer, offerItem } from "./trading";

// 1. Connect, then attach: profiles load as players join, and are saved and released as they leave.
playerData.onReady.connect((_, profile) => {
	const id = HttpService.GenerateGUID(false);
	profile.update((data) => (data.isNew ? { ...data, isNew: false, items: [{ id, kind: "sword" }] } : data));
	// The last chance to write, on leave, handoff and shutdown alike.
	profile.onReleasing(() => profile.update((data) => ({ ...data, lastPlayed: os.time() })));
});
startPanel();
playerData.attach();

// 2. Purchases: what a product gives, and the purchase's id, are stored in one write.
MarketplaceService.ProcessReceipt = receipts(playerData, {
	[COIN_PACK]: (data) => ({ ...data, coins: data.coins + PACK_COINS }),
});

// 3. What players can do. Each answers with a line that the player sees.
const commands: Record<string, (player: Player, ...args: Array<unknown>) => string> = {
	offer: offerItem,
	accept: acceptOffer,
	donate,
	hop,
	press,
};
const command = ReplicatedStorage.WaitForChild("Command") as RemoteEvent;
command.OnServerEvent.Connect((player, name, ...args) => {
	const run = typeIs(name, "string") ? commands[name] : undefined;
	if (run !== undefined) command.FireClient(player, run(player, ...(args as Array<unknown>)));
});
