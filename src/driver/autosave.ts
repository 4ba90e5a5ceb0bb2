import { Job, SchedulerLike } from "../cloud/scheduler";
import { Platform } from "../platform/platform";
import { ProfileWriter } from "./writer";

/** How often due profiles are looked for, in seconds. */
const TICK_SECONDS = 1;
/** Successive multiples of it, modulo 1, spread as evenly as any number of them can (the golden ratio's fraction). */
const SPREAD = 0.6180339887;

/** A profile as autosave sees it. */
export interface Autosaved {
	/** On the platform's clock, the last time its lock was written. */
	readonly lastWritten: number;
	readonly writer: Pick<ProfileWriter, "keepUp" | "isWorking">;
	isDirty(): boolean;
}

/** What autosave goes by. */
export interface AutosaveOptions {
	readonly name: string;
	/** Seconds between the saves of a profile with unsaved changes. */
	readonly periodSeconds: number;
	/** Seconds after which a clean profile's lock is renewed; infinite where it has none. */
	readonly renewSeconds: number;
	/** As in `autosave`, for the job's name. */
	readonly what?: string;
}

/**
 * Saves profiles with unsaved changes every period, each at its own moment of it, and renews the locks of clean ones.
 * Only starts saves: one that hangs or fails holds up no other.
 */
export class Autosave {
	private readonly due = new Map<Autosaved, Due>();
	private profiles: ReadonlyArray<Autosaved> = [];
	private count = 0;
	private job?: Job;
	private scheduler?: SchedulerLike;

	public constructor(
		private readonly platform: Platform,
		private readonly options: AutosaveOptions,
	) {}

	/** Runs on `scheduler` from now on. Idempotent: a job that is made anew at every load would never come to run. */
	public runOn(scheduler: SchedulerLike): void {
		if (this.job !== undefined && this.scheduler === scheduler) return;
		this.job?.cancel();
		this.scheduler = scheduler;
		const { name, what = "autosave" } = this.options;
		this.job = scheduler.schedule({ name: `Baton ${what} of ${name}`, periodSeconds: TICK_SECONDS }, () =>
			this.tick(),
		);
	}

	public stop(): void {
		this.job?.cancel();
		this.job = undefined;
	}

	public add(profile: Autosaved): void {
		this.count += 1;
		// Phases are of the clock, not of the join: players who come at a steady pace must not end up in one second.
		const phase = ((this.count * SPREAD) % 1) * this.options.periodSeconds;
		this.due.set(profile, { phase, at: this.nextAt(phase) });
		this.profiles = [...this.profiles, profile];
	}

	public remove(profile: Autosaved): void {
		this.due.delete(profile);
		this.profiles = this.profiles.filter((other) => other !== profile);
	}

	private tick(): void {
		const now = this.platform.clock();
		let renewals = this.renewalsPerTick();
		for (const profile of this.profiles) {
			const due = this.due.get(profile);
			if (due === undefined) continue;
			const isDue = now >= due.at;
			if (isDue) due.at = this.nextAt(due.phase);
			if (isDue && profile.isDirty()) {
				profile.writer.keepUp();
				continue;
			}
			const lapsed = now - profile.lastWritten >= this.options.renewSeconds;
			if (!lapsed || renewals <= 0 || profile.writer.isWorking()) continue;
			renewals -= 1;
			profile.writer.keepUp();
		}
	}

	/** Locks that were taken together lapse together; renewed over a third of the time that is left, they part. */
	private renewalsPerTick(): number {
		return math.ceil((this.profiles.size() * TICK_SECONDS * 3) / this.options.renewSeconds);
	}

	/** The next time of a phase on the platform's clock: always later than now, a period at most. */
	private nextAt(phase: number): number {
		const now = this.platform.clock();
		const { periodSeconds } = this.options;
		return now + periodSeconds - ((now - phase) % periodSeconds);
	}
}

/** When a profile's turn is: its moment of every period, and the next one on the platform's clock. */
interface Due {
	readonly phase: number;
	at: number;
}
