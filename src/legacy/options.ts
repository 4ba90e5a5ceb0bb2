/** What both recipes take beside the conversion. */
export interface LegacyOptions {
	/**
	 * Seconds since a record's last write after which the server that has it open counts as dead. Default: the library's own
	 * figure. Keep it well above the longest time between two saves of a session, 450 s with ProfileStore and 300 s with
	 * Lapis: a session that is taken while it lives loses what it has not saved.
	 */
	readonly deadAfterSeconds?: number;
}

/** The figure to go by. Throws where the game's own is none. */
export function deadAfter(recipe: string, own: number, { deadAfterSeconds = own }: LegacyOptions = {}): number {
	if (typeIs(deadAfterSeconds, "number") && deadAfterSeconds >= 1) return deadAfterSeconds;
	return error(`Baton: ${recipe}: option "deadAfterSeconds" must be a number of seconds, 1 or more`, 3);
}
