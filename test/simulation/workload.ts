import { FaultEffect } from "../cloud/faults";
import { SeededRandom } from "../cloud/random";
import { ServiceName } from "../cloud/latency";
import { ShutdownOrder } from "../cloud/server";
import { World } from "../cloud/world";
import { GameSize } from "./gameSize";
import { Game, guildOf, keyOf, Lobby, userOf } from "./lobby";
import { Operation } from "./operations";
import { OpenProfile } from "../../src/driver/openProfile";
import { Profile } from "../../src/driver/profile";
import { Transactable } from "../../src/transaction/context";
import { Holdings } from "./holdings";
import { JOURNALS } from "./weather";

const orders: ReadonlyArray<ShutdownOrder> = ["removingFirst", "closeFirst", "closeOnly", "interleaved"];
const services: ReadonlyArray<ServiceName | undefined> = ["DataStore", "Messaging", "MemoryStore", undefined];
const HOUR = 3600;
/** Where the tempers of what happens to servers begin, after those of what players do. */
const FIRST_OF_SERVERS = 24;

/** Something that happens, and how often against the others. */
type Chance = readonly [weight: number, happen: () => void];

/** What the players and the servers of a simulated world do. */
export class Workload {
	private readonly random: SeededRandom;
	/** How many servers run without handoff, as an older build does. */
	private readonly olderShare: number;
	/** By how much this seed prefers each thing that can happen: some are left out, some crowd out the rest. */
	private readonly tempers = new Array<number>();
	/** How many trades and transactions something happens to. */
	private readonly ambushShare: number;
	/** Whether trades are recovered elsewhere while they are being made. */
	private readonly overtakes: boolean;
	private events = 0;
	private isOver = false;

