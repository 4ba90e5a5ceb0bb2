import { topicOf } from "../../../src/handoff/wire";
import { DataDriver } from "../../../src/driver/dataDriver";
import { World } from "../../cloud/world";
import { Coins, play, PlayerGame, STORE } from "../driver/playerGame";
import { KEY, lockOf, settledPair } from "./fleet";

const SENDER = "listening-server";

/** The fields of a message as text, in order. */
function fieldsOf(message: unknown): string {
	const fields = new Array<string>();
	for (const [name, value] of pairs(message as Record<string, unknown>)) fields.push(`${name}=${value}`);
	fields.sort();
	return fields.join(" ");
}

/** Everything that was sent to the topic of `jobId`, heard by a server of its own. */
function listen(world: World, jobId: string): Array<string> {
	const heard = new Array<string>();
	const ear = world.startServer({ jobId: `ear of ${jobId}` });
	ear.run(() =>
		ear.platform.messaging.SubscribeAsync(topicOf(jobId), (message) => heard.push(fieldsOf(message.Data))),
	);
	return heard;
}

function tell(from: PlayerGame, to: string, message: unknown): void {
	from.server.run(() => from.server.platform.messaging.PublishAsync(topicOf(to), message));
}

// Seed "Lock handoff", Wire format.
export = () => {
	describe("messages", () => {
		it("are { T, D, K, R, L } to the holder's topic and { T, D, K } to the requester's, and nothing else", () => {
			play((lobby, world) => {
				const other = new PlayerGame(world);
				const toHolder = listen(world, lobby.server.jobId);
				const toRequester = listen(world, other.server.jobId);
				lobby.join(7);
				const token = lockOf(lobby)!.Token;
				other.join(7);
				world.wait(1);
				expect(topicOf("x")).to.equal("CKHandoff_x");
				expect(toHolder.join(", ")).to.equal(`D=${STORE} K=${KEY} L=${token} R=${other.server.jobId} T=Q`);
				expect(toRequester.join(", ")).to.equal(`D=${STORE} K=${KEY} T=R`);
			});
		});

		it("that are malformed do nothing: no error, no answer, no call of the store, no session ended", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				const other = new PlayerGame(world);
				const answers = listen(world, SENDER);
				const L = lockOf(lobby)!.Token;
				const good = { T: "Q", D: STORE, K: KEY, R: SENDER, L };
				const bad: Array<defined> = [
					0,
					"Q",
					true,
					[],
					["Q", STORE, KEY, SENDER, L],
					{},
					{ T: "Q" },
					{ ...good, T: undefined },
					{ ...good, T: "q" },
					{ ...good, T: "X" },
					{ ...good, T: 1 },
					{ ...good, D: undefined },
					{ ...good, D: 7 },
					{ ...good, D: "Inventory" },
					{ ...good, D: "" },
					{ ...good, K: undefined },
					{ ...good, K: 7 },
					{ ...good, K: "" },
					{ ...good, K: string.rep("k", 51) },
					{ ...good, K: "CKClock" },
					{ ...good, K: "CKTxn_1" },
					{ ...good, R: undefined },
					{ ...good, R: 7 },
					{ ...good, L: 7 },
					{ ...good, L: { Token: L } },
					{ T: "R", D: STORE },
					{ T: "R", K: KEY },
					{ T: "R", D: "Inventory", K: KEY },
					{ T: "R", D: STORE, K: [KEY] },
				];
				const since = world.now();
				for (const message of bad) tell(other, lobby.server.jobId, message);
				world.wait(3);
				expect(world.trace.count({ op: "Deliver", since }) >= bad.size() || world.now() - since > 3).to.equal(
					true,
				);
				expect(answers.size()).to.equal(0);
				expect(world.trace.count({ service: "DataStore", since })).to.equal(0);
				expect(lobby.server.warnings.size()).to.equal(0);
				expect(profile.active).to.equal(true);
				// The well-formed one is heard, so the others were too.
				tell(other, lobby.server.jobId, good);
				world.wait(2);
				expect(profile.active).to.equal(false);
				expect(answers.join(", ")).to.equal(`D=${STORE} K=${KEY} T=R`);
			});
		});

		it("with more fields than these are understood", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				const other = new PlayerGame(world);
				const L = lockOf(lobby)!.Token;
				tell(other, lobby.server.jobId, { T: "Q", D: STORE, K: KEY, R: SENDER, L, V: 2 });
				world.wait(2);
				expect(profile.active).to.equal(false);
			});
		});

		it("whose sender's name makes no topic end no thread", () => {
			play((lobby, world) => {
				lobby.join(7);
				const other = new PlayerGame(world);
				for (const R of ["", string.rep("r", 200)]) {
					tell(other, lobby.server.jobId, { T: "Q", D: STORE, K: "Player_8", R, L: "t" });
				}
				world.wait(5);
				expect(world.threadErrors.size()).to.equal(0);
			});
		});

		it("that the server sends to itself do no harm", () => {
			play((lobby, world) => {
				const { profile } = lobby.join(7);
				tell(lobby, lobby.server.jobId, { T: "R", D: STORE, K: KEY });
				world.wait(2);
				expect(profile.active).to.equal(true);
			});
		});
	});

	describe("several drivers of a server", () => {
		it("share one subscription, and a request reaches the one it names", () => {
			play((lobby, world) => {
				const names = ["Inventory", "Guilds"];
				const drivers = names.map((name) =>
					lobby.server.run(() => {
						const made: DataDriver<Coins> = lobby.newDriver({ name });
						made.attach();
						return made;
					}),
				);
				const asked = new Array<string>();
				for (const made of drivers) {
					const profile = lobby.server.run(() => made.load("shared")).unwrap();
					profile.onReleaseRequested.connect((requester) => asked.push(`${made.name} by ${requester}`));
				}
				const other = new PlayerGame(world);
				const record = world.store("Guilds").get("shared") as { Lock: { Token: string } };
				const request = { T: "Q", D: "Guilds", K: "shared", R: SENDER, L: record.Lock.Token };
				tell(other, lobby.server.jobId, request);
				world.wait(1);
				expect(asked.join(", ")).to.equal(`Guilds by ${SENDER}`);
				expect(world.trace.count({ op: "SubscribeAsync", server: lobby.server.name })).to.equal(1);
			});
		});
	});

	it("a request that the store cannot look up at first is looked up until it can", () => {
		play((_, world) => {
			const [lobby, other] = settledPair(world, { driver: { name: "Pair" } }, { driver: { name: "Pair" } });
			const lock = { JobId: lobby.server.jobId, Token: "lost", Turn: 1, Seq: 0, Time: 0 };
			const record = { Data: { coins: 1 }, Lock: lock, Meta: { Turn: 1, Migrations: [] } };
			world.store("Pair").set(KEY, record);
			world.faults.add({ service: "DataStore", key: KEY, effect: "failBefore", count: 1 });
			tell(other, lobby.server.jobId, { T: "Q", D: "Pair", K: KEY, R: other.server.jobId, L: "lost" });
			world.wait(4);
			expect((world.store("Pair").get(KEY) as { Lock?: unknown }).Lock).to.equal(undefined);
		});
	});

	it("a late request never puts its old token over the one of the last release", () => {
		play((_, world) => {
			const [lobby, other] = settledPair(world, { driver: { name: "Pair" } }, { driver: { name: "Pair" } });
			world
				.store("Pair")
				.set(KEY, { Data: { coins: 1 }, Meta: { Turn: 4, Migrations: [], ReleasedToken: "newest" } });
			world.faults.add({ service: "DataStore", key: KEY, effect: "failBefore", count: 1 });
			tell(other, lobby.server.jobId, { T: "Q", D: "Pair", K: KEY, R: other.server.jobId, L: "oldest" });
			world.wait(10);
			const { Meta } = world.store("Pair").get(KEY) as { Meta: { ReleasedToken?: string } };
			expect(Meta.ReleasedToken).to.equal("newest");
		});
	});
};
