import ProfileStore from "@rbxts/profile-store";
import { Thing } from "../../test/story/bag";
import { PeerData, PeerGame } from "./peerGame";

type Profile = ProfileStore.Profile<PeerData>;

function saveAndWait(profile: Profile): void {
	const waiting = coroutine.running();
	const connection = profile.OnAfterSave.Connect(() => {
		connection.Disconnect();
		task.spawn(waiting);
	});
	profile.Save();
	coroutine.yield();
}

/** ProfileStore, with its defaults. */
export const peer: PeerGame = {
	start: (players, defaults, listener) => {
		const store = ProfileStore.New<PeerData>("PlayerData", defaults);
		const profiles = new Map<Player, Profile>();
		players.PlayerAdded.Connect((player) => {
			const cancelled = (): boolean => player.Parent !== players;
			const profile = store.StartSessionAsync(`Player_${player.UserId}`, { Cancel: cancelled }) as
				Profile | undefined;
			if (profile === undefined) {
				player.Kick("Profile load fail - Please rejoin");
				return listener(player, { cause: "no profile" });
			}
			profile.AddUserId(player.UserId);
			profile.Reconcile();
			profile.OnSessionEnd.Connect(() => {
				profiles.delete(player);
				player.Kick("Profile session end - Please rejoin");
			});
			if (player.Parent !== players) return profile.EndSession();
			profiles.set(player, profile);
			listener(player, {
				session: {
					coins: () => profile.Data.coins,
					active: () => profile.IsActive(),
					earn: (coins) => {
						profile.Data.coins += coins;
					},
					save: () => saveAndWait(profile),
					fill: (bag) => {
						profile.Data.bag = bag;
					},
					change: (section, item) => {
						(profile.Data.bag![section][item] as Writable<Thing>).level += 1;
					},
				},
			});
		});
		players.PlayerRemoving.Connect((player) => profiles.get(player)?.EndSession());
	},
};
