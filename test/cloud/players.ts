import { Runner } from "./tasks";
import { Scheduler } from "./scheduler";
import { EmulatedSignal } from "./signal";

/** A player as the emulated server shows it; a new object for each join. */
export class EmulatedPlayer {
	public readonly ClassName = "Player";
	public Parent: EmulatedPlayers | undefined;
	public readonly DisplayName: string;

	public constructor(
		private readonly owner: EmulatedPlayers,
		public readonly UserId: number,
		public readonly Name: string,
	) {
		this.Parent = owner;
		this.DisplayName = Name;
	}

	/** Disconnects the player, a moment later. */
	public Kick(message?: string): void {
		this.owner.kick(this, message ?? "");
	}

	public IsDescendantOf(ancestor: unknown): boolean {
		return this.Parent !== undefined && ancestor === this.Parent;
	}

	public IsA(className: string): boolean {
		return className === "Player" || className === "Instance";
	}

	public GetFullName(): string {
		return `Players.${this.Name}`;
	}
}

/** A player that was kicked: who, what the player reads, and when in virtual seconds. */
export interface KickNote {
	readonly player: Player;
	readonly userId: number;
	readonly message: string;
	readonly at: number;
}

/** `Players` of one server. */
export class EmulatedPlayers {
	public readonly ClassName = "Players";
	public readonly PlayerAdded: EmulatedSignal<[player: Player]>;
	public readonly PlayerRemoving: EmulatedSignal<[player: Player, reason: unknown]>;
	/** Everyone kicked so far. */
	public readonly kicks = new Array<KickNote>();
	private present = new Array<EmulatedPlayer>();
	private readonly leaving = new Set<EmulatedPlayer>();

	public constructor(
		private readonly runner: Runner,
		private readonly scheduler: Scheduler,
		deferredSignals: boolean,
		private readonly note: (text: string) => void,
		private readonly beforeChange: () => void,
	) {
		this.PlayerAdded = new EmulatedSignal(runner, scheduler, deferredSignals);
		this.PlayerRemoving = new EmulatedSignal(runner, scheduler, deferredSignals);
	}

	public GetPlayers(): Array<Player> {
		return this.present.map((player) => asPlayer(player));
	}

	public GetPlayerByUserId(userId: number): Player | undefined {
		const found = this.present.find((player) => player.UserId === userId);
		return found && asPlayer(found);
	}

	/** How many are there. */
	public count(): number {
		return this.present.size();
	}

	/** Lets someone in. */
	public add(userId: number, name: string): Player {
		this.beforeChange();
		const player = new EmulatedPlayer(this, userId, name);
		this.present.push(player);
		this.note(`join ${userId}`);
		this.PlayerAdded.fire(asPlayer(player));
		return asPlayer(player);
	}

	/** Takes someone out: PlayerRemoving fires, then the player is gone. */
	public remove(who: Player): void {
		const player = who as unknown as EmulatedPlayer;
		if (player.Parent !== this || this.leaving.has(player)) return;
		this.leaving.add(player);
		this.note(`leave ${player.UserId}`);
		this.PlayerRemoving.fire(who, undefined);
		this.beforeChange();
		this.present = this.present.filter((other) => other !== player);
		this.leaving.delete(player);
		player.Parent = undefined;
	}

	/** Notes a kick; the player leaves a frame later. */
	public kick(player: EmulatedPlayer, message: string): void {
		if (player.Parent !== this || !this.runner.alive) return;
		this.kicks.push({ player: asPlayer(player), userId: player.UserId, message, at: this.scheduler.now });
		this.note(`kick ${player.UserId}: ${message}`);
		this.scheduler.after(1 / 60, () => this.runner.act(() => this.remove(asPlayer(player))));
	}
}

function asPlayer(player: EmulatedPlayer): Player {
	return player as unknown as Player;
}
