/** Why a player's session ended, as a reason to branch on. */
export type SessionEndReason =
	/** The load failed, other than by a lock. */
	| "load_failed"
	/** Another server kept the lock for the whole wait. */
	| "profile_locked"
	/** The session lock passed to another server while the player was here. */
	| "lock_lost"
	/** Another server asked for the profile, since the player joined there. */
	| "handed_over"
	/** A trade's outcome is unsettled; the next load finishes it. */
	| "transaction_unfinished";

/**
 * Ends a player's session in the game's own way, in place of `player:Kick(message)`. Runs in a thread of its own and may
 * yield. The profile is closed already, but on `handed_over`: it is released once the handler yields or returns.
 */
export type SessionEndHandler = (player: Player, reason: SessionEndReason, message: string) => void;

/** What a player reads when the session ends. */
export const SESSION_END_MESSAGES: Readonly<Record<SessionEndReason, string>> = {
	load_failed: "Your data could not be loaded, and nothing of it was changed. Please rejoin in a minute.",
	profile_locked:
		"Your data is still in use on another server, and nothing of it was changed. Please rejoin in a minute.",
	lock_lost: "Your data was opened on another server. Please rejoin.",
	handed_over: "You joined another server.",
	transaction_unfinished: "Your trade is being finished. Please rejoin.",
};
