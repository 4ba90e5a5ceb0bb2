/** A header whose value is one of the experience's secrets; the game never sees it. */
export interface SecretHeader {
	/** The header, such as `Authorization`. */
	readonly name: string;
	/** The secret's name in the experience's settings, as `HttpService:GetSecret` takes it. */
	readonly secret: string;
	/** Put before the secret, such as `Bearer ` with its space. */
	readonly prefix?: string;
}

/** How a web API keeps a driver's records. */
export interface HttpOptions {
	/** What the addresses begin with; records are at `<url>/<store>/<scope>/<key>`, each part percent-encoded. */
	readonly url: string;
	/** Headers of every request. Nothing secret: such headers are refused, use `secretHeader`. */
	readonly headers?: Readonly<Record<string, string>>;
	readonly secretHeader?: SecretHeader;
	/** Seconds after which a request counts as unanswered. Default 15. */
	readonly timeoutSeconds?: number;
	/** How often a request that failed at the server or on the way is sent again. Default 2. */
	readonly retries?: number;
	/** The first pause before sending again, in seconds; each further one is twice as long. Default 0.5. */
	readonly retrySeconds?: number;
	/** Whether the API takes DELETE. Default false: settled journals stay in storage. */
	readonly remove?: boolean;
}

/** Headers that carry credentials. */
const SECRET_HEADERS = new Set(["authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"]);
/** Headers that the backend itself sets. */
const OWN_HEADERS = new Set(["if-match", "if-none-match", "content-type"]);

const NAMES = new Set(["url", "headers", "secretHeader", "timeoutSeconds", "retries", "retrySeconds", "remove"]);

/** Throws when the options are not fit for use: that is a mistake in the game's code. */
export function checkHttpOptions(options: HttpOptions): void {
	const { url, headers = {}, secretHeader, timeoutSeconds = 1, retries = 0, retrySeconds = 0 } = options;
	for (const [name] of pairs(options as unknown as Map<unknown, unknown>)) {
		if (!NAMES.has(name as string)) error(`httpBackend: there is no option ${tostring(name)}`, 3);
	}
	if (!typeIs(url, "string") || url.match("^https?://.")[0] === undefined) {
		error(`httpBackend: url must begin with http:// or https://, not "${tostring(url)}"`, 3);
	}
	for (const [name] of pairs(headers as Record<string, string>)) {
		const lower = name.lower();
		if (SECRET_HEADERS.has(lower)) {
			error(`httpBackend: the header ${name} carries a secret; name the secret in secretHeader instead`, 3);
		}
		if (OWN_HEADERS.has(lower)) error(`httpBackend: the header ${name} is set by the backend itself`, 3);
	}
	if (secretHeader !== undefined && (secretHeader.name === "" || secretHeader.secret === "")) {
		error("httpBackend: secretHeader needs the header's name and the secret's name", 3);
	}
	if (!(timeoutSeconds > 0)) error("httpBackend: timeoutSeconds must be above 0", 3);
	if (!(retries >= 0)) error("httpBackend: retries must not be negative", 3);
	if (!(retrySeconds >= 0)) error("httpBackend: retrySeconds must not be negative", 3);
}
