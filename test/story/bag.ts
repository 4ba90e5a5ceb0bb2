/** Things by their ids, in sections. */
export type Bag = Readonly<Record<string, Readonly<Record<string, Thing>>>>;

/** Something that a user has. */
export interface Thing {
	readonly name: string;
	readonly level: number;
	readonly bound: boolean;
}

/** The same things, one of them a level higher; what is not changed is shared. */
export function levelUp(bag: Bag, section: string, item: string): Bag {
	const things = bag[section];
	const thing = things[item];
	return { ...bag, [section]: { ...things, [item]: { ...thing, level: thing.level + 1 } } };
}
