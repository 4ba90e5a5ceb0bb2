import { Platform } from "../platform/platform";
import { Waiter } from "./waiter";

/** Something that becomes true, and that whoever makes it true tells of. */
export class Condition {
	private told?: Waiter<true>;

	public constructor(
		private readonly platform: Pick<Platform, "task" | "clock">,
		private readonly isMet: () => boolean,
	) {}

	/** It may be true by now: those who wait look. Does not yield. */
	public tell(): void {
		const { told } = this;
		this.told = undefined;
		told?.resolve(true);
	}

	/** Yields until it is true, or `deadline` on the platform's clock has passed. */
	public waitUntil(deadline: number): void {
		while (!this.isMet()) {
			const left = deadline - this.platform.clock();
			if (left <= 0) return;
			this.told ??= new Waiter<true>(this.platform);
			this.told.wait(left);
		}
	}
}
