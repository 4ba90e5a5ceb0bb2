import { t } from "@rbxts/t";

/** Asks the holder to release a key. Field names are the wire format and never change. */
export interface RequestMessage {
	readonly T: "Q";
	/** The driver's name. */
	readonly D: string;
	readonly K: string;
	/** JobId of the asking server, for the reply. */
	readonly R: string;
	/** Token of the lock that the asking server saw; what makes a late request harmless. */
	readonly L?: string;
}

/** Tells that the sender no longer holds a key. */
export interface ReplyMessage {
	readonly T: "R";
	readonly D: string;
	readonly K: string;
}

export const isRequest: t.check<RequestMessage> = t.interface({
	T: t.literal("Q"),
	D: t.string,
	K: t.string,
	R: t.string,
	L: t.optional(t.string),
});

export const isReply: t.check<ReplyMessage> = t.interface({ T: t.literal("R"), D: t.string, K: t.string });

/** The topic that a server listens to. */
export function topicOf(jobId: string): string {
	return `CKHandoff_${jobId}`;
}
