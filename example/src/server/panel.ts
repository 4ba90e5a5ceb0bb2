import { Players, ReplicatedStorage } from "@rbxts/services";
import { robloxPlatform } from "@rbxts/baton";
import { playerData } from "./data";
import { breakServer, faults } from "./faults";
import { DEVELOPERS } from "./settings";

/** The part of a stored record that the panel shows. */
type Lock = { JobId: string; Token: string; Seq: number; Presence?: boolean };

const { dataStores, uncachedRead } = robloxPlatform();
const panel = ReplicatedStorage.WaitForChild("Panel") as RemoteEvent;
const joinedAt = new Map<Player, number>();
const waits = new Map<Player, string>();

function isDeveloper(player: Player): boolean {
	return player.UserId === game.CreatorId || DEVELOPERS.includes(player.UserId);
}

function waited(player: Player, how: string): void {
	waits.set(player, "%s after %.1f s".format(how, os.clock() - (joinedAt.get(player) ?? os.clock())));
}

/** What is stored, whoever stored it: read anew, and by no lock. */
function lockOf(userId: number): string {
	const [fine, lock] = pcall(() => {
		const [record] = dataStores.GetDataStore("PlayerData").GetAsync(`Player_${userId}`, uncachedRead);
		return (record as { Lock?: Lock } | undefined)?.Lock;
	});
	if (!fine) return "cannot be read";
	if (lock === undefined) return "free";
	const beats = lock.Presence === true ? "beats" : "no beats";
	return `${lock.JobId === game.JobId ? "HERE" : lock.JobId.sub(1, 8)} ${lock.Token.sub(1, 4)} #${lock.Seq} ${beats}`;
}

function status(): string {
	const lines = [`Server ${game.JobId}`, `stall ${faults.stall}  mute ${faults.mute}  drop ${faults.drop}`];
	for (const player of Players.GetPlayers()) {
		lines.push(`${player.Name}: lock ${lockOf(player.UserId)}; ${waits.get(player) ?? "waits"}`);
	}
	return lines.join("\n");
}

/** Shows developers this server every few seconds. */
export function startPanel(): void {
	Players.PlayerAdded.Connect((player) => joinedAt.set(player, os.clock()));
	for (const player of Players.GetPlayers()) joinedAt.set(player, os.clock());
	Players.PlayerRemoving.Connect((player) => {
		joinedAt.delete(player);
		waits.delete(player);
	});
	playerData.onReady.connect((player) => waited(player, "in"));
	playerData.onLoadFailed.connect((player, cause) => waited(player, cause.type));
	task.spawn(() => {
		for (;;) {
			task.wait(5);
			const watching = Players.GetPlayers().filter(isDeveloper);
			if (watching.isEmpty()) continue;
			const text = status();
			for (const player of watching) panel.FireClient(player, text);
		}
	});
}

/** A developer's button. */
export function press(player: Player, button: unknown): string {
	return isDeveloper(player) ? breakServer(button) : "That is for developers";
}
