import { MinuteCounter } from "../minuteCounter";
import { World } from "../world";
import { Memory } from "./memory";

/** One experience's MemoryStore: what it holds, and what was used of its limits. Studio has one of its own. */
export class MemoryCloud {
	public readonly memory: Memory;
	public readonly units: MinuteCounter;
	/** The most players that were ever online: the quota shrinks only after days. */
	private mostUsers = 0;

	public constructor(
		private readonly world: World,
		private readonly isStudio: boolean,
	) {
		this.memory = new Memory(() => world.now());
		this.units = new MinuteCounter(() => world.now());
	}

	/** Players online now. */
	public users(): number {
		let count = this.isStudio ? 0 : this.world.switches.otherPlayers;
		for (const server of this.world.servers) {
			if (server.alive && server.isStudio === this.isStudio) count += server.players().size();
		}
		this.mostUsers = math.max(this.mostUsers, count);
		return count;
	}

	/** The players that the memory quota counts. */
	public quotaUsers(): number {
		return math.max(this.users(), this.mostUsers);
	}
}
