import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLuauProgram } from "../host/runProgram.ts";
import { compile } from "./compile.ts";
import { StepFailure } from "./failure.ts";
import { npm } from "./npm.ts";
import { buildPlace } from "./rojo.ts";
import { fromRoot, root } from "./root.ts";

/**
 * Checks the package as a game uses it: packs it, installs the tarball into a copy of `test/consumer` outside the
 * repository, compiles that game, builds its place and plays it on the emulated cloud of the test place.
 */
export async function checkConsumer(testPlace: string, progress: (text: string) => void): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "baton-consumer-"));
	try {
		progress("pack");
		await npm(["pack", "--pack-destination", folder, "--ignore-scripts"], root);
		const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
		if (tarball === undefined) throw new StepFailure("npm pack made no tarball");

		progress("install");
		const game = join(folder, "game");
		cpSync(fromRoot("test", "consumer"), game, { recursive: true });
		await npm(["install", join(folder, tarball), "--prefer-offline", "--no-audit", "--no-fund"], game);

		progress("compile");
		await compile("the consumer", ["-p", game, "--rojo", join(game, "default.project.json")]);

		progress("build the place");
		const place = join(folder, "game.rbxlx");
		await buildPlace(join(game, "default.project.json"), place);

		progress("play");
		await runLuauProgram({ places: [testPlace, place], program: "consumer" });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
