import { BatonError } from "../../../src/errors";
import { SeededRandom } from "../../cloud/random";
import { simulate } from "../../cloud/simulate";
import { MARKER_STORE } from "../../../src/transaction/markerStore";
import { Book, WALLETS } from "../../simulation/book";
import { GameSize } from "../../simulation/gameSize";
import { heal } from "../../simulation/healing";
import { NEW_WALLET } from "../../simulation/holdings";
import { Injections } from "../../simulation/injections";
import { CALM, Game, Lobby } from "../../simulation/lobby";
import { Workload } from "../../simulation/workload";

const SIZE: GameSize = { users: 1, servers: 1, guilds: 0, seconds: 1, pace: 1 };
/** A record that no user of the game has, and so none that anybody comes to heal. */
const LEFT = "Player_9";

/** A calm game with one server, on which `play` does by hand what no server may. What the rules say once it has healed. */
function healed(play: (lobby: Lobby, rules: Game) => void): string {
	let said = "";
	simulate({ seed: 1 }, (world) => {
		const book = new Book(world);
		const rules: Game = {
			book,
			random: new SeededRandom(1),
			injections: new Injections(world, new Set(["skew"])),
			...CALM,
			lobbies: new Array<Lobby>(),
		};
		const workload = new Workload(world, rules, SIZE);
		const lobby = workload.startLobby(true);
		world.wait(20);
		play(lobby, rules);
		heal(world, rules, workload, SIZE);
		said = book.violations.map(({ key, text }) => `${key}: ${text}`).join("; ");
	});
	return said;
}

export = () => {
	describe("a game that has healed: the search tells", () => {
		it("nothing, where a user came, earned and left", () => {
			expect(
				healed((lobby, { book }) => {
					lobby.join(1);
					book.world.wait(5);
					for (const player of lobby.playersOf(1)) lobby.earn(player);
				}),
			).to.equal("");
		});

		it("I4: a deposit that is lost without a word, and none that was refused", () => {
			const deposit = (isRefused: boolean) =>
				healed((lobby, { book }) => {
					const gift = { coins: 0, hasItem: false, key: LEFT, server: lobby.server, session: 99 };
					const id = book.deposit({ ...gift, isQueued: false });
					book.deposits[id - 1].isRefused = isRefused;
				});
			expect(deposit(true)).to.equal("");
			expect(deposit(false)).to.equal("Player_9: deposit 1 of S1 is lost without a word");
		});

		it("I13: an operation that is never answered", () => {
			expect(
				healed((lobby, { book }) => {
					const operation = book.operations.begin("trade", lobby.server, 0);
					operation.keys = [LEFT];
					lobby.market.open.add(operation);
				}),
			).to.equal("Player_9: operation 1 on S1 is never answered");
		});

		it("I14: a transaction and a trade that are left on a record, and a marker that nothing needs", () => {
			expect(
				healed((lobby, { book }) => {
					const Pending = { Id: "tx", Data: NEW_WALLET, Migrations: [], JobId: lobby.server.jobId };
					const record = { Data: NEW_WALLET, Meta: { Turn: 1, Migrations: [] }, Pending };
					book.world.store(WALLETS).set(LEFT, record, { writer: lobby.server.name });
				}),
			).to.equal("Player_9: a transaction is left on the record");
			expect(
				healed((lobby, { book }) => {
					const PendingTransaction = { Key: "CKTxn_guid", Token: "journal" };
					const record = { Data: NEW_WALLET, Meta: { Turn: 1, Migrations: [], PendingTransaction } };
					book.world.store(WALLETS).set(LEFT, record, { writer: lobby.server.name });
				}),
			).to.equal("Player_9: it points at a journal that is gone; Player_9: a trade is left on the record");
			expect(
				healed((lobby, { book }) => {
					book.world.store(MARKER_STORE).set("tx", "aborted", { writer: lobby.server.name });
				}),
			).to.equal("CK: 0 journals and 1 markers are left behind in calm");
		});

		it("I14: a lock of a living server that was told of it and has no profile", () => {
			expect(
				healed(({ server }) => {
					// As a load would, which then forgets it.
					server.run(() => {
						const Lock = { JobId: server.jobId, Token: "lost", Turn: 1, Seq: 0, Time: 0, Presence: true };
						const record = { Data: NEW_WALLET, Lock, Meta: { Turn: 1, Migrations: [] } };
						server.dataStores.GetDataStore(WALLETS).UpdateAsync(LEFT, () => $tuple(record));
					});
				}),
			).to.equal("Player_9: S1 keeps a lock that it has no profile for");
		});

		it("I13: a call that fails where nothing goes wrong, but for those that may", () => {
			const cause = new BatonError("released", "it is released");
			expect(healed((lobby) => lobby.expectCalm(LEFT, cause, ["released"]))).to.equal("");
			expect(healed((lobby) => lobby.expectCalm(LEFT, cause, []))).to.equal(
				"Player_9: a call failed in calm: it is released (S1)",
			);
		});

		it("I3: a player who is handed over for a load that nobody of the game has made", () => {
			const handOver = (isEntered: boolean) =>
				healed((lobby, rules) => {
					const { world } = rules.book;
					lobby.join(1);
					world.wait(5);
					const other = new Lobby(rules, {}, true);
					if (isEntered) rules.lobbies.push(other);
					other.join(1);
					world.wait(20);
					for (const player of other.playersOf(1)) other.leave(player);
					world.wait(10);
				});
			expect(handOver(true)).to.equal("");
			expect(handOver(false)).to.equal("Player_1: Player1 was handed over, and nobody had asked (S1)");
		});
	});
};
