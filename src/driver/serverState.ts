import { Handoff } from "../handoff/handoff";
import { Platform } from "../platform/platform";
import { runAll } from "../util/parallel";
import { perPlatform } from "../util/perPlatform";
import { Kernel, plainKernel } from "./kernel";

/**
 * Closes a driver; yields until its profiles are released or `deadline` (on the platform's clock) has passed. Returns
 * whether all it wrote was answered, so that nothing of it can land any more.
 */
type CloseBy = (deadline: number) => boolean;

/** How long the shutdown may take: the platform waits 30 s for it (DataModel:BindToClose), less a margin for the last answers. */
export const SHUTDOWN_SECONDS = 28;
/** How long the server waits for its drivers, in seconds: longer than each waits, so that each can say what it leaves. */
const PATIENCE_SECONDS = 29;

/** What the drivers of one server share. */
export class ServerState {
	/** Stands in for `game.JobId` where that is empty (Studio). */
	public readonly jobId: string;
	private readonly names = new Set<string>();
	/** How to close each driver, in the order of their making. */
	private readonly closers = new Array<CloseBy>();
	private readonly handoffs = new Array<Handoff>();
	private kernel?: Kernel;
	private bound = false;

	public constructor(private readonly platform: Platform) {
		this.jobId = platform.jobId !== "" ? platform.jobId : platform.http.GenerateGUID(false);
	}

	/** Enters a driver; false when one of this name is there already. */
	public enter(name: string, closeBy: CloseBy): boolean {
		if (this.names.has(name)) return false;
		this.names.add(name);
		this.closers.push(closeBy);
		return true;
	}

	/** The kernel that drivers of this server share when the game brings none. */
	public sharedKernel(): Kernel {
		this.kernel ??= plainKernel(this.platform);
		return this.kernel;
	}

	/** A handoff that drivers of this server use; it is closed after the last of them. */
	public useHandoff(handoff: Handoff): void {
		if (!this.handoffs.includes(handoff)) this.handoffs.push(handoff);
	}

	/** Has every driver closed, all at once, when the server closes. Idempotent. */
	public bindClose(): void {
		if (this.bound) return;
		this.bound = true;
		this.platform.bindToClose(() => this.closeAll());
	}

	private closeAll(): void {
		const deadline = this.platform.clock() + SHUTDOWN_SECONDS;
		let closed = 0;
		runAll(
			this.platform,
			this.closers.map((closeBy) => () => {
				if (closeBy(deadline)) closed += 1;
			}),
			PATIENCE_SECONDS,
		);
		// Presence protects what may still land, so its key goes last, and by itself where anything is unanswered.
		for (const handoff of this.handoffs) handoff.close(closed === this.closers.size());
	}
}

/** The state of the server that a platform belongs to; made on first use. */
export const serverState = perPlatform((platform) => new ServerState(platform));
