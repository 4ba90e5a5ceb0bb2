import { DataStoreCloud, Shelf, WriteExtras } from "./cloud";
import { unpackStored } from "./json-copy";

/** What is known about a stored value. */
export interface StoredInfo {
	readonly version: string;
	/** Milliseconds on the store's clock. */
	readonly createdTime: number;
	readonly updatedTime: number;
	readonly userIds: ReadonlyArray<number>;
	readonly metadata: object;
	/** Bytes of JSON. */
	readonly bytes: number;
}

/** A data store's content, to look at and to edit from outside any server: no time passes, no fault hits. */
export class StoredKeys {
	private readonly shelf: Shelf;

	public constructor(
		private readonly cloud: DataStoreCloud,
		name: string,
		scope: string,
	) {
		this.shelf = cloud.shelf(name, scope);
	}

	/** A copy of the value, or undefined. */
	public get(key: string): unknown {
		const version = this.shelf.keys.get(key)?.live();
		return version !== undefined ? unpackStored(version.packed) : undefined;
	}

	/** Stores a value, as an edit through Open Cloud does. */
	public set(key: string, value: unknown, extras: WriteExtras = {}): void {
		this.cloud.write(this.cloud.history(this.shelf, key), this.cloud.copier.pack(value), extras);
	}

	public remove(key: string): void {
		this.cloud.remove(this.cloud.history(this.shelf, key));
	}

	public info(key: string): StoredInfo | undefined {
		const version = this.shelf.keys.get(key)?.live();
		if (version === undefined) return undefined;
		return {
			version: version.id,
			createdTime: version.createdTime,
			updatedTime: version.time,
			userIds: version.userIds,
			metadata: version.metadata,
			bytes: version.packed.bytes,
		};
	}

	/** The keys that hold something, in the order in which they were first used. */
	public keys(): Array<string> {
		return this.shelf.order.filter((key) => this.shelf.keys.get(key)?.live() !== undefined);
	}
}
