import { FailureKind } from "../requests";

/**
 * What MessagingService says when it refuses or fails. Its texts are documented nowhere; these only resemble what games
 * have seen, so nothing may depend on their wording.
 */
export const messagingErrors = {
	topicLength: "MessagingService: Topic must be between 1 and 80 characters.",
	messageSize: "MessagingService: The message is too long. It has to be at most 1024 characters.",
	messageForm: "MessagingService: Unable to convert the message to JSON.",
	publishRate: "MessagingService: Too many PublishAsync requests. Try sending fewer requests.",
	subscribeRate: "MessagingService: Too many SubscribeAsync requests. Try sending fewer requests.",
	subscriptions: "MessagingService: The server has reached its limit of subscriptions.",
	unpublished: "MessagingService: You must publish this place to use MessagingService.",
	disconnected: "MessagingService: Service disconnected",
};

const failures: Record<FailureKind, string> = {
	failed: "MessagingService: Internal error.",
	answerLost: "MessagingService: Request timed out.",
	throttled: messagingErrors.publishRate,
	unreachable: messagingErrors.disconnected,
};

/** The text of a call that failed without the service having decided it. */
export function messagingFailure(kind: FailureKind): string {
	return failures[kind];
}
