import ProfileStore from "@rbxts/profile-store";

/** Sends a player of the old game a message, as ProfileStore does. Yields. */
export function send(key: string, coins: number): boolean {
	return ProfileStore.New("PlayerData", { coins: 0 }).MessageAsync(key, { coins });
}

/** Whether the old game gets a session that asks for no leave. Yields. */
export function steals(key: string): boolean {
	return ProfileStore.New("PlayerData", { coins: 0 }).StartSessionAsync(key, { Steal: true }) !== undefined;
}
