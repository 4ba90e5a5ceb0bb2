import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runScripts } from "../host/runScripts.ts";
import { buildPlace } from "./rojo.ts";
import { fromRoot } from "./root.ts";

const GOOD = `return function() describe("good", function() it("works", function() expect(1).to.equal(1) end) end) end`;
const BAD = `return function() describe("bad", function() it("fails", function() error("the reason") end) end) end`;
const THREAD = `return function() describe("thread", function() it("spawns", function() task.spawn(error, "in a thread") end) end) end`;

/** What the script must print of the modules above. */
const EXPECTED = [/✖ bad bad fails/, /the reason/, /in a thread/, /^2 passed, 2 failed$/];

/**
 * Checks the server script that runs the specs on Play in Studio: in the host, over three small spec modules of which
 * two fail. Needs the compiled test place.
 */
export async function checkStudioScript(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "baton-studio-"));
	try {
		const specs = join(folder, "specs");
		mkdirSync(specs);
		for (const [name, source] of Object.entries({ good: GOOD, bad: BAD, thread: THREAD })) {
			writeFileSync(join(specs, `${name}.spec.luau`), source);
		}
		const project = {
			name: "studio",
			tree: {
				$className: "DataModel",
				ServerScriptService: {
					$className: "ServerScriptService",
					Baton: {
						$className: "Folder",
						test: {
							$className: "Folder",
							specs: { $path: "specs" },
							studio: { $path: fromRoot("build", "test", "test", "studio") },
						},
					},
				},
				ReplicatedStorage: {
					$className: "ReplicatedStorage",
					include: {
						$path: fromRoot("include"),
						node_modules: { $className: "Folder", "@rbxts": { $path: fromRoot("node_modules", "@rbxts") } },
					},
				},
			},
		};
		writeFileSync(join(folder, "default.project.json"), JSON.stringify(project));
		const place = join(folder, "studio.rbxlx");
		await buildPlace(join(folder, "default.project.json"), place);
		const { output } = await runScripts(place);
		for (const pattern of EXPECTED) {
			if (!output.some((line) => pattern.test(line))) {
				throw new Error(`the Studio script should print ${pattern}; it printed:\n${output.join("\n")}`);
			}
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
