import { Store } from "../../../src/platform/platform";
import { Server } from "../../cloud/server";
import { simulate } from "../../cloud/simulate";
import { World, WorldOptions } from "../../cloud/world";

/** What `callback` throws; an error when it does not. May yield. */
export function failureOf(callback: () => void): unknown {
	const [success, cause] = pcall(callback);
	if (success) error("expected an error, and there was none", 2);
	return cause;
}

/** An error as text. */
export function messageOf(cause: unknown): string {
	return tostring(cause);
}

/** Throws unless `text` contains `part`. */
export function expectPart(text: unknown, part: string): void {
	if (tostring(text).find(part, 1, true)[0] === undefined) error(`"${tostring(text)}" does not contain "${part}"`, 2);
}

/** A world with one server; `body` runs on it, with its data store `Coins`. */
export function onServer(options: WorldOptions, body: (store: Store, server: Server, world: World) => void): World {
	return simulate(options, (world) => {
		const server = world.startServer();
		const store = server.platform.dataStores.GetDataStore("Coins");
		server.run(() => body(store, server, world));
	});
}
