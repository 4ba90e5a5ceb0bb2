import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { build, preview, type InlineConfig } from "vite";
import { readPlace } from "../host/place.ts";
import { step } from "../lib/report.ts";
import { fromRoot } from "../lib/root.ts";
import { makeTestPlace } from "../lib/testPlace.ts";
import { pagePlace } from "./place.ts";

/** The built page: static files for any host. */
export const PAGE_FOLDER = fromRoot("build", "page");

const config: InlineConfig = {
	configFile: false,
	root: fromRoot("try"),
	// Relative, so that the page works in any folder of a host.
	base: "./",
	logLevel: "warn",
	// luau-web asks for it in Node only.
	resolve: { alias: { module: fromRoot("try", "worker", "noModule.ts") } },
	oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
	worker: { format: "es" },
	build: { outDir: PAGE_FOLDER, emptyOutDir: true, target: "es2022", chunkSizeWarningLimit: 2000 },
};

/** Compiles the package with its story and builds the page around it; answers the place it was made from. */
export async function buildPage(): Promise<string> {
	const place = await makeTestPlace();
	mkdirSync(fromRoot("build", "try"), { recursive: true });
	writeFileSync(
		fromRoot("build", "try", "place.json"),
		JSON.stringify(pagePlace(readPlace(readFileSync(place, "utf8")))),
	);
	await step("build the page", () => bundle());
	return place;
}

async function bundle(): Promise<void> {
	await build(config);
}

export interface PageServer {
	readonly url: string;
	close(): Promise<void>;
}

/** Serves the built page on this machine; port 0 takes any that is free. */
export async function servePage(port: number): Promise<PageServer> {
	const server = await preview({ ...config, preview: { host: "127.0.0.1", port, strictPort: false } });
	const url = server.resolvedUrls?.local[0];
	if (url === undefined) throw new Error("the page's server does not tell its address");
	return { url, close: () => server.close() };
}
