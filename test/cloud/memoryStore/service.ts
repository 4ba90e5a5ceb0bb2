import { HashMap, MemoryStoresService } from "../../../src/platform/platform";
import { Server } from "../server";
import { World } from "../world";
import { memoryStoreError } from "./errors";
import { EmulatedHashMap } from "./hashMap";
import { MemoryCloud } from "./memoryCloud";

/** `MemoryStoreService` of one server. */
export class EmulatedMemoryStores implements MemoryStoresService {
	private readonly maps = new Map<string, HashMap>();

	public constructor(
		private readonly world: World,
		private readonly server: Server,
		private readonly cloud: MemoryCloud,
	) {}

	/** Does not yield. The same object for the same name. */
	public GetHashMap(name: string): HashMap {
		if (!this.server.published) error(memoryStoreError("UnpublishedPlace", "Get"), 0);
		const existing = this.maps.get(name);
		if (existing !== undefined) return existing;
		const map = new EmulatedHashMap(this.world, this.server, this.cloud, name);
		this.maps.set(name, map);
		return map;
	}
}
