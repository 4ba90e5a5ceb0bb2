import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's top folder. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** A path below the repository's top folder. */
export function fromRoot(...parts: Array<string>): string {
	return join(root, ...parts);
}
