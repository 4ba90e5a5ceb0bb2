import { Job, SchedulerLike } from "../cloud/scheduler";
import { Platform } from "../platform/platform";
import { OpenProfile } from "./openProfile";

/** How often due profiles are looked for, in seconds. */
const TICK_SECONDS = 1;
/** Successive multiples of it, modulo 1, spread as evenly as any number of them can (the golden ratio's fraction). */
const SPREAD = 0.6180339887;

/** What autosave goes by. */
export interface AutosaveOptions {
	readonly name: string;
	/** Seconds between the saves of a profile with unsaved changes. */
	readonly periodSeconds: number;
	/** Seconds after which a clean profile's lock is renewed. */
	readonly renewSeconds: number;
}

/**
 * Saves profiles with unsaved changes every period, each at its own moment of it, and renews the locks of clean ones.
 * Only starts saves: one that hangs or fails holds up no other.
 */
export class Autosave<T extends object> {
	private readonly due = new Map<OpenProfile<T>, number>();
	private profiles: ReadonlyArray<OpenProfile<T>> = [];
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
		const { name } = this.options;
		this.job = scheduler.schedule({ name: `Baton autosave of ${name}`, periodSeconds: TICK_SECONDS }, () =>
			this.tick(),
		);
	}

	public isRunning(): boolean {
		return this.job !== undefined;
	}

	public stop(): void {
		this.job?.cancel();
		this.job = undefined;
	}

	public add(profile: OpenProfile<T>): void {
		this.count += 1;
		const phase = (this.count * SPREAD) % 1;
		this.due.set(profile, this.platform.clock() + phase * this.options.periodSeconds);
		this.profiles = [...this.profiles, profile];
	}

	public remove(profile: OpenProfile<T>): void {
		this.due.delete(profile);
		this.profiles = this.profiles.filter((other) => other !== profile);
	}

	private tick(): void {
		const now = this.platform.clock();
		for (const profile of this.profiles) {
			const due = this.due.get(profile);
			if (due === undefined) continue;
			const lapsed = now - profile.lastWritten >= this.options.renewSeconds;
			if (now < due && !lapsed) continue;
			// From the time it was due, not from now, so that profiles stay as spread as they were.
			if (now >= due) this.due.set(profile, math.max(due, now - TICK_SECONDS) + this.options.periodSeconds);
			if (profile.isDirty() || lapsed) profile.writer.keepUp();
		}
	}
}
