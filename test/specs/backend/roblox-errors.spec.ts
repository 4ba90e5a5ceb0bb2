import { RobloxErrorKind, robloxErrorKind } from "../../../src/backend/robloxErrors";

function expectKind(kind: RobloxErrorKind, texts: ReadonlyArray<string>, isStudio = false): void {
	for (const text of texts) {
		const found = robloxErrorKind(text, isStudio);
		if (found !== kind) error(`${found}, not ${kind}: ${text}`, 2);
	}
}

export = () => {
	describe("error texts of data stores, with a code, with a name, and with neither", () => {
		it("retries what may work later", () => {
			expectKind("retryable", [
				"301: GetAsync request dropped. Request was throttled but queue was full.",
				"304: UpdateAsync request dropped. Request was throttled but queue was full.",
				"306: RemoveAsync request dropped. Request was throttled but queue was full.",
				"501: Can't parse response",
				"502: API Services rejected request with error. HTTP 500 (Internal Server Error)",
				"502: API Services rejected request with error. HTTP 429 (Too Many Requests)",
				"502: API Services rejected request with error. HttpError: ConnectFail",
				"502: API Services rejected request with error. Error code: 8. The request rate exceeds the allowed maximum for the key",
				"505: malformed response",
				"DataStoreService: InternalServerError: An internal server error occurred. API: UpdateAsync, Data Store: PlayerData",
				"DataStoreService: KeyThrottled: Too many requests. API: SetAsync, Data Store: GameOfMagi_v0.01am",
				"DataStoreService: DatastoreThrottled: Slow down. API: GetAsync, Data Store: PlayerData",
				"DataStoreService: StandardWriteGameServerThrottled: Standard write request was throttled. API: UpdateAsync, Data Store: PlayerData_v2",
				"DataStoreService: StandardReadExperienceThrottled: throttled. API: GetAsync, Data Store: PlayerData",
				"HttpError: ConnectFail",
				"HttpError: Timedout",
				"something that nobody has seen before",
			]);
		});

		it("does not retry what Roblox will never take", () => {
			expectKind("rejected", [
				"101: Key name can't be empty.",
				"102: Key name exceeds the 50 character limit.",
				"103: double is not allowed in data stores.",
				"104: Cannot store Dictionary in data store. Data stores can only accept valid UTF-8 characters.",
				"Cannot store CoordinateFrame in data store.",
				"105: Serialized value exceeds 4194304 character limit.",
				"509: Operation not allowed",
				"511: Metadata attribute size exceeds 300 bytes limit.",
				"512: UserID size exceeds limit of 4",
				"513: Attribute userId format is invalid",
				"Callbacks cannot yield",
				"DataStoreService: ValueTooLarge: Serialized value exceeds 4194304 limit. API: UpdateAsync, Data Store: PlayerData",
				"DataStoreService: CantStoreValue: Can't store Instance in DataStore. API: SetAsync, Data Store: PlayerData",
				"DataStoreService: DatastoreDeleted: The data store was deleted. API: GetAsync, Data Store: PlayerData",
				"DataStoreService: InvalidTimestamp: The timestamp is out of range. API: GetVersionAtTimeAsync, Data Store: P",
			]);
		});

		it("knows a server that is being torn down", () => {
			expectKind("closing", [
				"401: Request failed. DataModel is inaccessible while the experience is shutting down.",
				"402: LuaWebService is shutting down",
				"DataStoreService: DataModelNoAccess: Request failed. DataModel is inaccessible while the experience is shutting down. API: UpdateAsync, Data Store: PlayerData",
				"DataStoreService: LuaWebSrvsNoAccess: gone. API: UpdateAsync, Data Store: PlayerData",
			]);
		});

		it("knows Studio without API access and unpublished places, however worded", () => {
			expectKind(
				"noAccess",
				[
					"403: Cannot write to DataStore from studio if API access is not enabled.",
					"Cannot write to DataStore from Studio because API access is not enabled.",
					"502: API Services rejected request with error. HTTP 403 (Forbidden)",
					"DataStoreService: StudioAccessToApisNotAllowed: Studio access to APIs is not allowed. API: GetAsync, Data Store: PlayerData",
					"StudioAccessToApisNotAllowed: Studio access to APIs is not allowed.",
					"You must publish this place to the web to access DataStore.",
					"DataStoreService: InvalidUniverse: no such universe. API: GetAsync, Data Store: PlayerData",
				],
				true,
			);
		});

		it("on a live server an HTTP 403 is a failure of the moment", () => {
			expectKind("retryable", ["502: API Services rejected request with error. HTTP 403 (Forbidden)"]);
		});

		it("is not misled by a store that is named like an error", () => {
			expectKind("retryable", [
				"DataStoreService: KeyThrottled: Too many requests. API: SetAsync, Data Store: from studio",
				"DataStoreService: InternalServerError: failed. API: GetAsync, Data Store: ValueTooLarge cannot store",
			]);
		});
	});
};
