import { Profile } from "@rbxts/baton";
import { Players, TeleportService } from "@rbxts/services";
import { PlayerData, playerData } from "./data";
import { OTHER_PLACE } from "./settings";

const leaving = new Map<Player, Profile<PlayerData>>();

/** Sends the player to the other place, whose server finds the data free. */
export function hop(player: Player): string {
	const profile = playerData.profileOf(player);
	// Teleport only when this succeeds: then all is stored, and the lock is given up.
	const released = playerData.releaseForTeleport(player);
	if (profile === undefined || !released.success) return "You stay: your data could not be saved";
	leaving.set(player, profile);
	const place = OTHER_PLACE !== 0 ? OTHER_PLACE : game.PlaceId;
	const [sent, why] = pcall(() => TeleportService.TeleportAsync(place, [player]));
	return sent ? "On your way" : stay(player, tostring(why));
}

/** The teleport failed: the data come back, unless another server has them by now; then the session ends by itself. */
function stay(player: Player, why: string): string {
	const profile = leaving.get(player);
	leaving.delete(player);
	if (profile === undefined) return why;
	const back = profile.reacquire();
	return back.success ? `You stay: ${why}` : back.error.message;
}

/** Teleports also fail after `TeleportAsync` has returned. */
TeleportService.TeleportInitFailed.Connect((player, result) => stay(player, result.Name));
Players.PlayerRemoving.Connect((player) => leaving.delete(player));
