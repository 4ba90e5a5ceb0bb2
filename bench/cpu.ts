import { simulate } from "../test/cloud/simulate";
import { World } from "../test/cloud/world";
import { Bag, Thing } from "../test/story/bag";
import { Host, inGame, Session } from "../test/story/host";
import { Cell, Row } from "./cell";
import { Library } from "./library";

const SIZES: ReadonlyArray<readonly [title: string, bytes: number]> = [
	["1 KB", 1000],
	["10 KB", 10000],
	["100 KB", 100000],
	["1 MB", 1000000],
];
const CROWDS = [10, 100, 700];
const SETTLE_SECONDS = 20;
const SECTION = 50;
/** A thing and its id as JSON, in bytes. */
const THING_BYTES = 60;
/** How long a crowd is watched; saves and renewals of every library fall into it. */
const CROWD_MINUTES = 5;
const PLAY_SECONDS = 10;

/** What a library lacks that has no figures in a row. */
const LACKS: Readonly<Record<string, string>> = {
	"cpu-trade": "no trades",
	"cpu-crowd-trade": "no trades",
	"cpu-flush": "no shared keys",
};

/** Real seconds. */
export type CpuClock = () => number;

const sizes = SIZES.map(([title]) => title);
const crowds = CROWDS.map((players) => `${players} players`);

const row = (id: string, title: string, points: ReadonlyArray<string>): Row => ({ id, part: "cpu", title, points });

/** What is measured, in the order of the table. */
export const cpuRows: ReadonlyArray<Row> = [
	row("cpu-load", "Load, by the size of the data", sizes),
	row("cpu-update", "Update of one thing among them", sizes),
	row("cpu-save", "Save after it", sizes),
	row("cpu-trade", "Trade of two such players", sizes),
	row("cpu-flush", "Flush of 10 updates of a shared key", sizes),
	row("cpu-crowd-load", "Load of 1 KB, by the players on the server", crowds),
	row("cpu-crowd-update", "Update of one thing in 1 KB", crowds),
	row("cpu-crowd-save", "Save of 1 KB", crowds),
	row("cpu-crowd-trade", "Trade of two players with 1 KB", crowds),
	row("cpu-crowd-idle", "Server-minute, nothing changes", crowds),
	row("cpu-crowd-playing", "Server-minute, everyone changes something every 10 s", crowds),
];

function median(figures: Array<number>): number {
	figures.sort((a, b) => a < b);
	return figures[math.floor(figures.size() / 2)];
}

/** Measures what a server's own code takes, in microseconds. */
class Meter {
	/** What an empty call takes. */
	private readonly empty: number;

	public constructor(
		private readonly world: World,
		private readonly host: Host,
	) {
		this.empty = median(timesOf(25, () => this.of(() => host.server.run(() => undefined))));
	}

	/** All that the server's threads take while `action` runs. */
	public of(action: () => void): number {
		const { runner } = this.host.server;
		const before = runner.cpuSeconds;
		action();
		return (runner.cpuSeconds - before) * 1e6;
	}

	/** The median of an action's runs, less what the server takes anyway in the virtual time that it lasts. */
	public medianOf(times: number, action: () => void, between?: () => void): number {
		const seconds = new Array<number>();
		const figures = timesOf(times, () => {
			between?.();
			const since = this.world.now();
			const figure = this.of(action);
			seconds.push(this.world.now() - since);
			return figure;
		});
		const lasts = median(seconds);
		// What comes once a second is in few runs and few pauses, so the medians leave it out alike.
		const idle = lasts > 0 ? median(timesOf(times, () => this.of(() => this.world.wait(lasts)))) : 0;
		return math.max(0, median(figures) - idle - this.empty);
	}
}

function timesOf(times: number, measure: () => number): Array<number> {
	const figures = new Array<number>();
	for (let run = 0; run < times; run++) figures.push(measure());
	return figures;
}

/** Things that take about so many bytes as JSON. */
function bagOf(bytes: number): Bag {
	const bag: Record<string, Record<string, Thing>> = {};
	const count = math.ceil(bytes / THING_BYTES);
	for (let index = 0; index < count; index++) {
		const section = sectionOf(index);
		bag[section] ??= {};
		bag[section][itemOf(index)] = { name: `thing ${index % 97}`, level: index % 31, bound: index % 3 === 0 };
	}
	return bag;
}

const sectionOf = (index: number): string => `section ${math.floor(index / SECTION)}`;
const itemOf = (index: number): string => `i${1000000 + index}`;

/** Changes one thing after another, all over the data. */
function changer(session: Session, bytes: number): () => void {
	const count = math.ceil(bytes / THING_BYTES);
	let index = 0;
	return () => {
		index = (index + 37) % count;
		session.change(sectionOf(index), itemOf(index));
	};
}

