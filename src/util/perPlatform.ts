/**
 * Something that a server has one of, made at first use. Give it the platform object, since a server is one platform.
 *
 * What `create` makes must not hold the platform: Luau's weak tables would then keep both for ever.
 */
export function perPlatform<T extends object>(create: () => T): (platform: object) => T {
	const made = new WeakMap<object, T>();
	return (platform) => {
		const existing = made.get(platform);
		if (existing !== undefined) return existing;
		const fresh = create();
		made.set(platform, fresh);
		return fresh;
	};
}
