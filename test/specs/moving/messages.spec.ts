import { Boot } from "../../../bench/peers/openPeer";
import { fromProfileStore } from "../../../src/legacy/profileStore";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { Coins, PlayerGame } from "../driver/playerGame";
import { causeOf, oldGames } from "./oldGames";

declare const __BATON_BOOT: Boot | undefined;

const KEY = "Player_7";

/** What the old game's code can call on a server. Run there. */
function callsOn(server: Server): typeof import("./oldCalls") {
	return __BATON_BOOT!(server, "test", "specs", "moving", "oldCalls") as typeof import("./oldCalls");
}

/** Sends a message from a server of the old game. */
function send(server: Server, coins: number): void {
	const sent = server.run(() => {
		return callsOn(server).send(KEY, coins);
	});
	if (!sent) error("the message was not sent", 2);
}

/** A new game that pays out what messages carry. */
const importLegacy = fromProfileStore<Coins>((data, messages) => {
	let { coins } = (data ?? { coins: 0 }) as Coins;
	for (const message of messages) coins += (message as Coins).coins;
	return { coins };
});

// From the issue: no data lost. A gift that waits in ProfileStore's record is the player's, too.
export = () => {
	for (const { name, open } of oldGames()) {
		if (name !== "ProfileStore") continue;
		describe("messages that ProfileStore keeps in the record", () => {
			it("are handed to the conversion with the data", () => {
				simulate({ seed: 4 }, (world) => {
					const old = open(world);
					const arrival = old.join(7);
					if ("session" in arrival) arrival.session.earn(5);
					old.server.leave(arrival.player);
					world.wait(10);
					send(old.server, 20);
					send(old.server, 300);
					const lobby = new PlayerGame(world, { driver: { importLegacy } });
					expect(lobby.join(7).profile.data.coins).to.equal(325);
				});
			});

			it("also those for a player who never played, who then has no data", () => {
				simulate({ seed: 4 }, (world) => {
					const old = open(world);
					send(old.server, 20);
					const lobby = new PlayerGame(world, { driver: { importLegacy } });
					expect(lobby.join(7).profile.data.coins).to.equal(20);
					causeOf(old.join(7));
				});
			});

			it("one that comes after the move harms nothing: the record stays Baton's, and closed to the old game", () => {
				simulate({ seed: 4 }, (world) => {
					const old = open(world);
					const lobby = new PlayerGame(world, { driver: { importLegacy } });
					const { profile } = lobby.join(7);
					lobby.set(profile, 4).unwrap();
					send(old.server, 20);
					lobby.server.run(() => profile.save()).unwrap();
					send(old.server, 20);
					expect(lobby.coins(KEY)).to.equal(4);
					causeOf(old.join(7));
					expect(profile.active).to.equal(true);
				});
			});

			it("nor does the old game's Steal take it", () => {
				simulate({ seed: 4 }, (world) => {
					const old = open(world);
					const lobby = new PlayerGame(world, { driver: { importLegacy } });
					const { profile } = lobby.join(7);
					expect(old.server.run(() => callsOn(old.server).steals(KEY))).to.equal(false);
					lobby.set(profile, 4).unwrap();
					lobby.server.run(() => profile.save()).unwrap();
					expect(lobby.coins(KEY)).to.equal(4);
				});
			});
		});
	}
};