function joinFilled(host: Host, userId: number, bytes: number): Session {
	const session = inGame(host.join(userId));
	session.fill(bagOf(bytes));
	session.save();
	return session;
}

/** Loads of a user who comes again and again. */
function measureLoads(world: World, host: Host, meter: Meter, userId: number, bytes: number, times: number): number {
	const first = host.join(userId);
	const session = inGame(first);
	session.fill(bagOf(bytes));
	session.save();
	let { player } = first;
	const leave = (): void => {
		host.server.leave(player);
		world.wait(2);
	};
	const figure = meter.medianOf(
		times,
		() => {
			const arrival = host.join(userId);
			inGame(arrival);
			player = arrival.player;
		},
		leave,
	);
	leave();
	return figure;
}

function open(world: World, library: Library): [Host, Meter] {
	const host = library.open(world);
	world.wait(SETTLE_SECONDS);
	return [host, new Meter(world, host)];
}

type Figures = Record<string, Array<number>>;

function note(figures: Figures, id: string, micros: number): void {
	figures[id] ??= [];
	figures[id].push(micros);
}

/** Trades of two users, where the library has any. */
function measureTrades(
	world: World,
	library: Library,
	host: Host,
	meter: Meter,
	sessions: ReadonlyArray<Session>,
	times: number,
	figures: Figures,
	id: string,
): void {
	const { trade } = library.together;
	if (trade === undefined) return;
	const micros = meter.medianOf(
		times,
		() => trade(host, sessions, world),
		() => world.wait(3),
	);
	note(figures, id, micros);
}

function measureSize(world: World, library: Library, bytes: number, figures: Figures): void {
	const [host, meter] = open(world, library);
	const times = bytes < 500000 ? 21 : 7;
	note(figures, "cpu-load", measureLoads(world, host, meter, 1, bytes, times));
	const sessions = [joinFilled(host, 2, bytes), joinFilled(host, 3, bytes)];
	const change = changer(sessions[0], bytes);
	for (let warm = 0; warm < 5; warm++) change();
	note(figures, "cpu-update", meter.medianOf(times, change));
	note(figures, "cpu-save", meter.medianOf(times, sessions[0].save, change));
	measureTrades(world, library, host, meter, sessions, times, figures, "cpu-trade");
	const bank = library.openShared?.(host);
	if (bank === undefined) return;
	bank.fill(bagOf(bytes));
	bank.save();
	const payIn = (): void => {
		for (let payment = 0; payment < 10; payment++) bank.pay(1);
	};
	note(figures, "cpu-flush", meter.medianOf(times, bank.save, payIn));
}

function measureCrowd(world: World, library: Library, players: number, figures: Figures): void {
	const [host, meter] = open(world, library);
	const changes = new Array<() => void>();
	for (let user = 1; user <= players; user++) changes.push(changer(joinFilled(host, user, 1000), 1000));
	world.wait(60);
	const minutes = (body: () => void): number => meter.of(body) / CROWD_MINUTES;
	const idle = minutes(() => world.wait(CROWD_MINUTES * 60));
	note(figures, "cpu-crowd-idle", idle);
	const play = (): void => {
		for (let turn = 0; turn < (CROWD_MINUTES * 60) / PLAY_SECONDS; turn++) {
			for (const change of changes) change();
			world.wait(PLAY_SECONDS);
		}
	};
	note(figures, "cpu-crowd-playing", minutes(play));
	note(figures, "cpu-crowd-load", measureLoads(world, host, meter, players + 1, 1000, 21));
	const sessions = [joinFilled(host, players + 2, 1000), joinFilled(host, players + 3, 1000)];
	const change = changer(sessions[0], 1000);
	note(figures, "cpu-crowd-update", meter.medianOf(21, change));
	note(figures, "cpu-crowd-save", meter.medianOf(21, sessions[0].save, change));
	measureTrades(world, library, host, meter, sessions, 21, figures, "cpu-crowd-trade");
}

/** Measures a library in every size and crowd, on this machine. */
export function measureCpu(library: Library, cpuClock: CpuClock, emit: (cell: Cell) => void): void {
	const figures: Figures = {};
	const run = (body: (world: World) => void): void => {
		simulate({ cpuClock, switches: { limits: false } }, body);
	};
	for (const [, bytes] of SIZES) run((world) => measureSize(world, library, bytes, figures));
	for (const players of CROWDS) run((world) => measureCrowd(world, library, players, figures));
	for (const { id } of cpuRows) {
		const cell = { row: id, library: library.name };
		const micros = figures[id];
		emit(micros !== undefined ? { ...cell, micros } : { ...cell, text: LACKS[id] });
	}
}
