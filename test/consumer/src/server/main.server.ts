import { DataDriver } from "@rbxts/baton";

const playerData = new DataDriver({ name: "PlayerData", defaults: { coins: 0 } });

playerData.onReady.connect((player, profile) => {
	profile.update((data) => ({ ...data, coins: data.coins + 10 }));
	print(`${player.Name} has ${profile.data.coins} coins`);
});
playerData.onLoadFailed.connect((player, problem) => {
	print(`${player.Name} has no data: ${problem.message}`);
});
playerData.attach();
