import { Server } from "../cloud/server";

/** What an operation told the game. */
export type Told = "committed" | "failed" | "unknown";

/** A trade, transaction or purchase of the simulated game. */
export interface Operation {
	readonly id: number;
	readonly kind: "trade" | "transaction" | "purchase";
	readonly server: Server;
	readonly startedAt: number;
	/** The records that it changes; known once its function has run. */
	keys: ReadonlyArray<string>;
	told?: Told;
}

/** Every trade, transaction and purchase: which records hold it, and whether what the game was told of it is true. */
export class Operations {
	public readonly all = new Array<Operation>();
	/** The records that hold each, as a reader resolves them. */
	private readonly holders = new Map<number, Set<string>>();

	public constructor(private readonly broken: (key: string, text: string) => void) {}

	/** One begins. */
	public begin(kind: Operation["kind"], server: Server, now: number): Operation {
		const operation: Operation = { id: this.all.size() + 1, kind, server, startedAt: now, keys: [] };
		this.all.push(operation);
		return operation;
	}

	/**
	 * I5, honest unknowns: it answers. What is called committed is found by every reader, and what is called failed by
	 * nobody, ever.
	 */
	public tell(operation: Operation, told: Told): void {
		operation.told = told;
		const { id, keys } = operation;
		const held = this.holders.get(id)?.size() ?? 0;
		if (told === "committed" && held !== keys.size()) {
			this.broken(
				this.firstOf(operation),
				`operation ${id} is called committed, and ${held} of ${keys.size()} have it`,
			);
		}
		if (told === "failed" && held > 0)
			this.broken(this.firstOf(operation), `operation ${id} is called failed, and is committed`);
	}

	/** A record came to hold it. */
	public applied(id: number, key: string): void {
		const operation = this.all[id - 1];
		if (operation === undefined || !operation.keys.includes(key)) {
			return this.broken(key, `operation ${id} is none of this record`);
		}
		let holders = this.holders.get(id);
		if (holders === undefined) {
			holders = new Set();
			this.holders.set(id, holders);
		}
		// I10, exactly once.
		if (holders.has(key)) this.broken(key, `operation ${id} was applied twice`);
		holders.add(key);
		if (operation.told === "failed") this.broken(key, `operation ${id} was called failed, and commits`);
	}

	/** I6, atomic: after every durable write, all of its records hold it or none. */
	public judge(id: number): void {
		const operation = this.all[id - 1];
		const holders = this.holders.get(id)?.size() ?? 0;
		if (operation === undefined || holders === operation.keys.size()) return;
		this.broken(this.firstOf(operation), `operation ${id} changed ${holders} of ${operation.keys.size()} records`);
	}

	/** Whether it has changed its records. */
	public hasCommitted({ id }: Operation): boolean {
		return this.holders.has(id);
	}

	private firstOf({ keys, id }: Operation): string {
		return keys[0] ?? `operation ${id}`;
	}
}
