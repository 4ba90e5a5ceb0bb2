import { trade } from "../src/trade/trade";
import { transaction } from "../src/transaction/transaction";
import { BatonHost, openBaton } from "../test/story/host";
import { Library } from "./library";

/** Baton, in the story's game. */
export const baton: Library = {
	name: "Baton",
	open: openBaton,
	lacks: {},
	together: {
		trade: (host, [a, b]) => {
			const { profileOf, server } = host as BatonHost;
			const pay = () =>
				trade(profileOf(a), profileOf(b), (mine, yours) => [
					{ ...mine, coins: mine.coins - 1 },
					{ ...yours, coins: yours.coins + 1 },
				]);
			server.run(pay).unwrap();
		},
		transaction: (host, sessions) => {
			const { profileOf, server } = host as BatonHost;
			const profiles = sessions.map((session) => profileOf(session));
			// Everyone gives the first a coin.
			const collect = () =>
				transaction(profiles, (ctx) => {
					profiles.forEach((profile, place) => {
						const data = ctx.get(profile);
						const gained = place === 0 ? profiles.size() - 1 : -1;
						ctx.set(profile, { ...data, coins: data.coins + gained });
					});
				});
			if (!server.run(collect).unwrap()) error("the transaction did not commit");
		},
	},
};
