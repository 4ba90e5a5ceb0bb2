import { DataDriver } from "../../src/driver/dataDriver";
import { Profile } from "../../src/driver/profile";
import { LocklessProfile } from "../../src/lockless/locklessProfile";
import { Result } from "../../src/result";
import { MARKER_STORE } from "../../src/transaction/markerStore";
import { transaction } from "../../src/transaction/transaction";
import { World } from "../cloud/world";
import { GameData, GameServer, joined } from "./game";
import { Ending, Outcome, storyCase } from "./story";

const GROUP = "transaction";
const GUILDS = "Guilds";
const GUILD = "Guild_7";
/** What a player pays. */
const PRICE = 10;

/** The data of a guild. */
interface GuildData {
	readonly bank: number;
}

/** A server of the game, with its guilds. */
class GuildServer extends GameServer {
	public readonly guilds: DataDriver<GuildData>;

	public constructor(cloud: World) {
		super(cloud);
		this.guilds = this.server.run(
			() => new DataDriver<GuildData>({ name: GUILDS, defaults: { bank: 0 }, platform: this.server.platform }),
		);
	}

	public guild(): LocklessProfile<GuildData> {
		return this.server.run(() => this.guilds.lockless(GUILD)).unwrap();
	}

	/** What the guild's bank holds. Yields. */
	public bank(): number {
		const guild = this.guild();
		return this.server.run(() => guild.fetch()).unwrap().bank;
	}

	/** A player with 100 coins, stored. Yields. */
	public rich(user: number): Profile<GameData> {
		const profile = joined(this.join(user));
		this.earn(profile, 100);
		this.server.run(() => profile.save()).unwrap();
		return profile;
	}

	/** The player pays into the guild's bank. Yields. */
	public donate(player: Profile<GameData>, guild: LocklessProfile<GuildData>): Result<boolean> {
		return this.server.run(() =>
			transaction([player, guild], (ctx) => {
				const [mine, ours] = [ctx.get(player), ctx.get(guild)];
				if (mine.coins < PRICE) return false;
				ctx.set(player, { coins: mine.coins - PRICE });
				ctx.set(guild, { bank: ours.bank + PRICE });
			}),
		);
	}

	/** One player pays another. Yields. */
	public pay(from: Profile<GameData>, receiver: Profile<GameData>, price: number): Result<boolean> {
		return this.server.run(() =>
			this.driver.transaction([from, receiver], ([mine, yours]) =>
				mine.coins < price ? false : [{ coins: mine.coins - price }, { coins: yours.coins + price }],
			),
		);
	}
}

function outcomeOf(result: Result<boolean>): Outcome {
	if (result.success) return result.value ? "committed" : "cancelled";
	if (result.error.type === "tx_unknown") return "unknown";
	return result.error.type === "tx_aborted" ? "aborted" : "refused";
}

/** Two players with 100 coins each on one server, saved. */
function twoPlayers(world: World) {
	const host = new GuildServer(world);
	world.wait(20);
	return { host, a: host.rich(1), b: host.rich(2) };
}

function between(price: number): (world: World) => Ending {
	return (world) => {
		const { host, a, b } = twoPlayers(world);
		const since = world.now();
		const outcome = outcomeOf(host.pay(a, b, price));
		const upTo = world.now();
		return { outcome, waitSeconds: upTo - since, since, upTo };
	};
}

function oneChanged(world: World): Ending {
	const { host, a, b } = twoPlayers(world);
	const since = world.now();
	const result = host.server.run(() =>
		transaction([a, b], (ctx) => ctx.set(a, { coins: ctx.get(a).coins + ctx.get(b).coins })),
	);
	const upTo = world.now();
	return { outcome: outcomeOf(result), waitSeconds: upTo - since, since, upTo };
}

function mixedStores(world: World): Ending {
	const { host, a } = twoPlayers(world);
	const guild = host.guild();
	host.server.run(() => guild.fetch()).unwrap();
	const since = world.now();
	const result = host.donate(a, guild);
	const upTo = world.now();
	const isMoved = a.data.coins === 100 - PRICE && guild.data?.bank === PRICE;
	return { outcome: isMoved ? outcomeOf(result) : "refused", waitSeconds: upTo - since, since, upTo };
}

