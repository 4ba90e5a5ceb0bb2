import { SeededRandom } from "../cloud/random";
import { ServiceName } from "../cloud/latency";
import { ShutdownOrder } from "../cloud/server";
import { World } from "../cloud/world";
import { Game, Lobby } from "./lobby";

const orders: ReadonlyArray<ShutdownOrder> = ["removingFirst", "closeFirst", "closeOnly", "interleaved"];
const services: ReadonlyArray<ServiceName | undefined> = ["DataStore", "Messaging", "MemoryStore", undefined];
const HOUR = 3600;

/** Something that happens, and how often against the others. */
type Chance = readonly [weight: number, happen: () => void];

/** What the players and the servers of a simulated world do. */
export class Workload {
	private readonly random: SeededRandom;
	/** By how much this seed prefers each thing that can happen: some are left out, some crowd out the rest. */
	/** How many servers run without handoff, as an older build does. */
	private readonly olderShare: number;
	private readonly tempers = new Array<number>();

	public constructor(
		private readonly world: World,
		private readonly rules: Game,
		private readonly users: number,
		private readonly servers: number,
	) {
		this.random = rules.random;
		this.olderShare = this.random.chance(0.3) ? 0.4 : 0;
		// The first is for joins, without which nothing else can happen.
		this.tempers.push(1, 1);
		for (let index = 2; index < 20; index++) {
			const roll = this.random.fraction();
			this.tempers.push(roll < 0.15 ? 0 : roll < 0.7 ? 1 : this.random.between(1, 6));
		}
	}

	/** Servers that still take players. */
	public open(): Array<Lobby> {
		return this.rules.lobbies.filter((lobby) => lobby.server.alive && !lobby.closing);
	}

	/** One more server, with a clock of its own. */
	public startLobby(handoff = this.rules.isCalm || !this.random.chance(this.olderShare)): Lobby {
		const skew = this.random.chance(0.5) ? 0 : this.random.between(-HOUR, HOUR);
		const lobby = new Lobby(this.rules, { skew }, handoff);
		this.rules.lobbies.push(lobby);
		return lobby;
	}

	/** Yields for so many seconds in which all of it goes on. */
	public play(duration: number, pace: number): void {
		const { world, random } = this;
		const over = world.now() + duration;
		while (world.now() < over) {
			world.wait(random.between(0, pace));
			while (this.open().size() < this.servers) this.startLobby();
			if (random.chance(0.93)) this.pick(this.ofPlayers(), 1);
			else this.pick(this.ofServers(), 12);
		}
	}

	private ofPlayers(): ReadonlyArray<Chance> {
		const { random, world } = this;
		const userId = random.integer(1, this.users);
		const lobby = this.anyOpen();
		const here = lobby.playersOf(userId);
		const player = here[0] as Player | undefined;
		const home = this.open().find((each) => each.playersOf(userId).size() > 0);
		const at = (each: Lobby | undefined, action: (where: Lobby, who: Player) => void) => (): void => {
			const who = each?.playersOf(userId)[0];
			if (each !== undefined && who !== undefined) action(each, who);
		};
		const calm = this.rules.isCalm;
		return [
			[player === undefined ? 4 : 0, () => this.hop(lobby, userId)],
			[player === undefined ? 0 : 1, () => lobby.join(userId)],
			[
				player === undefined ? 0 : 2,
				() => {
					lobby.leave(player!);
					lobby.join(userId);
				},
			],
			[2, at(home, (each, who) => each.leave(who))],
			[10, at(home, (each, who) => each.server.spawn(() => each.earn(who)))],
			[5, at(home, (each, who) => each.server.spawn(() => each.save(who)))],
			[2, at(home, (each, who) => this.teleport(each, who, lobby))],
			[1, () => lobby.server.spawn(() => lobby.peek(userId))],
			[
				calm ? 0 : 0.7,
				() => {
					const hold = random.between(0, 20);
					const waits = random.chance(0.6);
					const heeds = random.chance(0.7);
					lobby.server.spawn(() => lobby.loadByHand(userId, waits, hold, heeds));
				},
			],
			[0.3, () => world.wait(random.between(0, 20))],
		];
	}

	private ofServers(): ReadonlyArray<Chance> {
		const { random, world } = this;
		const lobby = this.anyOpen();
		const { server } = lobby;
		const rough = this.rules.isCalm ? 0 : 1;
		return [
			[1, () => this.shutDown(lobby)],
			[1, () => server.stepClock(random.between(-HOUR, HOUR))],
			[rough, () => server.crash()],
			[rough * 0.5, () => server.crashAtStep(random.integer(1, 300))],
			[
				rough,
				() => {
					const { paused } = server.runner;
					if (paused) return;
					server.pause();
					const length = random.between(0.1, random.chance(0.3) ? 90 : 15);
					world.after(length, () => server.resume());
				},
			],
			[
				rough,
				() => {
					const service = services[random.integer(0, 3)];
					server.partition(service);
					const length = random.between(0.1, random.chance(0.2) ? 320 : 40);
					world.after(length, () => server.heal(service));
				},
			],
			[rough * 0.5, () => world.services.memory.memory.flush()],
		];
	}

	/** The user joins here and leaves wherever else they were: before, at once, later, or not at all. */
	private hop(to: Lobby, userId: number): void {
		const { random } = this;
		const others = this.open().filter((each) => each !== to && each.playersOf(userId).size() > 0);
		const how = random.integer(1, 4);
		const leaveAll = (): void => {
			for (const each of others) for (const player of each.playersOf(userId)) each.leave(player);
		};
		if (how === 1) leaveAll();
		to.join(userId);
		if (how === 2) leaveAll();
		if (how === 3) this.world.after(random.between(0, 5), leaveAll);
	}

	private teleport(from: Lobby, player: Player, to: Lobby): void {
		const goes = this.random.chance(0.6) && to !== from;
		const arrive = (): void => {
			from.leave(player);
			if (to.server.alive && !to.closing) to.join(player.UserId);
		};
		from.server.spawn(() => from.teleport(player, goes ? arrive : undefined));
	}

	private shutDown(lobby: Lobby): void {
		if (lobby.server.runner.paused) return;
		lobby.closing = true;
		const order = orders[this.random.integer(0, orders.size() - 1)];
		coroutine.wrap(() => lobby.server.shutdown({ order }))();
	}

	private anyOpen(): Lobby {
		const open = this.open();
		return open[this.random.integer(0, open.size() - 1)];
	}

	private pick(chances: ReadonlyArray<Chance>, firstTemper: number): void {
		const weights = chances.map(([weight], index) => weight * this.tempers[firstTemper + index]);
		let total = 0;
		for (const weight of weights) total += weight;
		let roll = this.random.between(0, total);
		for (let index = 0; index < chances.size(); index++) {
			roll -= weights[index];
			if (weights[index] > 0 && roll < 0) return chances[index][1]();
		}
	}
}
