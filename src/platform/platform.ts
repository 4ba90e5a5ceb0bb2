/**
 * The one seam between Baton and Roblox: every service, clock and thread that Baton uses is reached through a
 * {@link Platform}. The services keep their real shapes, so the default platform hands out the real ones and the
 * emulated cloud hands out doubles, and the code above cannot tell which it runs on.
 *
 * Everything that belongs to one server (its open drivers, its kernel, its handoff) hangs off its platform object, so
 * several simulated servers live in one VM without sharing state.
 */
export interface Platform {
	/** `game.JobId`: unique per server, `""` in Studio. */
	readonly jobId: string;
	/** `RunService:IsStudio()`. */
	readonly isStudio: boolean;
	readonly dataStores: DataStoresService;
	readonly messaging: MessageService;
	readonly memoryStores: MemoryStoresService;
	readonly http: HttpsService;
	readonly players: PlayersService;
	/** Where Baton keeps what a server has one of; starts empty. */
	readonly shared: Map<unknown, object>;
	readonly task: TaskLibrary;
	/** The `DataStoreGetOptions` of a read that bypasses the 4 s read cache. */
	readonly uncachedRead: ReadOptions;
	/** Monotonic seconds with an arbitrary start (`os.clock`): for durations on this server only. */
	readonly clock: () => number;
	/** Unix seconds with fractions, from this server's wall clock, which may be wrong or step. */
	readonly time: () => number;
	/** A number in [0, 1), for jitter. */
	readonly random: () => number;
	/** Runs `callback` when the server closes; the server waits for it for 30 s at most. */
	readonly bindToClose: (callback: () => void) => void;
	/** Writes to the server's output as a warning. */
	readonly warn: (message: string) => void;
}

/** The members of Roblox's `task` library that Baton uses. */
export interface TaskLibrary {
	/** Resumes a function or a thread at once and returns its thread. */
	readonly spawn: <T extends Array<unknown>>(target: thread | ((...args: T) => void), ...args: T) => thread;
	/** Resumes a function or a thread at the end of the current resumption cycle. */
	readonly defer: <T extends Array<unknown>>(target: thread | ((...args: T) => void), ...args: T) => thread;
	/** Resumes a function or a thread on the first frame at least `seconds` from now. */
	readonly delay: <T extends Array<unknown>>(
		seconds: number,
		target: thread | ((...args: T) => void),
		...args: T
	) => thread;
	/** Yields for at least `seconds` and returns the seconds that passed. */
	readonly wait: (seconds?: number) => number;
	/** Closes a thread that is not running. */
	readonly cancel: (thread: thread) => void;
}

/** `RBXScriptConnection`. */
export interface Connection {
	Disconnect(): void;
}

/** `RBXScriptSignal`, as far as Baton uses it. */
export interface RobloxSignal<T extends Callback> {
	Connect(callback: T): Connection;
}

/** `DataStoreService`. */
export interface DataStoresService {
	GetDataStore(name: string, scope?: string): Store;
}

/** `DataStoreGetOptions`. */
export interface ReadOptions {
	UseCache: boolean;
}

/** `DataStoreKeyInfo`. Times are milliseconds since the epoch on the store's clock. */
export interface KeyInfo {
	readonly CreatedTime: number;
	readonly UpdatedTime: number;
	readonly Version: string;
	GetUserIds(): Array<number>;
	GetMetadata(): object;
}

/** What a transform of `UpdateAsync` returns: the new value (undefined cancels), user ids, metadata. */
export type TransformReturn = LuaTuple<[newValue: unknown, userIds?: Array<number>, metadata?: object]>;

/** A standard `DataStore`. Every method yields and throws when the call fails. */
export interface Store {
	GetAsync(key: string, options?: ReadOptions): LuaTuple<[value: unknown, info: KeyInfo | undefined]>;
	UpdateAsync(
		key: string,
		transform: (value: unknown, info: KeyInfo | undefined) => TransformReturn,
	): LuaTuple<[value: unknown, info: KeyInfo | undefined]>;
	RemoveAsync(key: string): LuaTuple<[value: unknown, info: KeyInfo | undefined]>;
	ListVersionsAsync(
		key: string,
		sortDirection?: Enum.SortDirection,
		minDate?: number,
		maxDate?: number,
		pageSize?: number,
	): VersionPages;
	GetVersionAsync(key: string, version: string): LuaTuple<[value: unknown, info: KeyInfo | undefined]>;
	GetVersionAtTimeAsync(key: string, timestamp: number): LuaTuple<[value: unknown, info: KeyInfo | undefined]>;
}

/** `DataStoreObjectVersionInfo`. `CreatedTime` is milliseconds since the epoch. */
export interface VersionInfo {
	readonly Version: string;
	readonly CreatedTime: number;
	readonly IsDeleted: boolean;
}

/** `DataStoreVersionPages`. */
export interface VersionPages {
	readonly IsFinished: boolean;
	GetCurrentPage(): Array<VersionInfo>;
	AdvanceToNextPageAsync(): void;
}

/** `MessagingService`. Both methods yield and throw. */
export interface MessageService {
	PublishAsync(topic: string, message: unknown): void;
	SubscribeAsync(topic: string, callback: (message: ReceivedMessage) => void): Connection;
}

/** What a subscription's callback receives; `Sent` is Unix seconds. */
export interface ReceivedMessage {
	readonly Data: unknown;
	readonly Sent: number;
}

/** `MemoryStoreService`. */
export interface MemoryStoresService {
	GetHashMap(name: string): HashMap;
}

/** `MemoryStoreHashMap`. Every method yields and throws; `expiration` is seconds. */
export interface HashMap {
	GetAsync(key: string): unknown;
	/** True when it overwrote a value, false when it created the key. */
	SetAsync(key: string, value: unknown, expiration: number): boolean;
	UpdateAsync(key: string, transform: (value: unknown) => unknown, expiration: number): unknown;
	RemoveAsync(key: string): void;
}

/** What `HttpService:GetSecret` gives: opaque, good for URLs and headers only. */
export interface HttpSecret {
	AddPrefix(prefix: string): HttpSecret;
	AddSuffix(suffix: string): HttpSecret;
}

/** `HttpService`. */
export interface HttpsService {
	GenerateGUID(wrapInCurlyBraces?: boolean): string;
	JSONEncode(value: unknown): string;
	JSONDecode(text: string): unknown;
	UrlEncode(text: string): string;
	GetSecret(key: string): HttpSecret;
	RequestAsync(request: HttpRequest): HttpResponse;
}

export interface HttpRequest {
	readonly Url: string | HttpSecret;
	readonly Method: "GET" | "PUT" | "DELETE";
	readonly Headers?: Record<string, string | HttpSecret>;
	readonly Body?: string;
}

export interface HttpResponse {
	readonly Success: boolean;
	readonly StatusCode: number;
	readonly StatusMessage: string;
	readonly Headers: Record<string, string>;
	readonly Body: string;
}

/** `Players`. */
export interface PlayersService {
	readonly PlayerAdded: RobloxSignal<(player: Player) => void>;
	readonly PlayerRemoving: RobloxSignal<(player: Player) => void>;
	GetPlayers(): Array<Player>;
}
