/** Whether `text` is valid UTF-8, which is all that a data store takes. Does not yield. */
export function isUtf8(text: string): boolean {
	// Plain ASCII, nearly every string of a game, needs no decoding.
	if (text.find("[^%c -~]")[0] === undefined) return true;
	return typeIs(utf8.len(text)[0], "number");
}
