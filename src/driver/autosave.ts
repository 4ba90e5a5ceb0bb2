import { Job, SchedulerLike } from "../cloud/scheduler";
import { Platform } from "../platform/platform";
import { ProfileWriter } from "./writer";

/** How often due profiles are looked for, in seconds. */
const TICK_SECONDS = 1;
/** Successive multiples of it, modulo 1, spread as evenly as any number of them can (the golden ratio's fraction). */
const SPREAD = 0.6180339887;

/** A lock renewed at the last turn is a moment younger than the turns are apart, or older: it is not due at this one. */
const TURN_SLACK = 1.02;

/** A profile as autosave sees it. */
export interface Autosaved {
	/** When its lock was last written, on the platform's clock. */
	readonly writes: { readonly lastWritten: number };
	readonly writer: Pick<ProfileWriter, "keepUp" | "isWorking">;
	isDirty(): boolean;
}

/** What autosave goes by. */
export interface AutosaveOptions {
	readonly name: string;
	/** Seconds between the saves of a profile with unsaved changes. */
	readonly periodSeconds: number;
	/**
	 * A clean profile's lock is renewed when it is older than so many seconds, at the profile's own moment of as many: it
	 * never gets older than twice as many, and a turn of the clock. Infinite where there is no lock.
	 */
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
		const phase = (this.count * SPREAD) % 1;
		const { periodSeconds, renewSeconds } = this.options;
		this.due.set(profile, {
			phase,
			saveAt: this.nextAt(phase, periodSeconds),
			renewAt: renewSeconds < math.huge ? this.nextAt(phase, renewSeconds) : math.huge,
		});
		this.profiles = [...this.profiles, profile];
	}

	public remove(profile: Autosaved): void {
		this.due.delete(profile);
		this.profiles = this.profiles.filter((other) => other !== profile);
	}

	private tick(): void {
		const now = this.platform.clock();
		const { periodSeconds, renewSeconds } = this.options;
		for (const profile of this.profiles) {
			const due = this.due.get(profile);
			if (due === undefined) continue;
			const isSaveDue = now >= due.saveAt;
			const isRenewalDue = now >= due.renewAt;
			if (isSaveDue) due.saveAt = this.nextAt(due.phase, periodSeconds);
			if (isRenewalDue) due.renewAt = this.nextAt(due.phase, renewSeconds);
			const isWanted = isSaveDue && profile.isDirty();
			// A write that is under way, or is tried on, renews the lock as well.
			const isAged = now - profile.writes.lastWritten > renewSeconds * TURN_SLACK && !profile.writer.isWorking();
			if (isWanted || (isRenewalDue && isAged)) profile.writer.keepUp();
		}
	}

	/** The next time of a phase of a period on the platform's clock: always later than now, a period at most. */
	private nextAt(phase: number, seconds: number): number {
		const now = this.platform.clock();
		return now + seconds - ((now - phase * seconds) % seconds);
	}
}

/** When a profile's turns are, on the platform's clock. */
interface Due {
	/** Its moment of every period, from 0 to 1. */
	readonly phase: number;
	saveAt: number;
	renewAt: number;
}
