/** Whether two values of plain data are the same all the way down. Does not yield. */
export function sameData(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	if (!typeIs(a, "table") || !typeIs(b, "table")) return false;
	const others = b as unknown as Map<unknown, unknown>;
	let left = 0;
	for (const [key, value] of pairs(a as unknown as Map<unknown, unknown>)) {
		if (!sameData(value, others.get(key))) return false;
		left += 1;
	}
	for (const [_key] of pairs(others)) left -= 1;
	return left === 0;
}
