import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type SpecOptions, type SpecRun, runSpecs } from "../host/runSpecs.ts";
import { buildPlace } from "../lib/rojo.ts";
import { fromRoot } from "../lib/root.ts";

/** Luau sources by their path, as Rojo names them: `a.spec.luau`, `main.server.luau`. */
export type Sources = Record<string, string>;

/** Builds a place of these sources (below ServerScriptService.Fixture) and TestEZ, and hands its path to `use`. */
export async function withPlace<T>(sources: Sources, use: (place: string) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), "baton-place-"));
	try {
		mkdirSync(join(folder, "sources"));
		for (const [path, text] of Object.entries(sources)) {
			mkdirSync(dirname(join(folder, "sources", path)), { recursive: true });
			writeFileSync(join(folder, "sources", path), text);
		}
		const project = {
			name: "fixture",
			tree: {
				$className: "DataModel",
				ServerScriptService: { $className: "ServerScriptService", Fixture: { $path: "sources" } },
				ReplicatedStorage: {
					$className: "ReplicatedStorage",
					testez: { $path: fromRoot("node_modules", "@rbxts", "testez", "src") },
				},
			},
		};
		writeFileSync(join(folder, "default.project.json"), JSON.stringify(project));
		const place = join(folder, "fixture.rbxlx");
		await buildPlace(join(folder, "default.project.json"), place);
		return await use(place);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** Runs the specs of a place made of these sources. */
export function runFixture(sources: Sources, options: Partial<SpecOptions> = {}): Promise<SpecRun> {
	return withPlace(sources, (place) => runSpecs({ place, limitSeconds: 60, ...options }));
}

/** A spec module with one `describe` of this Luau. */
export function describing(body: string): string {
	return `return function()\n\tdescribe("fixture", function()\n${body}\n\tend)\nend\n`;
}
