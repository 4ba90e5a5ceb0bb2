import { Platform } from "../platform/platform";
import { noYield } from "../util/noYield";
import { MetricHandler } from "./options";

/** Hands what a driver measures to the game, which cannot break it. */
export class Metrics {
	private complained = false;

	public constructor(
		private readonly platform: Platform,
		private readonly store: string,
		private readonly handler?: MetricHandler,
	) {}

	/** Reports one figure; `store` is added to the tags. Does not yield. */
	public report(name: string, value: number, tags: Readonly<Record<string, string>> = {}): void {
		const { handler } = this;
		if (handler === undefined) return;
		const ran = noYield(() => handler(name, value, { store: this.store, ...tags }), this.platform.task.cancel);
		if (ran.ok || this.complained) return;
		this.complained = true;
		this.platform.warn(
			`Baton: onMetric of store "${this.store}" failed (told once): ${ran.message}\n${ran.traceback}`,
		);
	}
}
