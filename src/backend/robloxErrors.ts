/**
 * What a data store's error text means for the call that heard it:
 *
 * - `retryable`: the same call may work later; a write may have landed.
 * - `rejected`: Roblox refuses this very call, now and later: nothing was written.
 * - `closing`: the server is being torn down; nothing works any more.
 * - `noAccess`: Studio may not reach the store, or the place is not published.
 */
export type RobloxErrorKind = "retryable" | "rejected" | "closing" | "noAccess";

/** By the code that older texts begin with ("Data store error codes" in Roblox's documentation). */
const BY_CODE = new Map<number, RobloxErrorKind>([
	[101, "rejected"],
	[102, "rejected"],
	[103, "rejected"],
	[104, "rejected"],
	[105, "rejected"],
	[106, "rejected"],
	[107, "rejected"],
	[401, "closing"],
	[402, "closing"],
	[403, "noAccess"],
	[404, "rejected"],
	[509, "rejected"],
	[511, "rejected"],
	[512, "rejected"],
	[513, "rejected"],
	[517, "rejected"],
]);

/** By the name that newer texts give, as in `DataStoreService: KeyThrottled: …`. */
const BY_NAME = new Map<string, RobloxErrorKind>([
	["KeyNameEmpty", "rejected"],
	["KeyNameLimit", "rejected"],
	["ValueNotAllowed", "rejected"],
	["CantStoreValue", "rejected"],
	["ValueTooLarge", "rejected"],
	["MaxValueInvalid", "rejected"],
	["MinValueInvalid", "rejected"],
	["PageSizeGreater", "rejected"],
	["PageSizeLesser", "rejected"],
	["MinMaxOrderInvalid", "rejected"],
	["OperationNotAllowed", "rejected"],
	["DatastoreDeleted", "rejected"],
	["InvalidUserIds", "rejected"],
	["InvalidTimestamp", "rejected"],
	["InvalidTarget", "rejected"],
	["InvalidExclusiveStartKey", "rejected"],
	["AttributeSizeTooLarge", "rejected"],
	["UserIdLimit", "rejected"],
	["AttributeFormatError", "rejected"],
	["DataModelNoAccess", "closing"],
	["LuaWebSrvsNoAccess", "closing"],
	["StudioAccessToApisNotAllowed", "noAccess"],
	["UnpublishedPlace", "noAccess"],
	["InvalidPlace", "noAccess"],
	["InvalidUniverse", "noAccess"],
]);

/** By words in lower case, for texts with neither, and for names within older texts; the first that is found counts. */
const BY_WORDS: ReadonlyArray<[words: string, kind: RobloxErrorKind]> = [
	["studioaccesstoapisnotallowed", "noAccess"],
	["studio access to apis", "noAccess"],
	["from studio", "noAccess"],
	["must publish this place", "noAccess"],
	["shutting down", "closing"],
	["datamodelnoaccess", "closing"],
	["luawebsrvsnoaccess", "closing"],
	["cannot store", "rejected"],
	["can't store", "rejected"],
	["can't allow", "rejected"],
	["not allowed in data stores", "rejected"],
	["cannot convert mixed", "rejected"],
	["serialized value exceeds", "rejected"],
	["key name", "rejected"],
	["metadata attribute size", "rejected"],
	["userid size exceeds", "rejected"],
	["format is invalid", "rejected"],
	["callbacks cannot yield", "rejected"],
	["version identifier is not valid", "rejected"],
];

/** What the store is called and what was asked of it must not be taken for words of the error. */
function withoutTail(text: string): string {
	const [tail] = text.find(" API: ", 1, true);
	return tail === undefined ? text : text.sub(1, tail - 1);
}

/**
 * Reads a data store's error text, in its older form with a code, its newer one with a name, or neither. Whatever is
 * not known is `retryable`. `isStudio` decides what an HTTP 403 means: in Studio, that API access is off. Does not yield.
 */
export function robloxErrorKind(message: string, isStudio: boolean): RobloxErrorKind {
	const text = withoutTail(message);
	const [name] = text.match("DataStoreService: (%w+)");
	const byName = name !== undefined ? BY_NAME.get(tostring(name)) : undefined;
	if (byName !== undefined) return byName;
	const [digits] = text.match("^(%d%d%d):");
	const byCode = digits !== undefined ? BY_CODE.get(tonumber(digits) ?? 0) : undefined;
	if (byCode !== undefined) return byCode;
	if (isStudio && text.find("HTTP 403", 1, true)[0] !== undefined) return "noAccess";
	const lower = text.lower();
	for (const [words, kind] of BY_WORDS) {
		if (lower.find(words, 1, true)[0] !== undefined) return kind;
	}
	return "retryable";
}
