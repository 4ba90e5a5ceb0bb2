import { World } from "../cloud/world";

/** Something that went wrong on purpose in a game. */
export interface Injection {
	/** Its source and its number there; the same in every game of the seed until one before it is left out. */
	readonly name: string;
	/** What it is one of many of. */
	readonly source: string;
	readonly text: string;
	readonly at: number;
}

/** Everything that goes wrong on purpose in one game, and what of it is left out: of a source, or of a single name. */
export class Injections {
	public readonly all = new Array<Injection>();
	private readonly numbers = new Map<string, number>();

	public constructor(
		private readonly world: World,
		private readonly spared: ReadonlySet<string>,
	) {}

	/** Whether the next one of a source happens. */
	public happens(source: string, text: string): boolean {
		const number = (this.numbers.get(source) ?? 0) + 1;
		this.numbers.set(source, number);
		const name = `${source}#${number}`;
		if (this.spared.has(source) || this.spared.has(name)) return false;
		this.all.push({ name, source, text, at: this.world.now() });
		return true;
	}
}
