import { Backend } from "../../../src/backend/backend";
import { BackendFactory } from "../../../src/backend/factory";
import { httpBackend } from "../../../src/backend/http/http";
import { memoryBackend } from "../../../src/backend/memory";
import { MemoryRecords } from "../../../src/backend/memoryRecords";
import { DataDriver } from "../../../src/driver/dataDriver";
import { DriverOptions, StudioMode } from "../../../src/driver/options";
import { Profile } from "../../../src/driver/profile";
import { LocklessProfile } from "../../../src/lockless/locklessProfile";
import { err, Result } from "../../../src/result";
import { BatonError } from "../../../src/errors";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { transaction } from "../../../src/transaction/transaction";
import { Server, ServerOptions } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World } from "../../cloud/world";
import { RecordServer } from "../backend/recordServer";
import { errorOf, must } from "./parties";

/** Given by the host that runs the specs: starts a real web server on this machine and returns its URL. */
declare const __BATON_LOOPBACK: ((kind: "enforcing" | "ignoring") => string) | undefined;

const start = __BATON_LOOPBACK;
const URL = "https://data.example.com/v1";

interface Coins {
	readonly coins: number;
}

/** A server with two drivers over some backend. */
class Shop {
	public readonly server: Server;
	public readonly players: DataDriver<Coins>;
	public readonly guilds: DataDriver<Coins>;

	public constructor(
		world: World,
		options: Partial<DriverOptions<Coins>>,
		guildOptions: Partial<DriverOptions<Coins>> = {},
		serverOptions?: ServerOptions,
	) {
		this.server = world.startServer(serverOptions);
		const { platform } = this.server;
		const open = (name: string, more: Partial<DriverOptions<Coins>>) =>
			this.server.run(() => new DataDriver<Coins>({ name, defaults: { coins: 100 }, platform, ...more }));
		this.players = open("Players", options);
		this.guilds = open("Guilds", { ...options, ...guildOptions });
	}

	public player(): Profile<Coins> {
		return this.server.run(() => this.players.load("A")).unwrap();
	}

	public guild(): LocklessProfile<Coins> {
		return this.server.run(() => this.guilds.lockless("G")).unwrap();
	}

	public pay(player: Profile<Coins>, guild: LocklessProfile<Coins>): Result<boolean> {
		return this.server.run(() =>
			transaction([player, guild], (ctx) => {
				ctx.set(player, { coins: ctx.get(player).coins - 30 });
				ctx.set(guild, { coins: ctx.get(guild).coins + 30 });
			}),
		);
	}

	/** What a reader of either kind finds, as `player/guild`. */
	public seen(): string {
		const guild = this.guild();
		const found = this.server.run(() => guild.fetch()).unwrap().coins;
		return `${this.player().data.coins}/${found}`;
	}

	public close(): void {
		this.server.run(() => this.players.close());
		this.server.run(() => this.guilds.close());
	}
}

/** Answers errors from the write on that `goesOn` is false for. */
function failing(factory: BackendFactory, goesOn: (nth: number) => boolean): BackendFactory {
	let writes = 0;
	return (context) => {
		const backend = factory(context);
		const gone = (): BatonError => new BatonError("roblox", "the server is gone", { retryable: true });
		const cut: Backend = {
			name: backend.name,
			hasStoreTime: backend.hasStoreTime,
			read(key, fresh) {
				return backend.read(key, fresh);
			},
			update(key, transform) {
				let counts = false;
				const answer = backend.update(key, (value, info) => {
					const change = transform(value, info);
					if (change.write === undefined || key === "CKClock") return change;
					counts = true;
					return goesOn(writes + 1) ? change : { report: change.report };
				});
				if (!counts) return answer;
				writes += 1;
				return goesOn(writes) ? answer : err(gone());
			},
		};
		if (backend.remove === undefined) return cut;
		return {
			...cut,
			remove(key) {
				return backend.remove!(key);
			},
		};
	};
}

