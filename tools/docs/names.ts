/** Declares the names that the documentation's code uses without making them. */
export const NAMES = `
import { DataDriver, LocklessProfile, Profile } from "@rbxts/baton";
import { World } from "../../cloud/world";

interface Wallet {
	readonly coins: number;
}

interface Trader extends Wallet {
	readonly items: ReadonlyArray<string>;
}

declare global {
	const playerData: DataDriver<Wallet>;
	const profile: Profile<Wallet>;
	const a: Profile<Wallet>;
	const b: Profile<Wallet>;
	const seller: Profile<Trader>;
	const buyer: Profile<Trader>;
	const guild: LocklessProfile<{ readonly bank: number }>;
	const player: Player;
	const placeId: number;
	const TeleportService: TeleportService;
	const world: World;
}
`;
