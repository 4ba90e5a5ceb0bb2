/** Below 2^32, so that every step stays exact. */
const MODULUS = 4294967291;
const CHUNK = 4000;

/** A number for a text, as eight hexadecimal digits: the same text, the same number. */
export function hashOf(text: string): string {
	let hash = 5381;
	for (let from = 1; from <= text.size(); from += CHUNK) {
		const bytes = [...string.byte(text, from, math.min(from + CHUNK - 1, text.size()))];
		for (const byte of bytes) hash = (hash * 33 + byte) % MODULUS;
	}
	return string.format("%08x", hash);
}
