import { decodeJson } from "../json";

interface Entry {
	/** The value as JSON, so that nobody ever shares it. */
	readonly text: string;
	readonly expiresAt: number;
	/** What it replaced, for reads that are behind. */
	readonly before: string | undefined;
	readonly writtenAt: number;
}

/** What the hash maps of an experience hold. Every change is by one call and seen by all at once. */
export class Memory {
	private maps = new Map<string, Map<string, Entry>>();
	private bytes = 0;

	public constructor(private readonly now: () => number) {}

	/** The JSON text stored under a key that has not expired. */
	public read(map: string, key: string): string | undefined {
		return this.entryOf(map, key)?.text;
	}

	/** The same as it was `seconds` ago, as far as the last write remembers. */
	public readBehind(map: string, key: string, seconds: number): string | undefined {
		const entry = this.entryOf(map, key);
		if (entry === undefined) return undefined;
		return entry.writtenAt > this.now() - seconds ? entry.before : entry.text;
	}

	/** Stores a text for `seconds`; true when it replaced one. */
	public write(map: string, key: string, text: string, seconds: number): boolean {
		const entries = this.maps.get(map) ?? new Map<string, Entry>();
		this.maps.set(map, entries);
		const before = this.entryOf(map, key)?.text;
		this.forget(map, key);
		const now = this.now();
		entries.set(key, { text, expiresAt: now + seconds, before, writtenAt: now });
		this.bytes += key.size() + text.size();
		return before !== undefined;
	}

	/** Removes a key: on a call, or early by itself. True when it was there. */
	public remove(map: string, key: string): boolean {
		const there = this.entryOf(map, key) !== undefined;
		this.forget(map, key);
		return there;
	}

	/** Whether a key was written less than 2 s ago to live for a second at most: Roblox has failed updates of such keys. */
	public isShortLived(map: string, key: string): boolean {
		const entry = this.maps.get(map)?.get(key);
		if (entry === undefined) return false;
		return this.now() - entry.writtenAt < 2 && entry.expiresAt - entry.writtenAt <= 1;
	}

	/** Loses everything. */
	public flush(): void {
		this.maps = new Map();
		this.bytes = 0;
	}

	/** Bytes held once `text` is stored under a key. */
	public bytesWith(map: string, key: string, text: string): number {
		const old = this.entryOf(map, key);
		return this.bytes - (old !== undefined ? old.text.size() : -key.size()) + text.size();
	}

	/** Forgets what has expired, to make room. */
	public sweep(): void {
		for (const [map, entries] of this.maps) {
			const expired = new Array<string>();
			for (const [key, entry] of entries) if (entry.expiresAt <= this.now()) expired.push(key);
			for (const key of expired) this.forget(map, key);
		}
	}

	/** The keys of a map, sorted. */
	public keys(map: string): Array<string> {
		const keys = new Array<string>();
		const entries = this.maps.get(map);
		if (entries === undefined) return keys;
		for (const [key] of entries) if (this.read(map, key) !== undefined) keys.push(key);
		keys.sort();
		return keys;
	}

	/** The value stored under a key, as a copy, and the seconds it has left. */
	public inspect(map: string, key: string): { readonly value: unknown; readonly secondsLeft: number } | undefined {
		const entry = this.entryOf(map, key);
		return entry && { value: decodeJson(entry.text), secondsLeft: entry.expiresAt - this.now() };
	}

	private entryOf(map: string, key: string): Entry | undefined {
		const entry = this.maps.get(map)?.get(key);
		return entry !== undefined && entry.expiresAt > this.now() ? entry : undefined;
	}

	private forget(map: string, key: string): void {
		const entries = this.maps.get(map);
		const entry = entries?.get(key);
		if (entries === undefined || entry === undefined) return;
		entries.delete(key);
		this.bytes -= key.size() + entry.text.size();
	}
}
