import { BatonError } from "../errors";
import { Platform } from "../platform/platform";
import { err, ok, Result } from "../result";
import { Condition } from "../util/condition";
import { Autosave } from "../driver/autosave";
import { LocklessHome } from "./locklessHome";
import { OpenLockless } from "./openLockless";

/** What a driver's lockless profiles need of it. */
export interface LocklessParts<T extends object> {
	readonly name: string;
	readonly platform: Platform;
	readonly autosave: Autosave;
	/** All of a profile's home but what hears that it has ended. */
	readonly homeOf: (key: string) => Omit<LocklessHome<T>, "onEnded">;
}

/** The lockless profiles of one driver: those that are open, and those that are yet to be flushed for the last time. */
export class LocklessProfiles<T extends object> {
	private readonly open = new Map<string, OpenLockless<T>>();
	/** In the order of their opening. */
	private all: ReadonlyArray<OpenLockless<T>> = [];
	private readonly emptied: Condition;

	public constructor(private readonly parts: LocklessParts<T>) {
		this.emptied = new Condition(parts.platform, () => this.all.isEmpty());
	}

	/** The profile of a key that is open. Does not yield. */
	public get(key: string): OpenLockless<T> | undefined {
		const profile = this.open.get(key);
		return profile?.active === true ? profile : undefined;
	}

	/** The profile of a key, made where there is none. Does not yield. */
	public obtain(key: string, userIds: ReadonlyArray<number> | undefined): OpenLockless<T> {
		const before = this.get(key);
		if (before !== undefined) {
			if (userIds !== undefined) before.userIds = userIds;
			return before;
		}
		const profile: OpenLockless<T> = new OpenLockless(
			{ ...this.parts.homeOf(key), onEnded: () => this.ended(profile) },
			key,
			userIds,
		);
		this.open.set(key, profile);
		this.all = [...this.all, profile];
		this.parts.autosave.add(profile);
		return profile;
	}

	/** Those that are open, in the order of their opening. Does not yield. */
	public profiles(): ReadonlyArray<OpenLockless<T>> {
		return this.all.filter((profile) => profile.active);
	}

	/** Why the key cannot be loaded under a session lock; undefined where it can. Does not yield. */
	public takenError(key: string): BatonError | undefined {
		const profile = this.open.get(key);
		if (profile === undefined) return undefined;
		const store = this.parts.name;
		const what = profile.active ? "open" : "being closed";
		const message = `Baton: "${key}" in store "${store}" is ${what} as a lockless profile on this server; close it first`;
		return new BatonError("already_loaded", message, { store, key });
	}

	/** Whether there are none. */
	public isEmpty(): boolean {
		return this.all.isEmpty();
	}

	/** Begins to close every profile. Does not yield. */
	public startClosing(): void {
		this.parts.autosave.stop();
		for (const profile of this.all) {
			this.parts.platform.task.spawn(() => profile.close());
			profile.hurry();
		}
	}

	/** Transactions of the profiles are waited for no longer. Does not yield. */
	public cutHolds(): void {
		for (const profile of this.all) profile.cutHold();
	}

	/** Yields until every profile is closed, or `deadline` on the platform's clock has passed. */
	public waitUntilEmpty(deadline: number): void {
		this.emptied.waitUntil(deadline);
	}

	/**
	 * The end of closing: what could not be flushed is warned about. Does not yield. Errors: `roblox` naming those keys.
	 */
	public closed(): Result<undefined> {
		const { platform, name } = this.parts;
		const left = this.all.filter((profile) => profile.countQueued() > 0);
		if (left.isEmpty()) return ok(undefined);
		const counts = left.map((profile) => `${profile.key} (${profile.countQueued()})`);
		const message =
			`Baton: driver "${name}" closes with ${left.size()} lockless profiles whose queued updates are not known to be ` +
			`stored: ${counts.join(", ")}. They are lost if the server ends now.`;
		platform.warn(message);
		return err(new BatonError("roblox", message, { store: name, retryable: true }));
	}

	private ended(profile: OpenLockless<T>): void {
		this.parts.autosave.remove(profile);
		if (this.open.get(profile.key) === profile) this.open.delete(profile.key);
		this.all = this.all.filter((other) => other !== profile);
		if (this.all.isEmpty()) this.emptied.tell();
	}
}
