import { ReadRecord, RecordVersion } from "./backend";

/** How many versions of one key are kept. */
const KEPT_VERSIONS = 48;
/** Writes within one such span of time share one version, as in Roblox's data stores. */
const VERSION_SECONDS = 3600;

/** A version with its value; no value is a removal. */
export interface KeptVersion extends RecordVersion {
	readonly record?: ReadRecord;
}

/** A deep copy of plain data, as a store gives one: whoever has it can do nothing to what is stored. */
function copyOf<T>(value: T): T {
	if (!typeIs(value, "table")) return value;
	const copy = new Map<unknown, unknown>();
	for (const [key, field] of pairs(value as unknown as Map<unknown, unknown>)) copy.set(key, copyOf(field));
	return copy as unknown as T;
}

/** The versions of one key, oldest first; the last is what is stored now. */
class KeptKey {
	private readonly versions = new Array<KeptVersion>();
	private written = 0;

	public put(record: ReadRecord | undefined, now: number): void {
		this.written += 1;
		const last = this.versions[this.versions.size() - 1];
		const sameSpan =
			last !== undefined && math.floor(last.createdTime / VERSION_SECONDS) === math.floor(now / VERSION_SECONDS);
		if (sameSpan && record !== undefined) this.versions.pop();
		this.versions.push({
			version: `memory.${this.written}`,
			createdTime: now,
			deleted: record === undefined,
			record: copyOf(record),
		});
		if (this.versions.size() > KEPT_VERSIONS) this.versions.shift();
	}

	public get(): ReadRecord | undefined {
		return copyOf(this.versions[this.versions.size() - 1]?.record);
	}

	public at(time: number): ReadRecord | undefined {
		for (let index = this.versions.size() - 1; index >= 0; index--) {
			const version = this.versions[index];
			if (version.createdTime <= time) return copyOf(version.record);
		}
		return undefined;
	}

	public list(limit: number): Array<RecordVersion> {
		const listed = new Array<RecordVersion>();
		for (let index = this.versions.size() - 1; index >= 0 && listed.size() < limit; index--) {
			const { version, createdTime, deleted } = this.versions[index];
			listed.push({ version, createdTime, deleted });
		}
		return listed;
	}
}

/** What Memory backends keep their records in. Make one and give it to several servers' backends to share it. */
export class MemoryRecords {
	private readonly keys = new Map<string, KeptKey>();

	/** The record of a key, a copy. */
	public get(id: string): ReadRecord | undefined {
		return this.keys.get(id)?.get();
	}

	/** Stores a copy of the record, or removes it where undefined; `now` is Unix seconds. */
	public put(id: string, record: ReadRecord | undefined, now: number): void {
		let kept = this.keys.get(id);
		if (kept === undefined) {
			kept = new KeptKey();
			this.keys.set(id, kept);
		}
		kept.put(record, now);
	}

	/** The record of a key as it was at a time in Unix seconds, a copy. */
	public at(id: string, time: number): ReadRecord | undefined {
		return this.keys.get(id)?.at(time);
	}

	/** The versions of a key, newest first. */
	public list(id: string, limit: number): Array<RecordVersion> {
		return this.keys.get(id)?.list(limit) ?? [];
	}
}