	public constructor(
		private readonly world: World,
		private readonly rules: Game,
		private readonly size: GameSize,
	) {
		this.random = rules.random;
		this.ambushShare = this.random.chance(0.4) ? 0 : this.random.between(0.05, 0.4);
		this.overtakes = this.random.fork("overtakes").chance(0.3);
		this.olderShare = this.random.chance(0.3) ? 0.4 : 0;
		// The first is for joins, without which nothing else can happen.
		this.tempers.push(1, 1);
		for (let index = 2; index < FIRST_OF_SERVERS + 10; index++) {
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
		const ahead = this.random.between(-HOUR, HOUR);
		const skew =
			this.random.chance(0.5) && this.rules.injections.happens("skew", `a clock ahead by ${ahead} s`) ? ahead : 0;
		const lobby = new Lobby(this.rules, { skew }, handoff);
		this.rules.lobbies.push(lobby);
		this.maybeDrift(lobby);
		return lobby;
	}

	/** Its clock goes wrong by up to an hour in the course of the game. */
	private maybeDrift({ server }: Lobby): void {
		const random = this.random.fork(`drift of ${server.name}`);
		if (!this.rules.isRich || !random.chance(0.3)) return;
		const rate = random.between(-HOUR, HOUR) / this.size.seconds;
		if (this.rules.injections.happens("drift", `a clock of ${server.name} that drifts by ${rate}`))
			server.driftClock(rate);
	}

	/** Yields for the time in which all of it goes on. */
	public play(): void {
		const { world, random } = this;
		const { seconds, pace, servers } = this.size;
		const over = world.now() + seconds;
		while (world.now() < over) {
			world.wait(random.between(0, pace));
			while (this.open().size() < servers) this.startLobby();
			if (random.chance(0.93)) this.pick(this.ofPlayers(), 1);
			else this.pick(this.ofServers(), FIRST_OF_SERVERS);
		}
		this.isOver = true;
	}

	private ofPlayers(): ReadonlyArray<Chance> {
		const { random, world } = this;
		const userId = random.integer(1, this.size.users);
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
					const key = random.chance(0.2) && this.size.guilds > 0 ? this.anyGuild() : keyOf(userId);
					lobby.server.spawn(() => lobby.loadByHand(key, waits, hold, heeds));
				},
			],
			[16, () => this.trade(this.anyOpen())],
			[this.size.guilds > 0 ? 4 : 0, () => lobby.hall.pay(this.anyGuild())],
			[
				this.size.guilds > 0 ? 2 : 0,
				() => {
					const [key, closes] = [this.anyGuild(), random.chance(0.15)];
					lobby.server.spawn(() => lobby.hall.save(key, closes));
				},
			],
			[
				this.size.guilds > 0 ? 1 : 0,
				() => {
					const [key, peeks] = [this.anyGuild(), random.chance(0.3)];
					lobby.server.spawn(() => (peeks ? lobby.hall.peek(key) : lobby.hall.fetch(key)));
				},
			],
			[6, () => this.transact(this.anyOpen())],
			[this.hasUnknownTrade() ? 8 : 0, () => this.tradeAgain()],
			[3, at(home, (each, who) => each.server.spawn(() => each.market.buy(who.UserId)))],
			[2, () => this.askAgain()],
			[0.3, () => world.wait(random.between(0, 20))],
		];
	}

	private ofServers(): ReadonlyArray<Chance> {
		const { world } = this;
		const lobby = this.anyOpen();
		const { server } = lobby;
		const rough = this.rules.isCalm ? 0 : 1;
		// Each with a stream of its own, so that one that is left out shifts nothing else.
		this.events += 1;
		const random = this.random.fork(`event ${this.events}`);
		const event = (what: string, happen: () => void) => (): void => {
			if (this.rules.injections.happens(what, `${what} of ${server.name}`)) happen();
		};
		return [
			[1, event("shutdown", () => this.shutDown(lobby, orders[random.integer(0, orders.size() - 1)]))],
			[1, event("clock step", () => server.stepClock(random.between(-HOUR, HOUR)))],
			[rough, event("crash", () => server.crash())],
			[rough * 0.5, event("crash at a step", () => server.crashAtStep(random.integer(1, 300)))],
			[rough, event("pause", () => this.pause(lobby, random.between(0.1, random.chance(0.3) ? 90 : 15)))],
			[
				rough,
				event("partition", () => {
					const service = services[random.integer(0, 3)];
					this.partition(lobby, service, random.between(0.1, random.chance(0.2) ? 320 : 40));
				}),
			],
			[rough * 0.5, event("presence lost", () => world.services.memory.memory.flush())],
		];
	}

	/** Two users of a server trade. */
	private trade(lobby: Lobby): void {
		const profiles = this.shuffled(lobby.openProfiles());
		if (profiles.size() < 2) return;
		const pair = profiles.filter((_, index) => index < 2);
		if (this.maybeAmbush(lobby, pair)) this.maybeHoldBack(lobby, pair);
		else this.maybeOvertake(lobby, pair);
		lobby.server.spawn(() => lobby.market.trade(profiles[0], profiles[1]));
	}

	/** Users and guilds of a server, up to five in all. */
	private transact(lobby: Lobby): void {
		const { random } = this;
		const wallets = this.shuffled(lobby.openProfiles());
		const most = random.chance(0.7) ? 2 : 3;
		const chosen = new Array<Profile<Holdings> | string>();
		for (let index = 0; index < math.min(most, wallets.size()); index++) {
			if (random.chance(0.8)) chosen.push(wallets[index]);
		}
		const guilds = this.size.guilds > 0 ? random.integer(0, math.min(2, this.size.guilds)) : 0;
		for (let id = 1; id <= guilds; id++) chosen.push(guildOf(id));
		if (chosen.isEmpty()) return;
		const parties = new Array<Transactable<Holdings>>();
		for (const each of this.shuffled(chosen)) {
			const profile = typeIs(each, "string") ? lobby.hall.profile(each) : each;
			if (profile !== undefined) parties.push(profile);
		}
		if (parties.isEmpty()) return;
		const changes = random.chance(0.75) ? parties.size() : random.integer(0, parties.size());
		const config = random.chance(0.6)
			? {}
			: { lockTtl: random.integer(1, 20), txTtl: random.integer(1, 90), retryAttempts: random.integer(1, 5) };
		this.maybeAmbush(lobby, wallets);
		lobby.server.spawn(() => lobby.market.transact(parties, changes, config));
	}

	/** Something happens to the server in the middle of what it begins now, and those users join others. False if nothing does. */
	private maybeAmbush(lobby: Lobby, profiles: ReadonlyArray<Profile<Holdings>>): boolean {
		this.events += 1;
		const random = this.random.fork(`event ${this.events}`);
		const { rules, world } = this;
		const { server } = lobby;
		if (rules.isCalm || !random.chance(this.ambushShare)) return false;
		const mishaps: ReadonlyArray<readonly [string, () => void]> = [
			["crash", () => server.crash()],
			["crash at a step", () => server.crashAtStep(random.integer(1, 60))],
			["partition", () => this.partition(lobby, "DataStore", random.between(5, 70))],
			["partition", () => this.partition(lobby, undefined, random.between(5, 70))],
			["pause", () => this.pause(lobby, random.between(11, 60))],
			["pause", () => this.pause(lobby, random.between(11, 60))],
			["shutdown", () => this.shutDown(lobby, orders[random.integer(0, orders.size() - 1)])],
		];
		const [what, happen] = mishaps[random.integer(0, mishaps.size() - 1)];
		if (!rules.injections.happens(`ambush: ${what}`, `${what} of ${server.name} in the middle of an operation`))
			return false;
		world.after(random.between(0, 2), () => {
			// Nothing goes wrong any more once the world is healed.
			if (!this.isOver) happen();
		});
		for (const { key } of profiles) {
			const userId = userOf(key);
			const joins = random.chance(0.4) ? 2 : 1;
			const others = this.shuffled(this.open().filter((each) => each !== lobby));
			for (let index = 0; index < math.min(joins, others.size()); index++) {
				const to = others[index];
				const goesOn = (): void => this.arrive(to, userId);
				if (random.chance(0.8)) world.after(random.between(0, random.chance(0.5) ? 3 : 25), goesOn);
			}
		}
		return true;
	}

	/** Of a trade that begins now, the writes of one record do not get through, or only late: one side's, or the journal's. */
	private maybeHoldBack({ server }: Lobby, pair: ReadonlyArray<Profile<Holdings>>): void {
		const random = this.random.fork(`event ${this.events}`).fork("held back");
		if (!random.chance(0.5)) return;
		const key = random.chance(0.5) ? pair[random.integer(0, 1)].key : undefined;
		const effects: ReadonlyArray<FaultEffect> = ["failBefore", "loseAnswer", "landLate", "delay"];
		const effect = effects[random.integer(0, effects.size() - 1)];
		const what = `${effect} of ${server.name}'s writes of ${key ?? "a journal"}`;
		if (!this.rules.injections.happens("held back", what)) return;
		const handle = this.world.faults.add({
			service: "DataStore",
			op: "UpdateAsync",
			server,
			...(key !== undefined ? { key } : { keyPrefix: JOURNALS }),
			nth: random.integer(1, 2),
			count: random.integer(1, 12),
			effect,
			seconds: random.between(5, 60),
		});
		this.world.after(60, () => handle.remove());
	}

	/**
	 * Of a trade that begins now, one side's user goes to another server, while this one beats no more and the other side's
	 * writes take long: it is recovered there, from a coordinator that lives, before its second prepare comes.
	 */
	private maybeOvertake(lobby: Lobby, [moving, staying]: ReadonlyArray<Profile<Holdings>>): void {
		const random = this.random.fork(`event ${this.events}`).fork("overtaken");
		const { server } = lobby;
		const others = this.open().filter((each) => each !== lobby);
		const isBusy = [moving, staying].some((profile) => (profile as OpenProfile<Holdings>).hold() !== undefined);
		const beats = this.rules.book.page(moving.key).record?.Lock?.Presence === true;
		if (this.rules.isCalm || !this.overtakes || isBusy || !beats || others.isEmpty() || !random.chance(0.4)) return;
		const what = `${moving.key} is traded on ${server.name} and joins elsewhere`;
		if (!this.rules.injections.happens("overtaken", what)) return;
		const late = this.world.faults.add({
			service: "DataStore",
			op: "UpdateAsync",
			server,
			key: staying.key,
			effect: "delay",
			stage: "arrive",
			seconds: random.between(14, 19),
		});
		this.world.after(random.between(15, 25), () => late.remove());
		this.partition(lobby, "MemoryStore", random.between(10, 40));
		const to = others[random.integer(0, others.size() - 1)];
		this.world.after(random.between(0, 3), () => this.arrive(to, userOf(moving.key)));
	}

	private pause(lobby: Lobby, seconds: number): void {
		const { server } = lobby;
		if (server.runner.paused) return;
		lobby.pausedAt = this.world.now();
		server.pause();
		this.world.after(seconds, () => server.resume());
	}

	private partition({ server }: Lobby, service: ServiceName | undefined, seconds: number): void {
		server.partition(service);
		this.world.after(seconds, () => server.heal(service));
	}

	/** A trade of which it is not known how it ended is asked for again, wherever both users are; they are brought together. */
	private tradeAgain(): void {
		const open = this.rules.book.operations.all.filter(({ kind, told }) => kind === "trade" && told === "unknown");
		const operation = open[this.random.integer(0, math.max(0, open.size() - 1))] as Operation | undefined;
		if (operation === undefined) return;
		for (const lobby of this.open()) {
			const profiles = operation.keys.map((key) => lobby.openProfiles().find((each) => each.key === key));
			const [a, b] = profiles;
			if (a !== undefined && b !== undefined) {
				lobby.server.spawn(() => lobby.market.tradeAgain(operation, a, b));
				return;
			}
		}
		const place = this.anyOpen();
		for (const key of operation.keys) {
			const userId = userOf(key);
			if (place.playersOf(userId).isEmpty()) this.hop(place, userId);
		}
	}

	/** Whether a trade waits to be asked for again. */
	private hasUnknownTrade(): boolean {
		return this.rules.book.operations.all.some(({ kind, told }) => kind === "trade" && told === "unknown");
	}

	/** Roblox asks again for a purchase, granted or not, on the server where the user is. */
	private askAgain(): void {
		const bought = this.rules.book.operations.all.filter(({ kind }) => kind === "purchase");
		const open = bought.filter(({ told }) => told === undefined);
		const list = this.random.chance(0.8) && !open.isEmpty() ? open : bought;
		const operation = list[this.random.integer(0, math.max(0, list.size() - 1))] as Operation | undefined;
		if (operation === undefined) return;
		for (const lobby of this.open()) {
			const isHere = lobby.server.players().some(({ UserId }) => keyOf(UserId) === operation.keys[0]);
			if (isHere) return lobby.server.spawn(() => lobby.market.ask(operation));
		}
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
			this.arrive(to, player.UserId);
		};
		from.server.spawn(() => from.teleport(player, goes ? arrive : undefined));
	}

	/** A user joins; nobody does any more once the world is healed, for nobody would leave again. */
	private arrive(to: Lobby, userId: number): void {
		if (!this.isOver && to.server.alive && !to.closing) to.join(userId);
	}

	private shutDown(lobby: Lobby, order: ShutdownOrder): void {
		if (lobby.server.runner.paused) return;
		lobby.closing = true;
		lobby.closedAt = this.world.now();
		coroutine.wrap(() => lobby.server.shutdown({ order }))();
	}

	private anyGuild(): string {
		return guildOf(this.random.integer(1, this.size.guilds));
	}

	private shuffled<V extends defined>(list: ReadonlyArray<V>): Array<V> {
		const left = [...list];
		const drawn = new Array<V>();
		while (!left.isEmpty()) drawn.push(left.remove(this.random.integer(0, left.size() - 1))!);
		return drawn;
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