/** Load's lock, then: the guild's lock, both prepares, the marker. */
const BEFORE = 1;

/** A transaction that is cut after `writes` of its own, and what a fresh server finds. */
function cut(world: World, factory: BackendFactory, writes: number): string {
	const broken = failing(factory, (nth) => nth <= BEFORE + writes);
	const first = new Shop(world, { backend: broken, lockTtlSeconds: 1, lockSkewSeconds: 0 });
	const [player, guild] = [first.player(), first.guild()];
	let answer: Result<boolean> | undefined;
	first.server.spawn(() => {
		answer = transaction(
			[player, guild],
			(ctx) => {
				ctx.set(player, { coins: ctx.get(player).coins - 30 });
				ctx.set(guild, { coins: ctx.get(guild).coins + 30 });
			},
			{ retryAttempts: 1 },
		);
	});
	world.waitUntil(() => answer !== undefined, 60);
	first.server.crash();
	world.wait(100);
	const second = new Shop(world, { backend: factory, lockTtlSeconds: 1, lockSkewSeconds: 0 });
	const seen = second.seen();
	second.close();
	const third = new Shop(world, { backend: factory });
	must(third.seen() === seen, "the outcome has flipped");
	if (answer!.success) must(answer!.value === (seen === "70/130"), `it answered ${answer!.value}`);
	else must(answer!.error.type === "tx_unknown" || seen === "100/100", `it answered ${answer!.error}`);
	return seen;
}

function outcomeAfter(writes: number): string {
	return writes < 4 ? "100/100" : "70/130";
}

