import { MemoryDriver, robloxPlatform } from "@rbxts/baton";

const coins = new MemoryDriver<number>(robloxPlatform(), "Coins");

game.GetService("Players").PlayerAdded.Connect((player) => {
	const update = coins.update(`${player.UserId}`, (stored) => (stored ?? 0) + 10, 3600);
	print(update.success ? `${player.Name} has ${update.value} coins` : update.error.message);
});
