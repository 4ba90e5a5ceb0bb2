import { HttpsService } from "../../platform/platform";
import { ReadRecord } from "../backend";

/** The JSON text of a record: its value with user ids and metadata. Throws where the value is not storable. */
export function encodeBody(
	http: HttpsService,
	value: unknown,
	userIds: ReadonlyArray<number>,
	metadata: object,
): string {
	return http.JSONEncode({ value, userIds, metadata });
}

function isUserIds(value: unknown): value is Array<number> {
	if (!typeIs(value, "table")) return false;
	for (const [place, id] of pairs(value as Map<unknown, unknown>)) {
		if (!typeIs(place, "number") || !typeIs(id, "number")) return false;
	}
	return true;
}

/** The record in a JSON text, or undefined where it is none. */
export function decodeBody(http: HttpsService, body: string): ReadRecord | undefined {
	const [fine, decoded] = pcall(() => http.JSONDecode(body));
	if (!fine || !typeIs(decoded, "table")) return undefined;
	const {
		value,
		userIds = [],
		metadata = {},
	} = decoded as { value?: unknown; userIds?: unknown; metadata?: unknown };
	if (value === undefined || !isUserIds(userIds) || !typeIs(metadata, "table")) return undefined;
	return { value, info: { userIds, metadata } };
}
