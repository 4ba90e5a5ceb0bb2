import { Platform } from "../platform/platform";

/**
 * Something that a server has one of, made at first use. It hangs off the platform, so that servers which share a VM
 * share nothing else, and ends with it.
 */
export function perPlatform<T extends object>(create: (platform: Platform) => T): (platform: Platform) => T {
	return (platform) => {
		const existing = platform.shared.get(create);
		if (existing !== undefined) return existing as T;
		const fresh = create(platform);
		platform.shared.set(create, fresh);
		return fresh;
	};
}
