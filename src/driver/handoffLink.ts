import { SchedulerLike } from "../cloud/scheduler";
import { Handoff } from "../handoff/handoff";
import { Platform } from "../platform/platform";
import { Acquirer } from "./acquirer";
import { KeySlots } from "./keySlots";
import { OpenProfile } from "./openProfile";
import { DriverSettings } from "./options";
import { ReleaseRequests } from "./releaseRequests";
import { ServerState } from "./serverState";

/** Seconds over which a server that cannot beat rewrites its locks: 4, less what the last one takes to land. */
const WITHDRAW_SECONDS = 3.5;

/** What a driver's link to handoff needs. */
export interface LinkParts<T extends object> {
	readonly name: string;
	readonly settings: DriverSettings<T>;
	readonly platform: Platform;
	readonly server: ServerState;
	readonly slots: KeySlots<T>;
	readonly acquirer: Acquirer;
	/** Ends the session of a profile whose player has joined another server. */
	readonly handOver: (profile: OpenProfile<T>) => void;
}

/** A driver's side of lock handoff: whether it is on, and what messages and silence do to the driver's profiles. */
export class HandoffLink<T extends object> {
	/** Undefined while handoff is off. */
	public handoff?: Handoff;
	public requests?: ReleaseRequests<T>;

	public constructor(private readonly parts: LinkParts<T>) {}

	/** Turns handoff on where it is to be (seed "Lock handoff", When it is on). Does not yield. */
	public start(scheduler: SchedulerLike): void {
		const { handoff, jobId, backend } = this.parts.settings;
		const { platform } = this.parts;
		const given = typeIs(handoff, "table") ? handoff : undefined;
		const isOn =
			handoff !== false &&
			jobId === undefined &&
			platform.jobId !== "" &&
			backend !== "Memory" &&
			!platform.isStudio;
		const used = given ?? (isOn ? Handoff.shared(platform, platform.jobId) : undefined);
		if (used === undefined) return;
		this.handoff = used;
		this.parts.server.useHandoff(used);
		this.requests = new ReleaseRequests({
			name: this.parts.name,
			platform,
			slots: this.parts.slots,
			handoff: used,
			handOver: this.parts.handOver,
			clearOrphan: (key, token) => this.parts.acquirer.clearOrphan(key, token),
		});
		used.register({
			name: this.parts.name,
			onRequest: (key, requester, token) => this.requests?.receive(key, requester, token),
			onReply: (key) => this.parts.slots.get(key)?.unpark(),
			onSilent: () => this.withdrawPresence(),
		});
		used.start(scheduler);
	}

	/** Rewrites every lock that says this server beats, spread over {@link WITHDRAW_SECONDS}. Does not yield. */
	private withdrawPresence(): void {
		const flagged = this.parts.slots.profiles().filter((profile) => profile.isFlaggedWrongly());
		flagged.forEach((profile, index) => {
			const later = (index / flagged.size()) * WITHDRAW_SECONDS;
			this.parts.platform.task.delay(later, () => profile.withdrawPresence());
		});
	}
}
