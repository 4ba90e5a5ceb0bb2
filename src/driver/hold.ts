import { Platform } from "../platform/platform";
import { Waiter } from "../util/waiter";

/** A trade's or transaction's exclusive use of a profile: no other write of it starts until it ends. */
export class Hold {
	/** While the game's own function decides: an update from there would wait for itself. */
	public deciding = false;
	private readonly ended: Waiter<true>;

	public constructor(platform: Pick<Platform, "task">) {
		this.ended = new Waiter(platform);
	}

	/** Whether it still lasts. */
	public lasts(): boolean {
		return !this.ended.resolved;
	}

	/** Yields until it ends, or `seconds` have passed. */
	public wait(seconds?: number): void {
		this.ended.wait(seconds);
	}

	/** Everyone who waited goes on. Does not yield. */
	public finish(): void {
		this.ended.resolve(true);
	}
}
