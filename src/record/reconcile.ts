function isDictionary(value: unknown): value is Map<string, unknown> {
	if (!typeIs(value, "table")) return false;
	// An empty table may be either; it is taken as a dictionary, since only those are filled.
	const [first] = next(value as Map<unknown, unknown>);
	return first === undefined || typeIs(first, "string");
}

/**
 * `value` with the fields that it lacks taken from `defaults`, in dictionaries all the way down. A field that is there
 * is never replaced, not even by one of another type, and arrays are left as they are. Where nothing is missing, the
 * answer is `value` itself; parts of `defaults` are shared, not copied, so they have to be frozen. Does not yield.
 */
export function reconcile(value: unknown, defaults: unknown): unknown {
	if (!isDictionary(value) || !isDictionary(defaults)) return value;
	let filled: Map<string, unknown> | undefined;
	for (const [key, fallback] of pairs(defaults)) {
		if (!typeIs(key, "string")) continue;
		const own = value.get(key);
		const better = own === undefined ? fallback : reconcile(own, fallback);
		if (better === own) continue;
		if (filled === undefined) filled = table.clone(value);
		filled.set(key, better);
	}
	return filled ?? value;
}
