import { Platform } from "../platform/platform";
import { Waiter } from "../util/waiter";

/** A trade's or transaction's exclusive use of a profile: no other begins with it, and it is not released, until this ends. */
export class Hold {
	/** Whether no other write of the profile starts, and no update is made. */
	public pausesWrites = false;
	/** While the game's own function decides: an update from there would wait for itself. */
	public deciding = false;
	/** Whether a write of it was sent to the profile's record: from then on memory may not be what the record will hold. */
	public sent = false;
	/** Whether the profile was let go of before the trade or transaction was through: nothing more is sent under it. */
	public isCut = false;
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

	/** The server closes and can wait no longer: everyone who waited goes on. Does not yield. */
	public cut(): void {
		this.isCut = true;
		this.finish();
	}

	/** Everyone who waited goes on. Does not yield. */
	public finish(): void {
		this.ended.resolve(true);
	}
}
