import { Switches } from "../switches";

/** Longest name, scope and key, in bytes. */
export const NAME_BYTES = 50;
/** Largest value, in bytes of JSON. */
export const VALUE_BYTES = 4194304;

/** The kinds of requests that data stores budget. */
export type RequestKind = "StandardRead" | "StandardWrite" | "StandardList" | "StandardRemove";

const throttleCodes: Readonly<Record<string, number>> = {
	GetAsync: 301,
	SetAsync: 302,
	IncrementAsync: 303,
	UpdateAsync: 304,
	RemoveAsync: 306,
};

/** Words the failures of one call: the same event has an older form with a code and a newer one with a name. */
export class StoreErrors {
	public constructor(
		private readonly form: Switches["errorTexts"],
		private readonly api: string,
		private readonly store: string,
	) {}

	public internal(): string {
		return this.either(
			"502: API Services rejected request with error. HTTP 500 (Internal Server Error)",
			"InternalServerError: An internal server error occurred.",
		);
	}

	public answerLost(): string {
		return this.either(
			"502: API Services rejected request with error. HTTP 504 (Gateway Timeout)",
			"InternalServerError: The request timed out.",
		);
	}

	public unreachable(): string {
		return this.either(
			"502: API Services rejected request with error. HttpError: ConnectFail",
			"ConnectFail: Could not connect to the data store service.",
		);
	}

	/** The server's own budget or queue is used up. */
	public serverThrottled(kind: RequestKind): string {
		const code = throttleCodes[this.api];
		const old =
			code !== undefined
				? `${code}: ${this.api} request dropped. Request was throttled but queue was full.`
				: `${this.api} request dropped. Request was throttled.`;
		return this.either(
			old,
			`${kind}GameServerThrottled: ${kind} request was throttled by game server limits or the request queue was full.`,
		);
	}

	/** The budget of the whole experience is used up. */
	public experienceThrottled(kind: RequestKind): string {
		return this.either(
			"502: API Services rejected request with error. HTTP 429 (Too Many Requests)",
			`${kind}ExperienceThrottled: ${kind} request was throttled by experience limits.`,
		);
	}

	/** One key is read or written too much. */
	public keyThrottled(): string {
		return this.either(
			"502: API Services rejected request with error. Error code: 8. The request rate exceeds the allowed maximum for the key",
			"KeyThrottled: The request rate exceeds the allowed maximum for the key.",
		);
	}

	public studioAccess(): string {
		return this.either(
			"403: Cannot write to DataStore from studio if API access is not enabled.",
			"StudioAccessToApisNotAllowed: Studio access to APIs is not allowed.",
		);
	}

	public shuttingDown(cause: Switches["shutdownError"]): string {
		if (cause === "webService") {
			return this.either(
				"402: Request failed. LuaWebService is inaccessible while the experience is shutting down.",
				"LuaWebSrvsNoAccess: Request failed. LuaWebService is inaccessible while the experience is shutting down.",
			);
		}
		return this.either(
			"401: Request failed. DataModel is inaccessible while the experience is shutting down.",
			"DataModelNoAccess: Request failed. DataModel is inaccessible while the experience is shutting down.",
		);
	}

	public invalidVersion(): string {
		return this.either(
			"502: API Services rejected request with error. The version identifier is not valid",
			"InvalidVersion: The version identifier is not valid.",
		);
	}

	public invalidTimestamp(): string {
		return this.either(
			"InvalidTimestamp: The timestamp is out of range.",
			"InvalidTimestamp: The timestamp is out of range.",
		);
	}

	private either(old: string, modern: string): string {
		return this.form === "old" ? old : `DataStoreService: ${modern} API: ${this.api}, Data Store: ${this.store}`;
	}
}

/** What is wrong with a key, or undefined. */
export function keyProblem(key: unknown): string | undefined {
	if (!typeIs(key, "string")) return "Argument 1 missing or nil";
	if (key.size() === 0) return "101: Key name can't be empty.";
	if (key.size() > NAME_BYTES) return "102: Key name exceeds the 50 character limit.";
	return undefined;
}

/** What is wrong with user ids, or undefined. */
export function userIdsProblem(userIds: unknown): string | undefined {
	if (userIds === undefined) return undefined;
	if (!typeIs(userIds, "table")) return "513: Attribute userId format is invalid";
	const ids = userIds as Array<unknown>;
	let count = 0;
	for (const [index, id] of pairs(ids as unknown as Map<unknown, unknown>)) {
		count += 1;
		if (!typeIs(index, "number") || !typeIs(id, "number") || id % 1 !== 0) {
			return "513: Attribute userId format is invalid";
		}
	}
	return count > 4 ? "512: UserID size exceeds limit of 4" : undefined;
}

/** What is wrong with metadata, or undefined: keys 50 bytes, values 250, 300 in all. */
export function metadataProblem(metadata: unknown): string | undefined {
	if (metadata === undefined) return undefined;
	if (!typeIs(metadata, "table")) return "513: Attribute metadata format is invalid";
	let total = 0;
	for (const [key, value] of pairs(metadata as Map<unknown, unknown>)) {
		if (!typeIs(key, "string")) return "513: Attribute metadata format is invalid";
		if (!typeIs(value, "string") && !typeIs(value, "number") && !typeIs(value, "boolean")) {
			return "513: Attribute metadata format is invalid";
		}
		const size = tostring(value).size();
		if (key.size() > 50) return "511: Metadata attribute size exceeds 50 bytes limit.";
		if (size > 250) return "511: Metadata attribute size exceeds 250 bytes limit.";
		total += key.size() + size;
	}
	return total > 300 ? "511: Metadata attribute size exceeds 300 bytes limit." : undefined;
}

/** The text of a value that cannot be stored; `kind` is the value's type, or its container's when it is inside one. */
export function cannotStore(kind: string): string {
	return `104: Cannot store ${kind} in data store. Data stores can only accept valid UTF-8 characters.`;
}

/** The text of a value over the limit. */
export function tooLarge(): string {
	return `105: Serialized value exceeds ${VALUE_BYTES} character limit.`;
}
