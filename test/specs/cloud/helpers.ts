/** What `callback` throws; an error when it does not. May yield. */
export function failureOf(callback: () => void): unknown {
	const [success, cause] = pcall(callback);
	if (success) error("expected an error, and there was none", 2);
	return cause;
}

/** An error as text. */
export function messageOf(cause: unknown): string {
	return tostring(cause);
}

/** Throws unless `text` contains `part`. */
export function expectPart(text: unknown, part: string): void {
	if (tostring(text).find(part, 1, true)[0] === undefined) error(`"${tostring(text)}" does not contain "${part}"`, 2);
}
