/** MessagingService's limits, as its documentation gives them. */

/** Bytes of a message as JSON. */
export const MAX_MESSAGE_BYTES = 1024;
/** Characters of a topic's name. */
export const MAX_TOPIC_CHARACTERS = 80;
/** What an envelope around the message may take up, where it counts. */
export const ENVELOPE_BYTES = 100;

/** `PublishAsync` calls of one server in a minute. */
export function sentPerServer(players: number): number {
	return 600 + 240 * players;
}

/** Messages that may arrive on one topic in a minute, on all servers together. */
export function receivedPerTopic(servers: number): number {
	return 40 + 80 * servers;
}

/** Messages that may arrive in the whole experience in a minute. */
export function receivedPerGame(servers: number): number {
	return 400 + 200 * servers;
}

/** Subscriptions that one server may have. */
export function subscriptionsPerServer(players: number): number {
	return 20 + 8 * players;
}

/** `SubscribeAsync` calls of one server in a minute. */
export const SUBSCRIBES_PER_SERVER = 240;
