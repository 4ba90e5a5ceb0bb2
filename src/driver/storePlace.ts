import { Backend } from "../backend/backend";
import { BackendContext, BackendFactory } from "../backend/factory";
import { dataStoreBackend } from "../backend/dataStore";
import { memoryBackend } from "../backend/memory";
import { StoreClock } from "../backend/storeClock";
import { studioFallback } from "../backend/studioFallback";
import { Platform } from "../platform/platform";
import { SCOPE_BYTES } from "../record/limits";
import { MARKER_STORE, MarkerStore } from "../transaction/markerStore";
import { perPlatform } from "../util/perPlatform";
import { DriverSettings, StudioMode } from "./options";

/** Where Studio keeps its data beside the live data. */
const STUDIO_SCOPE = "Studio";

/** The store a driver works on. */
export interface StorePlace {
	readonly backend: Backend;
	/** The time of that store; one for all of a server's data stores, which Roblox stamps alike. */
	readonly storeClock: StoreClock;
	/** The decisions of its transactions; one and the same object for drivers that keep them in one place. */
	readonly markers: MarkerStore;
	/** Whether any foreign lock may be taken at once: only Studio writes here, and a hard Stop leaves its locks behind. */
	readonly takesAnyLock: boolean;
}

type Kind = "DataStore" | "Memory" | BackendFactory;

const dataStoreClock = perPlatform((platform) => new StoreClock(platform.clock));
/** By kind, then by scope. */
const markerStores = perPlatform(() => new Map<Kind, Map<string, MarkerStore>>());

/** Chooses store and scope by the driver's options and by where it runs. Does not yield. */
export function storePlace<T extends object>(settings: DriverSettings<T>, platform: Platform): StorePlace {
	const { isStudio } = platform;
	const { studio, scope, name, backend: kind } = settings;
	const separate = isStudio && studio === "separate";
	const context: BackendContext = { platform, store: name, scope: separate ? studioScope(scope) : scope };
	return {
		backend: backendFor(kind, studio, context),
		storeClock: kind === "DataStore" ? dataStoreClock(platform) : new StoreClock(platform.clock),
		markers: markersFor(settings.markers, studio, platform),
		takesAnyLock: separate && kind === "DataStore",
	};
}

function backendFor(kind: Kind, studio: StudioMode, context: BackendContext): Backend {
	const { isStudio } = context.platform;
	if (kind === "Memory" || (isStudio && studio === "memory")) return memoryBackend()(context);
	if (kind !== "DataStore") return kind(context);
	const backend = dataStoreBackend(context);
	return isStudio ? studioFallback(backend, memoryBackend()(context), context) : backend;
}

function markersFor(kind: Kind, studio: StudioMode, platform: Platform): MarkerStore {
	const { isStudio } = platform;
	const inMemory = kind === "Memory" || (isStudio && studio === "memory");
	const scope = isStudio && studio === "separate" ? STUDIO_SCOPE : undefined;
	// Each place once: that it is the same for all participants of a transaction is that the object is.
	const place = inMemory ? "Memory" : kind;
	const places = markerStores(platform).get(place) ?? new Map<string, MarkerStore>();
	markerStores(platform).set(place, places);
	const known = places.get(scope ?? "");
	if (known !== undefined) return known;
	const backend = backendFor(kind, studio, { platform, store: MARKER_STORE, scope });
	const fresh = new MarkerStore({
		store: MARKER_STORE,
		platform,
		backend,
		storeClock: kind === "DataStore" ? dataStoreClock(platform) : new StoreClock(platform.clock),
	});
	places.set(scope ?? "", fresh);
	return fresh;
}

function studioScope(scope: string | undefined): string {
	const own = scope === undefined ? STUDIO_SCOPE : `${STUDIO_SCOPE}_${scope}`;
	if (own.size() <= SCOPE_BYTES) return own;
	const most = SCOPE_BYTES - STUDIO_SCOPE.size() - 1;
	return error(
		`Baton: DataDriver: option "scope" is too long for Studio, which keeps its data in scope "${own}" of ` +
			`${own.size()} bytes; use at most ${most} bytes, or the option studio: "memory"`,
		5,
	);
}
