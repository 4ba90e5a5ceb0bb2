/** The data of every record of the simulated game. Only deposits and operations change them. */
export interface Holdings {
	/** Numbers of the deposits made, in the order in which they were applied: updates of one record alone. */
	readonly deposits: ReadonlyArray<number>;
	/** Numbers of the trades and transactions that changed it, in the same way. */
	readonly operations: ReadonlyArray<number>;
	readonly coins: number;
	/** Numbers of the deposits that made each item; an item is in one record at a time. */
	readonly items: ReadonlyArray<number>;
}

/** What a new user has. */
export const NEW_WALLET: Holdings = { deposits: [], operations: [], coins: 100, items: [] };
/** What a new guild has. */
export const NEW_GUILD: Holdings = { deposits: [], operations: [], coins: 0, items: [] };

/** What a deposit brings. */
export interface Gift {
	readonly coins: number;
	/** Whether it makes an item, of the deposit's number. */
	readonly hasItem: boolean;
}

/** The holdings with one more deposit. Pure. */
export function deposited(data: Holdings, id: number, { coins, hasItem }: Gift): Holdings {
	return {
		...data,
		deposits: [...data.deposits, id],
		coins: data.coins + coins,
		items: hasItem ? [...data.items, id] : data.items,
	};
}

/** All of several holdings after operation `id`: the first pays a coin to each other, and each hands its first item on. Pure. */
export function handedRound(all: ReadonlyArray<Holdings>, id: number): ReadonlyArray<Holdings> {
	const others = all.size() - 1;
	return all.map((data, index) => {
		const before = all[(index + others) % all.size()];
		const kept = data.items.filter((_, place) => place > 0);
		return {
			...data,
			operations: [...data.operations, id],
			coins: index === 0 ? data.coins - others : data.coins + 1,
			items: before.items.isEmpty() ? kept : [...kept, before.items[0]],
		};
	});
}
