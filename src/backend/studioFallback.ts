import { Result } from "../result";
import { Backend, RecordVersion } from "./backend";
import { BackendContext } from "./factory";

/**
 * Studio's backend: `primary` until it turns out that this place cannot reach it (API access is off, or the place is
 * not published), and `memory` from then on, with one warning. Never used on a live server.
 */
export function studioFallback(primary: Backend, memory: Backend, context: BackendContext): Backend {
	const { platform, store } = context;
	let current = primary;
	function run<R>(call: (backend: Backend) => Result<R>): Result<R> {
		const used = current;
		const answer = call(used);
		if (answer.success || used === memory || answer.error.kind !== "noAccess") return answer;
		if (current !== memory) {
			current = memory;
			platform.warn(
				`Baton: Studio cannot reach the data stores, so store "${store}" is kept in memory and forgotten on Stop. To ` +
					`keep its data, publish the place and turn on Game Settings > Security > Enable Studio Access to API Services.`,
			);
		}
		return call(memory);
	}
	return {
		name: primary.name,
		hasStoreTime: primary.hasStoreTime,
		update(key, transform) {
			return run((backend) => backend.update(key, transform));
		},
		read(key, fresh) {
			return run((backend) => backend.read(key, fresh));
		},
		remove(key) {
			return run((backend) => backend.remove!(key));
		},
		listVersions(key, limit) {
			return run<ReadonlyArray<RecordVersion>>((backend) => backend.listVersions!(key, limit));
		},
		readAt(key, unixSeconds) {
			return run((backend) => backend.readAt!(key, unixSeconds));
		},
	};
}