/** The server dies at the marker's write; a fresh one loads the player and fetches the guild. */
function crashAtMarker(effect: "crashBefore" | "crashAfter"): (world: World) => Ending {
	return (world) => {
		const { host, a } = twoPlayers(world);
		const guild = host.guild();
		const since = world.now();
		const fault = { service: "DataStore", store: MARKER_STORE, server: host.server, durableOnly: true } as const;
		const crash = world.faults.add({ ...fault, effect });
		host.server.spawn(() => host.donate(a, guild));
		world.waitUntil(() => crash.hits > 0, 60);
		const crashedAt = world.now();
		const fresh = new GuildServer(world);
		const answer = fresh.joinUntilIn(1, 1, 400);
		const bank = fresh.bank();
		const coins = "profile" in answer ? answer.profile.data.coins : -1;
		const isOff = coins === 100 && bank === 0;
		const outcome = coins === 100 - PRICE && bank === PRICE ? "committed" : isOff ? "aborted" : "refused";
		return { outcome, waitSeconds: world.now() - crashedAt, since };
	};
}

/** Nobody can reach the markers for a while: both profiles wait for the outcome, and then have it. */
function unknownMarker(world: World): Ending {
	const { host, a, b } = twoPlayers(world);
	const since = world.now();
	const outage = world.faults.add({ service: "DataStore", store: MARKER_STORE, effect: "loseAnswer" });
	const result = host.pay(a, b, PRICE);
	const upTo = world.now();
	const isClosed = !host.server.run(() => a.update((data) => data)).success;
	outage.remove();
	world.wait(60);
	const isSettled = a.data.coins === 100 - PRICE && b.data.coins === 100 + PRICE;
	return { outcome: isClosed && isSettled ? outcomeOf(result) : "refused", waitSeconds: upTo - since, since, upTo };
}

/** Two servers pay into the same bank at once: both are served. */
function contention(world: World): Ending {
	const hosts = [new GuildServer(world), new GuildServer(world)];
	world.wait(20);
	const players = hosts.map((host, index) => host.rich(index + 1));
	const since = world.now();
	const outcomes = new Array<Outcome>();
	hosts.forEach((host, index) => {
		const guild = host.guild();
		host.server.spawn(() => outcomes.push(outcomeOf(host.donate(players[index], guild))));
	});
	world.waitUntil(() => outcomes.size() === 2, 60);
	const waitSeconds = world.now() - since;
	const fresh = new GuildServer(world);
	const bank = fresh.bank();
	const isServed = bank === 2 * PRICE && outcomes.every((outcome) => outcome === "committed");
	return { outcome: isServed ? "committed" : "refused", waitSeconds, since };
}

export const transactionCases = [
	storyCase(
		"transaction-committed",
		GROUP,
		"Two players in a transaction: both prepares, then the marker",
		{ outcome: "committed", maxSeconds: 2 },
		between(PRICE),
	),
	storyCase(
		"transaction-cancelled",
		GROUP,
		"The function returns false: nothing is written",
		{ outcome: "cancelled", maxSeconds: 0.1 },
		between(1000),
	),
	storyCase(
		"transaction-one-changed",
		GROUP,
		"Only one of two profiles changes: one save, no marker",
		{ outcome: "committed", maxSeconds: 2 },
		oneChanged,
	),
	storyCase(
		"transaction-mixed-stores",
		GROUP,
		"A player pays into a guild bank in another store, on a lockless key",
		{ outcome: "committed", maxSeconds: 3 },
		mixedStores,
	),
	storyCase(
		"transaction-crash-before-marker",
		GROUP,
		"The server dies before the marker: player and guild are read on a fresh server",
		{ outcome: "aborted", maxSeconds: 30 },
		crashAtMarker("crashBefore"),
	),
	storyCase(
		"transaction-crash-after-marker",
		GROUP,
		"The server dies right after the marker: player and guild are read on a fresh server",
		{ outcome: "committed", maxSeconds: 30 },
		crashAtMarker("crashAfter"),
	),
	storyCase(
		"transaction-unknown-marker",
		GROUP,
		"The marker does not answer: the profiles take no changes until it does",
		{ outcome: "unknown", minSeconds: 14, maxSeconds: 30 },
		unknownMarker,
	),
	storyCase(
		"transaction-lockless-contention",
		GROUP,
		"Two servers pay into one guild bank at once: both commit, one waits",
		{ outcome: "committed", maxSeconds: 10 },
		contention,
	),
];
