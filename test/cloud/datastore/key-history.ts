import { Packed } from "./json-copy";

/** One version of a key, as stored. Times are milliseconds since the epoch on the store's clock. */
export interface StoredVersion {
	readonly id: string;
	/** Holds nothing in a tombstone. */
	readonly packed: Packed;
	/** When the key was created. */
	readonly createdTime: number;
	/** When this version was written. */
	readonly time: number;
	readonly userIds: ReadonlyArray<number>;
	readonly metadata: object;
	/** Name of the server that wrote it. */
	readonly writer?: string;
	readonly deleted: boolean;
	/** When a newer one took its place. */
	replacedTime?: number;
	/** What was stored before, for a few seconds. */
	before?: StoredVersion;
}

const HOUR = 3600000;
const THIRTY_DAYS = 30 * 24 * HOUR;
/** How long what was replaced is remembered for stale reads: longer than any read cache. */
const REMEMBER = 60000;

/** Adds up what happened in the last 60 seconds, in slots of a second. */
export class RollingSum {
	private slots = new Array<{ readonly second: number; amount: number }>();
	private total = 0;

	/** The sum over the 60 s up to `now`. */
	public sum(now: number): number {
		while (this.slots.size() > 0 && this.slots[0].second <= now - 60) {
			const gone = this.slots.shift();
			if (gone !== undefined) this.total -= gone.amount;
		}
		return this.total;
	}

	public add(now: number, amount: number): void {
		const second = math.floor(now);
		const last = this.slots[this.slots.size() - 1];
		if (last !== undefined && last.second === second) last.amount += amount;
		else this.slots.push({ second, amount });
		this.total += amount;
	}

	/** Seconds until `amount` more fits under `limit`. */
	public waitFor(now: number, amount: number, limit: number): number {
		let left = this.sum(now) + amount - limit;
		for (const slot of this.slots) {
			if (left <= 0) break;
			left -= slot.amount;
			if (left <= 0) return math.max(slot.second + 60 - now, 0.001);
		}
		return left <= 0 ? 0 : 60;
	}
}

/** What is stored under one key: the current version and the older ones that are kept. */
export class KeyHistory {
	/** The newest version, a tombstone too. */
	public current: StoredVersion | undefined;
	/** Kilobytes read and written in the last minute, for the limits of throughput. */
	public readonly reads = new RollingSum();
	public readonly writes = new RollingSum();
	/** Hears of every version as it is stored. Must not yield. */
	public onPush?: (version: StoredVersion) => void;
	/** Oldest first; the last one is the current one. */
	private versions = new Array<StoredVersion>();

	public constructor(private readonly removalKeepsHour: boolean) {}

	/** The newest version, unless the key is removed. */
	public live(): StoredVersion | undefined {
		const current = this.current;
		return current !== undefined && !current.deleted ? current : undefined;
	}

	/** Stores a version. The first write in each UTC hour keeps the version before; later ones take the place of theirs. */
	public push(version: StoredVersion): void {
		const last = this.current;
		if (last !== undefined) {
			last.replacedTime = version.time;
			version.before = last;
			if (last.before !== undefined && (last.before.replacedTime ?? 0) < version.time - REMEMBER)
				last.before = undefined;
			const sameHour = math.floor(last.time / HOUR) === math.floor(version.time / HOUR);
			const tombstone = (version.deleted && this.removalKeepsHour) || last.deleted;
			if (sameHour && !tombstone) this.versions.pop();
		}
		this.versions.push(version);
		this.current = version;
		this.onPush?.(version);
	}

	/** The versions that can be read at `time`, oldest first. */
	public readable(time: number): ReadonlyArray<StoredVersion> {
		this.versions = this.versions.filter(
			(version) => version.replacedTime === undefined || version.replacedTime > time - THIRTY_DAYS,
		);
		return this.versions;
	}

	/** What was stored at `time`, as far as it is remembered. */
	public asOf(time: number): StoredVersion | undefined {
		let version = this.current;
		while (version !== undefined && version.time > time) version = version.before;
		return version !== undefined && !version.deleted ? version : undefined;
	}
}
