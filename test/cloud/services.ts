import { HttpsService, MemoryStoresService, MessageService } from "../../src/platform/platform";
import { EmulatedHttp } from "./http/service";
import { Web } from "./http/web";
import { MemoryCloud } from "./memoryStore/memoryCloud";
import { EmulatedMemoryStores } from "./memoryStore/service";
import { Broker } from "./messaging/broker";
import { EmulatedMessaging } from "./messaging/service";
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
	/** The topics of MessagingService. */
	public readonly broker: Broker;
	/** MemoryStore, of live servers and of Studio. */
	public readonly memory: MemoryCloud;
	public readonly studioMemory: MemoryCloud;
	/** The web servers, secrets and settings of HttpService. */
	public readonly web = new Web();

	public constructor(private readonly world: World) {
		this.broker = new Broker(world);
		this.memory = new MemoryCloud(world, false);
		this.studioMemory = new MemoryCloud(world, true);
	}

	/** The services as `server` sees them. */
	public forServer(server: Server): ServerServices {
		const { world } = this;
		return {
			messaging: new EmulatedMessaging(world, server, this.broker),
			memoryStores: new EmulatedMemoryStores(world, server, server.isStudio ? this.studioMemory : this.memory),
			http: new EmulatedHttp(world, server, this.web),
		};
	}
}
