import { Platform } from "../platform/platform";
import { Backend } from "./backend";

/** Which store a backend is made for. */
export interface BackendContext {
	readonly platform: Platform;
	/** The driver's name: the store's name. */
	readonly store: string;
	/** The store's scope; undefined is Roblox's `global`. */
	readonly scope?: string;
}

/** Makes the backend of one store; must not yield. What the option `backend` takes beside the two names. */
export type BackendFactory = (context: BackendContext) => Backend;
