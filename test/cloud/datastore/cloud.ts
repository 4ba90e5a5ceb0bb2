import { World } from "../world";
import { ExperienceBudget } from "./budget";
import { JsonCopier, Packed } from "./json-copy";
import { KeyHistory, StoredVersion } from "./key-history";

/** One data store and scope: its keys. */
export interface Shelf {
	readonly name: string;
	readonly scope: string;
	readonly keys: Map<string, KeyHistory>;
	/** In the order in which they were first used. */
	readonly order: Array<string>;
}

/** What is written with a value. */
export interface WriteExtras {
	readonly userIds?: ReadonlyArray<number>;
	readonly metadata?: object;
	/** Name of the server that writes. */
	readonly writer?: string;
}

/** .NET ticks at the Unix epoch and per millisecond: version ids begin with them. */
const EPOCH_TICKS = 621355968000000000;
const TICKS_PER_MILLISECOND = 10000;

/** All data stores of the experience, shared by its servers. */
export class DataStoreCloud {
	public readonly copier: JsonCopier;
	public readonly budget: ExperienceBudget;
	/** Hears of every version as it is stored, from when it is set. Must not yield. */
	public onStored?: (shelf: Shelf, key: string, version: StoredVersion) => void;
	private readonly shelves = new Map<string, Shelf>();
	private writes = 0;

	public constructor(private readonly world: World) {
		this.copier = new JsonCopier(world.switches.nanStorable, world.switches.oddTables === "refuse");
		this.budget = new ExperienceBudget(world);
	}

	/** Milliseconds since the epoch on the store's own clock. */
	public now(): number {
		return math.floor(this.world.cloudTime() * 1000);
	}

	public shelf(name: string, scope: string): Shelf {
		const id = `${name}\n${scope}`;
		let shelf = this.shelves.get(id);
		if (shelf === undefined) {
			shelf = { name, scope, keys: new Map(), order: [] };
			this.shelves.set(id, shelf);
		}
		return shelf;
	}

	/** The history of a key, empty where nothing was ever stored. */
	public history(shelf: Shelf, key: string): KeyHistory {
		let history = shelf.keys.get(key);
		if (history === undefined) {
			history = new KeyHistory(this.world.switches.removalKeepsHour);
			history.onPush = (version) => this.onStored?.(shelf, key, version);
			shelf.keys.set(key, history);
			shelf.order.push(key);
		}
		return history;
	}

	/** Stores a value. Omitted user ids and metadata are cleared. */
	public write(history: KeyHistory, packed: Packed, extras: WriteExtras): StoredVersion {
		const time = this.now();
		const last = history.current;
		const keepsCreation = last !== undefined && (!last.deleted || this.world.switches.createdTimeSurvivesRemoval);
		const version: StoredVersion = {
			id: this.versionId(time),
			packed,
			createdTime: keepsCreation && last !== undefined ? last.createdTime : time,
			time,
			userIds: table.freeze([...(extras.userIds ?? [])]),
			metadata: table.freeze(table.clone(extras.metadata ?? {})),
			writer: extras.writer,
			deleted: false,
		};
		history.push(version);
		return version;
	}

	/** Puts a tombstone; returns what was there. */
	public remove(history: KeyHistory, writer?: string): StoredVersion | undefined {
		const last = history.live();
		if (last === undefined) return undefined;
		const time = this.now();
		history.push({
			id: this.versionId(time),
			packed: { value: undefined, bytes: 0 },
			createdTime: last.createdTime,
			time,
			userIds: [],
			metadata: {},
			writer,
			deleted: true,
		});
		return last;
	}

	private versionId(time: number): string {
		this.writes += 1;
		const ticks = EPOCH_TICKS + time * TICKS_PER_MILLISECOND;
		return string.format("%016X.%010X.%016X.01", ticks, this.writes, ticks);
	}
}
