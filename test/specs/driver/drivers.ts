import { DataDriver } from "../../../src/driver/dataDriver";
import { DriverOptions, LoadOptions } from "../../../src/driver/options";
import { Profile } from "../../../src/driver/profile";
import { StoredRecord } from "../../../src/record/types";
import { Result } from "../../../src/result";
import { Server } from "../../cloud/server";
import { World } from "../../cloud/world";

/** The name of every driver of {@link driverOn}, unless the options say otherwise. */
export const NAME = "Vault";

/** A driver on a server, not attached. */
export function driverOn<T extends object>(
	server: Server,
	options: Partial<DriverOptions<T>> & { readonly defaults: T },
): DataDriver<T> {
	return server.run(() => new DataDriver<T>({ name: NAME, platform: server.platform, ...options }));
}

/** `driver.load` on the driver's server. */
export function loadOn<T extends object>(
	server: Server,
	driver: DataDriver<T>,
	key: string,
	options?: LoadOptions,
): Result<Profile<T>> {
	return server.run(() => driver.load(key, options));
}

/** The stored record of a key of store {@link NAME}. */
export function storedRecord(world: World, key: string): StoredRecord | undefined {
	return world.store(NAME).get(key) as StoredRecord | undefined;
}

/** A record that is unlocked and went through these migrations. */
export function record(data: unknown, migrations: ReadonlyArray<string> = [], turn = 1): StoredRecord {
	return { Data: data, Meta: { Turn: turn, Migrations: migrations } };
}

/** A value as text, to compare values by. */
export function textOf(value: unknown): string {
	if (typeIs(value, "table")) {
		const entries = new Array<string>();
		for (const [key, each] of pairs(value as Map<unknown, unknown>)) {
			entries.push(`${tostring(key)}=${textOf(each)}`);
		}
		entries.sort();
		return `{${entries.join(",")}}`;
	}
	return `${typeOf(value)}:${tostring(value)}`;
}
