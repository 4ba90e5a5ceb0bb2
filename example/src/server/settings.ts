/** The game's other place; 0 stands for this one, which Roblox may have on several servers. */
export const OTHER_PLACE = 0;
/** The developer product that gives {@link PACK_COINS}. */
export const COIN_PACK = 1234567;
export const PACK_COINS = 100;
/** User ids that get the developers' panel, beside the owner of the experience. */
export const DEVELOPERS: ReadonlyArray<number> = [];
