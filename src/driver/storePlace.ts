import { Backend } from "../backend/backend";
import { BackendContext } from "../backend/factory";
import { dataStoreBackend } from "../backend/dataStore";
import { memoryBackend } from "../backend/memory";
import { studioFallback } from "../backend/studioFallback";
import { Platform } from "../platform/platform";
import { SCOPE_BYTES } from "../record/limits";
import { DriverSettings } from "./options";

/** Where Studio keeps its data beside the live data. */
const STUDIO_SCOPE = "Studio";

/** The store a driver works on. */
export interface StorePlace {
	readonly backend: Backend;
	/** Whether any foreign lock may be taken at once: only Studio writes here, and a hard Stop leaves its locks behind. */
	readonly takesAnyLock: boolean;
}

/** Chooses store and scope by the driver's options and by where it runs. Does not yield. */
export function storePlace<T extends object>(settings: DriverSettings<T>, platform: Platform): StorePlace {
	const { isStudio } = platform;
	const { studio, scope, name } = settings;
	const separate = isStudio && studio === "separate";
	const context: BackendContext = { platform, store: name, scope: separate ? studioScope(scope) : scope };
	if (settings.backend === "Memory" || (isStudio && studio === "memory")) {
		return { backend: memoryBackend()(context), takesAnyLock: false };
	}
	if (settings.backend !== "DataStore") return { backend: settings.backend(context), takesAnyLock: false };
	const backend = dataStoreBackend(context);
	if (!isStudio) return { backend, takesAnyLock: false };
	return { backend: studioFallback(backend, memoryBackend()(context), context), takesAnyLock: separate };
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