export = () => {
	describe("transactions over other backends, cut after each write", () => {
		it("Memory, shared by two servers", () => {
			for (let writes = 0; writes <= 5; writes++) {
				simulate({ seed: 1 }, (world) => {
					// One factory: the markers' place is that of the records.
					expect(cut(world, memoryBackend(new MemoryRecords()), writes)).to.equal(outcomeAfter(writes));
				});
			}
		});

		for (const remove of [true, false]) {
			it(`Http, with preconditions enforced, ${remove ? "with" : "without"} DELETE`, () => {
				for (let writes = 0; writes <= 5; writes++) {
					simulate({ seed: 1 }, (world) => {
						const api = new RecordServer();
						world.services.web.serve(URL, api.handle);
						expect(cut(world, httpBackend({ url: URL, remove }), writes)).to.equal(outcomeAfter(writes));
					});
				}
			});
		}

		// Studio reaches no web server of its machine.
		const itReal = start !== undefined ? it : itSKIP;

		itReal("Http over real HTTP, with preconditions enforced", () => {
			for (let writes = 0; writes <= 5; writes++) {
				const url = start!("enforcing");
				simulate({ seed: 1 }, (world) => {
					expect(cut(world, httpBackend({ url, remove: true }), writes)).to.equal(outcomeAfter(writes));
				});
			}
		});

		itReal(
			"markers over real HTTP that ignores preconditions: fails closed, tx_aborted, and the profiles go on",
			() => {
				const url = start!("ignoring");
				simulate({ seed: 1 }, (world) => failsClosed(world, httpBackend({ url })));
			},
		);

		it("markers over a server that ignores preconditions: fails closed, tx_aborted, and the profiles go on", () => {
			simulate({ seed: 1 }, (world) => {
				const api = new RecordServer({ ignoresIfMatch: true, ignoresIfNoneMatch: true });
				world.services.web.serve(URL, api.handle);
				failsClosed(world, httpBackend({ url: URL }));
			});
		});
	});

	describe("a backend that cannot remove, or has no time", () => {
		it("without DELETE the marker stays and does no harm; with it, it goes", () => {
			for (const remove of [true, false]) {
				simulate({ seed: 1 }, (world) => {
					const api = new RecordServer();
					world.services.web.serve(URL, api.handle);
					const shop = new Shop(world, { backend: httpBackend({ url: URL, remove }) });
					const [player, guild] = [shop.player(), shop.guild()];
					for (const round of [1, 2, 3]) {
						must(shop.pay(player, guild).unwrap(), `round ${round} was not committed`);
					}
					shop.close();
					world.wait(5);
					let markers = 0;
					for (const [path] of api.records) {
						if (path.find(`/${MARKER_STORE}/`, 1, true)[0] === undefined) continue;
						if (path.find("CKProbe", 1, true)[0] === undefined) markers += 1;
					}
					expect(markers).to.equal(remove ? 0 : 3);
					expect(new Shop(world, { backend: httpBackend({ url: URL, remove }) }).seen()).to.equal("10/190");
				});
			}
		});
	});

	describe("Studio", () => {
		const studio: ServerOptions = { isStudio: true };
		for (const mode of ["separate", "live", "memory"] as ReadonlyArray<StudioMode>) {
			it(`${mode}: a transaction works, and its marker is kept where the records are`, () => {
				simulate({ seed: 1 }, (world) => {
					const shop = new Shop(world, { studio: mode }, {}, studio);
					const [player, guild] = [shop.player(), shop.guild()];
					const since = world.now();
					expect(shop.pay(player, guild).unwrap()).to.equal(true);
					const inScope = (scope: string) => world.store(MARKER_STORE, scope).keys().size();
					expect(inScope("Studio")).to.equal(mode === "separate" ? 1 : 0);
					expect(inScope("global")).to.equal(mode === "live" ? 1 : 0);
					if (mode === "memory") {
						expect(world.trace.count({ service: "DataStore", since })).to.equal(0);
					}
				});
			});
		}

		it("without access to the stores everything is kept in memory, markers too", () => {
			simulate({ seed: 1 }, (world) => {
				const shop = new Shop(world, {}, {}, { isStudio: true, apiAccess: false });
				const [player, guild] = [shop.player(), shop.guild()];
				expect(shop.pay(player, guild).unwrap()).to.equal(true);
				expect(player.data.coins).to.equal(70);
				expect(shop.server.run(() => guild.fetch()).unwrap().coins).to.equal(130);
			});
		});

		it("rule 6.1: drivers of two modes keep their decisions in two places, also over a backend of the game's own", () => {
			for (const backend of ["DataStore", memoryBackend(new MemoryRecords())] as const) {
				simulate({ seed: 1 }, (world) => {
					const shop = new Shop(world, { backend, studio: "separate" }, { studio: "live" }, studio);
					const [player, guild] = [shop.player(), shop.guild()];
					const [fine, why] = shop.server.run(() => {
						const [worked, thrown] = pcall(() => transaction([player, guild], () => {}));
						return [worked, tostring(thrown)] as const;
					});
					must(!fine && why.find("markers", 1, true)[0] !== undefined, `it did not throw: ${why}`);
				});
			}
		});
	});
};

/** Records in the data stores, markers where nothing can be decided. */
function failsClosed(world: World, markers: BackendFactory): void {
	const shop = new Shop(world, { markers });
	const [player, guild] = [shop.player(), shop.guild()];
	const problem = errorOf(shop.pay(player, guild));
	must(problem.type === "tx_aborted", `it answered ${problem.type}`);
	must(problem.cause?.type === "roblox", `the cause is ${problem.cause?.type}`);
	shop.server.run(() => player.update(({ coins }) => ({ coins: coins + 1 }))).unwrap();
	shop.server.run(() => guild.update(({ coins }) => ({ coins: coins + 1 }))).unwrap();
	shop.close();
	for (const [store, key] of [
		["Players", "A"],
		["Guilds", "G"],
	]) {
		const { coins } = (world.store(store).get(key) as { Data: Coins }).Data;
		must(coins === 101, `${key} has ${coins} coins`);
	}
}
