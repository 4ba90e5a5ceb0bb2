import { HttpsService, MemoryStoresService, MessageService } from "../../src/platform/platform";
import { Server } from "./server";
import { World } from "./world";

/** The services that one server reaches besides its data stores. */
export interface ServerServices {
	readonly messaging: MessageService;
	readonly memoryStores: MemoryStoresService;
	readonly http: HttpsService;
}

/** The parts of the cloud that all servers share, besides the data stores. */
export class CloudServices {
	public constructor(private readonly world: World) {}

	/** The services as `server` sees them. */
	public forServer(server: Server): ServerServices {
		const random = this.world.random.fork(`guids ${server.name}`);
		return {
			messaging: {
				PublishAsync() {
					absent();
				},
				SubscribeAsync() {
					absent();
				},
			},
			memoryStores: {
				GetHashMap() {
					absent();
				},
			},
			http: {
				GenerateGUID() {
					return random.guid();
				},
				JSONEncode() {
					absent();
				},
				JSONDecode() {
					absent();
				},
				UrlEncode() {
					absent();
				},
				GetSecret() {
					absent();
				},
				RequestAsync() {
					absent();
				},
			},
		};
	}
}

function absent(): never {
	error("this service is not emulated", 0);
}
