import {
	DataStoreService,
	HttpService,
	MemoryStoreService,
	MessagingService,
	Players,
	RunService,
} from "@rbxts/services";
import { DataStoresService, HttpsService, Platform } from "./platform";

let server: Platform | undefined;

/**
 * The platform of the running Roblox server: the real services, `task`, `os.clock` and `DateTime`. The same object on
 * every call, since a server is one. Does not yield.
 */
export function robloxPlatform(): Platform {
	if (server !== undefined) return server;
	const uncachedRead = new Instance("DataStoreGetOptions");
	uncachedRead.UseCache = false;
	const platform: Platform = {
		jobId: game.JobId,
		isStudio: RunService.IsStudio(),
		dataStores: DataStoreService as unknown as DataStoresService,
		messaging: MessagingService,
		memoryStores: MemoryStoreService,
		http: HttpService as unknown as HttpsService,
		players: Players,
		shared: new Map(),
		task: task as unknown as Platform["task"],
		uncachedRead,
		clock: () => os.clock(),
		time: () => DateTime.now().UnixTimestampMillis / 1000,
		random: () => math.random(),
		bindToClose: (callback) => game.BindToClose(callback),
		warn: (message) => warn(message),
	};
	server = platform;
	return platform;
}
