import { Platform } from "../platform/platform";
import { perPlatform } from "../util/perPlatform";

/** `PublishAsync` calls a server may make in a minute: 600, and 240 for each of its players (MessagingService docs). */
const BASE_PER_MINUTE = 600;
const PLAYER_PER_MINUTE = 240;
/** What the rest of the game may publish is unknown, and so is where Roblox's minute begins. */
const SHARE = 0.8;
const WINDOW_SECONDS = 60;

/** The times of a server's publications, those still to come included: a queue without the queue. */
class PublishPace {
	/** Monotonic seconds, ascending; the first `gone` ones are older than the window. */
	private times: Array<number> = [];
	private gone = 0;

	/** Takes the next free place and tells when it is, on the monotonic clock; undefined if that is after `latest`. */
	public reserve(now: number, latest: number, limit: number): number | undefined {
		this.forget(now - WINDOW_SECONDS);
		const count = this.times.size();
		const full = count - this.gone >= limit;
		// The place `limit` publications after one is free once that one has left the window. Never before the last in the queue.
		const free = full ? math.max(now, this.times[count - limit] + WINDOW_SECONDS) : now;
		const place = count > this.gone ? math.max(free, this.times[count - 1]) : free;
		if (place > latest) return undefined;
		this.times.push(place);
		return place;
	}

	private forget(before: number): void {
		while (this.gone < this.times.size() && this.times[this.gone] <= before) this.gone += 1;
		if (this.gone < 1000) return;
		const { gone } = this;
		this.times = this.times.filter((_, index) => index >= gone);
		this.gone = 0;
	}
}

const paceOf = perPlatform(() => new PublishPace());

/**
 * Waits for this server's turn to publish, so that all its drivers together stay under MessagingService's limit. Yields.
 * False, at once, when the queue is longer than `maxSeconds`.
 */
export function awaitPublishTurn(platform: Platform, maxSeconds: number): boolean {
	const perMinute = BASE_PER_MINUTE + PLAYER_PER_MINUTE * platform.players.GetPlayers().size();
	const now = platform.clock();
	const place = paceOf(platform).reserve(now, now + maxSeconds, math.floor(perMinute * SHARE));
	if (place === undefined) return false;
	while (platform.clock() < place) platform.task.wait(place - platform.clock());
	return true;
}
