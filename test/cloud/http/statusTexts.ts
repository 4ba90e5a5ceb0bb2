const texts = new Map<number, string>([
	[200, "OK"],
	[201, "Created"],
	[204, "No Content"],
	[304, "Not Modified"],
	[400, "Bad Request"],
	[401, "Unauthorized"],
	[403, "Forbidden"],
	[404, "Not Found"],
	[409, "Conflict"],
	[412, "Precondition Failed"],
	[428, "Precondition Required"],
	[429, "Too Many Requests"],
	[500, "Internal Server Error"],
	[502, "Bad Gateway"],
	[503, "Service Unavailable"],
	[504, "Gateway Timeout"],
]);

/** The text beside a status code. */
export function statusText(status: number): string {
	return texts.get(status) ?? "";
}
