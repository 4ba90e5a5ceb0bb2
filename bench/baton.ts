import { trade } from "../src/trade/trade";
import { BatonHost, openBaton } from "../test/story/host";
import { Library } from "./library";

/** Baton, in the story's game. */
export const baton: Library = {
	name: "Baton",
	open: openBaton,
	lacks: { "transaction-2": "not yet", "transaction-5": "not yet" },
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
	},
};
