import { trade } from "../src/trade/trade";
import { transaction } from "../src/transaction/transaction";
import { DataDriver } from "../src/driver/dataDriver";
import { LocklessProfile } from "../src/lockless/locklessProfile";
import { Bag } from "../test/story/bag";
import { BatonHost, Host, openBaton } from "../test/story/host";
import { Library } from "./library";

interface Bank {
	readonly coins: number;
	readonly bag?: Bag;
}

function openBank({ server }: Host): LocklessProfile<Bank> {
	const open = () => {
		const banks = new DataDriver<Bank>({ name: "Banks", defaults: { coins: 0 }, platform: server.platform });
		return banks.lockless("Bank");
	};
	return server.run(open).unwrap();
}

/** Baton, in the story's game. */
export const baton: Library = {
	name: "Baton",
	open: openBaton,
	lacks: {},
	openShared: (host) => {
		const bank = openBank(host);
		const { server } = host;
		return {
			pay: (coins) => {
				server.run(() => bank.update((data) => ({ ...data, coins: data.coins + coins }))).unwrap();
			},
			save: () => {
				server.run(() => bank.save()).unwrap();
			},
			fill: (bag) => {
				server.run(() => bank.update((data) => ({ ...data, bag }))).unwrap();
			},
		};
	},
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
		"shared transaction": (host, [session]) => {
			const { profileOf, server } = host as BatonHost;
			const profile = profileOf(session);
			const bank = openBank(host);
			const pay = () =>
				transaction([profile, bank], (ctx) => {
					const mine = ctx.get(profile);
					const ours = ctx.get(bank);
					ctx.set(profile, { ...mine, coins: mine.coins - 1 });
					ctx.set(bank, { ...ours, coins: ours.coins + 1 });
				});
			if (!server.run(pay).unwrap()) error("the transaction did not commit");
		},
	},
};
