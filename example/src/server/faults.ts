import { Platform, robloxPlatform } from "@rbxts/baton";
import { Players } from "@rbxts/services";

type Store = ReturnType<Platform["dataStores"]["GetDataStore"]>;
type Beats = ReturnType<Platform["memoryStores"]["GetHashMap"]>;

/** What a developer has broken on this server. */
export const faults = { stall: false, mute: false, drop: false };
const roblox = robloxPlatform();

/** A server that was dropped reaches nothing any more, and nothing reaches it, as if it had crashed. */
function pass(isBroken: boolean, what: string): void {
	if (faults.drop) coroutine.yield();
	if (!isBroken) return;
	task.wait(1);
	error(`502: ${what} fails: a developer wants it so`);
}

class BreakableStore implements Store {
	public constructor(private readonly real: Store) {}
	public GetAsync(...args: Parameters<Store["GetAsync"]>) {
		pass(false, "a read");
		return this.real.GetAsync(...args);
	}
	public UpdateAsync(...args: Parameters<Store["UpdateAsync"]>) {
		pass(faults.stall, "a save");
		return this.real.UpdateAsync(...args);
	}
	public RemoveAsync(...args: Parameters<Store["RemoveAsync"]>) {
		pass(faults.stall, "a removal");
		return this.real.RemoveAsync(...args);
	}
	public ListVersionsAsync(...args: Parameters<Store["ListVersionsAsync"]>) {
		return this.real.ListVersionsAsync(...args);
	}
	public GetVersionAsync(...args: Parameters<Store["GetVersionAsync"]>) {
		return this.real.GetVersionAsync(...args);
	}
	public GetVersionAtTimeAsync(...args: Parameters<Store["GetVersionAtTimeAsync"]>) {
		return this.real.GetVersionAtTimeAsync(...args);
	}
}

class BreakableMap implements Beats {
	public constructor(private readonly real: Beats) {}
	public GetAsync(key: string) {
		pass(false, "a look");
		return this.real.GetAsync(key);
	}
	public SetAsync(key: string, value: unknown, seconds: number) {
		pass(faults.mute, "a beat");
		return this.real.SetAsync(key, value, seconds);
	}
	public UpdateAsync(...args: Parameters<Beats["UpdateAsync"]>) {
		return this.real.UpdateAsync(...args);
	}
	public RemoveAsync(key: string) {
		pass(faults.mute, "a removal");
		this.real.RemoveAsync(key);
	}
}

/** Roblox as it is, until somebody presses a button. */
export const platform: Platform = {
	...roblox,
	dataStores: {
		GetDataStore(name: string, scope?: string) {
			return new BreakableStore(roblox.dataStores.GetDataStore(name, scope));
		},
	},
	memoryStores: {
		GetHashMap(name: string) {
			return new BreakableMap(roblox.memoryStores.GetHashMap(name));
		},
	},
	messaging: {
		PublishAsync(topic: string, message: unknown) {
			pass(false, "a message");
			roblox.messaging.PublishAsync(topic, message);
		},
		SubscribeAsync(topic: string, callback: Parameters<Platform["messaging"]["SubscribeAsync"]>[1]) {
			return roblox.messaging.SubscribeAsync(topic, (message) => {
				if (!faults.drop) callback(message);
			});
		},
	},
};

/** Switches a fault on or off; a dropped server stays dropped, and its players are gone. */
export function breakServer(what: unknown): string {
	if (what === "stall") faults.stall = !faults.stall;
	else if (what === "mute") faults.mute = !faults.mute;
	else if (what === "drop") {
		faults.drop = true;
		for (const player of Players.GetPlayers()) player.Kick("This server was dropped: join another one now");
	} else return "There is no such button";
	return `stall ${faults.stall}, mute ${faults.mute}, drop ${faults.drop}`;
}
