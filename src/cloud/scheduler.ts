import { Platform } from "../platform/platform";

/**
 * Which of the jobs that are due together goes first. A frame that has already spent {@link SchedulerOptions.frameSeconds}
 * on jobs leaves the others for the next frame, but never a `Critical` one, and none for longer than its period.
 */
export type JobPriority = "Critical" | "Normal" | "Background";

/** A periodic job. */
export interface JobOptions {
	/** For warnings. */
	readonly name: string;
	/** Seconds from one run to the next. */
	readonly periodSeconds: number;
	/** `Normal` by default. */
	readonly priority?: JobPriority;
	/** Seconds until the first run; a period by default. Jobs of one period spread by it stay spread. */
	readonly startSeconds?: number;
	/** Each run comes up to this many seconds later than planned, at random. Delays do not add up. 0 by default. */
	readonly jitterSeconds?: number;
}

/** A job that was scheduled. */
export interface Job {
	readonly name: string;
	readonly cancelled: boolean;
	/** No run starts after this; one under way goes on. Calling it again does nothing. Does not yield. */
	cancel(): void;
}

/** What runs periodic jobs: Baton's {@link Scheduler}, or a game framework's own. */
export interface SchedulerLike {
	/**
	 * Runs `body` periodically until cancelled. It may yield; while it does, its later runs are left out. One that throws is
	 * reported and runs again at its next time. Does not yield.
	 */
	schedule(options: JobOptions, body: () => void): Job;
}

/** How a {@link Scheduler} behaves. */
export interface SchedulerOptions {
	/** Seconds of a frame that jobs may take up before those of lower priority wait for the next one. 0.004 by default. */
	readonly frameSeconds?: number;
}

const RANKS: Record<JobPriority, number> = { Critical: 0, Normal: 1, Background: 2 };
/** A timer may wake this much early by the rounding of seconds. */
const ROUNDING_SECONDS = 1e-6;

class PlannedJob implements Job {
	public readonly name: string;
	public cancelled = false;
	public running = false;
	public readonly rank: number;
	public readonly periodSeconds: number;
	/** When the next run was planned, without jitter, so that neither jitter nor delays add up. */
	public planned: number;
	/** When the next run is due. */
	public due: number;
	private readonly jitterSeconds: number;

	public constructor(
		options: JobOptions,
		now: number,
		private readonly random: () => number,
		public readonly body: () => void,
		private readonly onCancel: (job: PlannedJob) => void,
	) {
		this.name = options.name;
		this.rank = RANKS[options.priority ?? "Normal"];
		this.periodSeconds = options.periodSeconds;
		this.jitterSeconds = options.jitterSeconds ?? 0;
		this.planned = now + (options.startSeconds ?? options.periodSeconds);
		this.due = this.withJitter();
	}

	/** Plans the first run after `now` in step with the earlier ones. */
	public planAfter(now: number): void {
		const missed = math.max(0, math.floor((now + ROUNDING_SECONDS - this.planned) / this.periodSeconds));
		this.planned += (missed + 1) * this.periodSeconds;
		this.due = this.withJitter();
	}

	public cancel(): void {
		if (this.cancelled) return;
		this.cancelled = true;
		this.onCancel(this);
	}

	private withJitter(): number {
		return this.jitterSeconds > 0 ? this.planned + this.jitterSeconds * this.random() : this.planned;
	}
}

/** Runs periodic jobs on a server's own clock, each run in a thread of its own, with one timer for all of them. */
export class Scheduler implements SchedulerLike {
	private readonly frameSeconds: number;
	/** In the order of scheduling. */
	private jobs: Array<PlannedJob> = [];
	private timer?: thread;
	private timerDue = math.huge;

	public constructor(
		private readonly platform: Platform,
		options: SchedulerOptions = {},
	) {
		this.frameSeconds = options.frameSeconds ?? 0.004;
	}

	public schedule(options: JobOptions, body: () => void): Job {
		if (!(options.periodSeconds > 0))
			error(`Baton: job "${options.name}" needs a period of more than 0 seconds`, 2);
		const job = new PlannedJob(options, this.platform.clock(), this.platform.random, body, (cancelled) => {
			this.jobs = this.jobs.filter((other) => other !== cancelled);
			// The timer may now wake for nothing, which costs less than setting it anew.
		});
		this.jobs.push(job);
		this.arm();
		return job;
	}

	/** Cancels every job. Does not yield. */
	public stop(): void {
		for (const job of [...this.jobs]) job.cancel();
		if (this.timer !== undefined) this.platform.task.cancel(this.timer);
		this.timer = undefined;
		this.timerDue = math.huge;
	}

	/** Sets the timer for the next job, unless it already wakes by then. */
	private arm(): void {
		let due = math.huge;
		for (const job of this.jobs) due = math.min(due, job.due);
		if (due >= this.timerDue || due === math.huge) return;
		if (this.timer !== undefined) this.platform.task.cancel(this.timer);
		this.timerDue = due;
		this.timer = this.platform.task.delay(math.max(0, due - this.platform.clock()), () => {
			this.timer = undefined;
			this.timerDue = math.huge;
			this.runDue();
			this.arm();
		});
	}

	private runDue(): void {
		const began = this.platform.clock();
		const ready = this.jobs.filter((job) => job.due <= began + ROUNDING_SECONDS);
		// A sort of its own for equal ranks: Luau's is not stable.
		const byRank: Array<Array<PlannedJob>> = [[], [], []];
		for (const job of ready) byRank[job.rank].push(job);
		for (const jobs of byRank) {
			for (const job of jobs) {
				if (job.cancelled) continue;
				const now = this.platform.clock();
				const frameIsFull = now - began >= this.frameSeconds;
				const canWait = job.rank > RANKS.Critical && now < job.due + job.periodSeconds;
				if (!frameIsFull || !canWait) this.runJob(job, now);
			}
		}
	}

	private runJob(job: PlannedJob, now: number): void {
		job.planAfter(now);
		if (job.running) {
			this.platform.warn(
				`Baton: job "${job.name}" takes longer than its ${job.periodSeconds} s; a run was left out.`,
			);
			return;
		}
		job.running = true;
		this.platform.task.spawn(() => {
			const [success, problem] = pcall(job.body);
			job.running = false;
			if (!success) this.platform.warn(`Baton: job "${job.name}" threw: ${problem}`);
		});
	}
}
