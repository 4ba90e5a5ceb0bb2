import { DeepReadonly } from "../record/deepReadonly";
import { LocklessProfile } from "../lockless/locklessProfile";
import { Profile } from "../driver/profile";
import { BatonError } from "../errors";
import { Result } from "../result";
import { Participant } from "./participant";

/** Any profile that can take part in a transaction. */
export interface TransactionProfile {
	readonly key: string;
	readonly active: boolean;
	save(): Result<undefined>;
}

/** A profile of data `T` that can take part in a transaction. */
export type Transactable<T extends object> = Profile<T> | LocklessProfile<T>;

/** What the function of a transaction works with; of no use after it has returned. */
export interface TransactionContext {
	/** The profile's data: what was last set, else what is stored under the transaction's locks. Deep-frozen. */
	get<T extends object>(profile: Transactable<T>): DeepReadonly<T>;
	/** Stages the profile's next data, which are checked and deep-frozen. The same reference means unchanged. */
	set<T extends object>(profile: Transactable<T>, data: DeepReadonly<T> | T): void;
}

/** One participant's data as the function has left them. */
export interface Staged {
	readonly participant: Participant;
	readonly data: object;
	/** Whether it counts as changed even so, since the id is to be stored with it. */
	readonly isStamped?: boolean;
}

/** Collects what the function of a transaction reads and sets. Its members throw where the game misuses them. */
export class Staging implements TransactionContext {
	/** The first data that were refused. */
	public refused?: BatonError;
	private readonly staged = new Map<object, object>();
	private isOver = false;

	public constructor(private readonly participants: ReadonlyArray<Participant>) {}

	public get<T extends object>(profile: Transactable<T>): DeepReadonly<T> {
		const participant = this.find(profile, "get");
		return (this.staged.get(profile) ?? participant.data()) as DeepReadonly<T>;
	}

	public set<T extends object>(profile: Transactable<T>, data: DeepReadonly<T> | T): void {
		const participant = this.find(profile, "set");
		if (data === undefined) error(`Baton: ctx.set of "${participant.key}" needs the next data`, 2);
		const admitted = participant.admit(data);
		if (!admitted.success) this.refused ??= admitted.error;
		this.staged.set(profile, data as object);
	}

	/** The function has returned. */
	public finish(): void {
		this.isOver = true;
	}

	/** Every participant with its data as they are to be. */
	public result(): ReadonlyArray<Staged> {
		return this.participants.map((participant) => ({
			participant,
			data: this.staged.get(participant.profile) ?? participant.data(),
		}));
	}

	private find(profile: object, method: string): Participant {
		if (this.isOver) error(`Baton: ctx.${method} was called after the transaction's function had returned`, 3);
		const found = this.participants.find((participant) => participant.profile === profile);
		if (found === undefined) error(`Baton: ctx.${method} takes a profile of this transaction`, 3);
		return found;
	}
}
