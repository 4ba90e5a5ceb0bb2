// A worker thread starts without the loader of its parent: register it, then run the TypeScript entry.
import { register } from "tsx/esm/api";

register();
await import("./worker.ts");
