/** `HttpService:UrlEncode`: every byte that is no letter or digit becomes `%XX`, the dot too. */
export function urlEncode(text: string): string {
	const [encoded] = string.gsub(text, "[^%w]", (char: string) => string.format("%%%02X", string.byte(char)[0]));
	return encoded;
}
