import { createCollection, Document } from "@rbxts/lapis";
import { levelUp } from "../../test/story/bag";
import { PeerData, PeerGame } from "./peerGame";

interface Data extends PeerData {
	[name: string]: unknown;
}

/** Lapis, with its defaults. */
export const peer: PeerGame = {
	start: (players, defaults, listener) => {
		const collection = createCollection<Data>("PlayerData", { defaultData: { ...defaults } });
		const documents = new Map<Player, Document<Data>>();
		const closed = new Set<Document<Data>>();
		const close = (document: Document<Data>): void => {
			closed.add(document);
			document.close().catch(warn);
		};
		players.PlayerAdded.Connect((player) => {
			collection
				.load(`Player_${player.UserId}`, [player.UserId])
				.then((document) => {
					if (player.Parent !== players) return close(document);
					documents.set(player, document);
					listener(player, {
						session: {
							coins: () => document.read().coins,
							active: () => !closed.has(document),
							earn: (coins) => {
								const data = document.read();
								document.write({ ...data, coins: data.coins + coins });
							},
							save: () => document.save().expect(),
							fill: (bag) => document.write({ ...document.read(), bag }),
							change: (section, item) => {
								const data = document.read();
								document.write({ ...data, bag: levelUp(data.bag!, section, item) });
							},
						},
					});
				})
				.catch((cause) => {
					player.Kick("Data failed to load");
					listener(player, { cause: tostring(cause) });
				});
		});
		players.PlayerRemoving.Connect((player) => {
			const document = documents.get(player);
			documents.delete(player);
			if (document !== undefined) close(document);
		});
	},
};
