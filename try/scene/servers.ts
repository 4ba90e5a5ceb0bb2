import type { Recording } from "../../tools/story/recording.ts";

/** A server at one moment. */
export interface ServerView {
	readonly name: string;
	/** The first digits of its JobId. */
	readonly id: string;
	readonly state: "not yet" | "alive" | "crashed" | "closed";
}

/** A server's beat in MemoryStore at one moment. */
export interface PresenceView {
	readonly server: string;
	/** Seconds until it counts as silent; 0 when it does. */
	readonly left: number;
	/** Seconds since the last beat that was stored, if there was one. */
	readonly sinceBeat?: number;
}

/** The first digits of a GUID, which are enough to tell one from another. */
export function shortId(guid: string): string {
	return guid.slice(0, 8).toLowerCase();
}

/** The servers at `at`, in the order of their start. */
export function serversAt({ servers, events }: Recording, at: number): Array<ServerView> {
	return servers.map(({ name, jobId, startedAt }) => {
		const ended = events.find(
			(event) => event.at <= at && event.server === name && (event.text === "crash" || event.text === "closed"),
		);
		const isThere = startedAt <= at;
		const state =
			ended !== undefined ? (ended.text === "crash" ? "crashed" : "closed") : isThere ? "alive" : "not yet";
		return { name, id: shortId(jobId), state };
	});
}

/** The servers' beats at `at`. */
export function presenceAt({ servers, calls, presence }: Recording, at: number): Array<PresenceView> {
	return servers.map(({ name, jobId }) => {
		let beatAt: number | undefined;
		for (const { service, op, store, key, wrote, appliedAt = Infinity } of calls) {
			if (service !== "MemoryStore" || store !== presence.map || key !== jobId) continue;
			if (!wrote || appliedAt > at) continue;
			beatAt = op === "RemoveAsync" ? undefined : appliedAt;
		}
		if (beatAt === undefined) return { server: name, left: 0 };
		return { server: name, left: Math.max(0, beatAt + presence.ttlSeconds - at), sinceBeat: at - beatAt };
	});
}
