import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runLuauProgram } from "../host/runProgram.ts";
import { compile } from "./compile.ts";
import { StepFailure } from "./failure.ts";
import { npm } from "./npm.ts";
import { runNode } from "./process.ts";
import { buildPlace } from "./rojo.ts";
import { fromRoot, root } from "./root.ts";

/** A game that writes to `profile.data`, which the types forbid: the data is frozen. */
const FORBIDDEN = `import { DataDriver } from "@rbxts/baton";
const playerData = new DataDriver({ name: "PlayerData", defaults: { coins: 0, pets: [{ name: "Rex" }] } });
playerData.onReady.connect((_, profile) => {
	profile.data.coins += 1;
	profile.data.pets[0].name = "Max";
	profile.data.pets.push({ name: "Max" });
});
`;

/** Sees that the packed declarations refuse each line of {@link FORBIDDEN} that writes, and nothing else. */
async function checkReadonly(game: string): Promise<void> {
	const file = join(game, "src", "server", "forbidden.ts");
	writeFileSync(file, FORBIDDEN);
	const { output } = await runNode([fromRoot("node_modules", "typescript", "bin", "tsc"), "-p", game, "--noEmit"]);
	rmSync(file);
	const lines = [...output.matchAll(/forbidden\.ts\((\d+),\d+\): error/g)].map((match) => match[1]);
	if (lines.join() !== "4,5,6") throw new StepFailure("writes to profile.data should not compile", output);
}

/**
 * Checks the package as a game uses it: packs it, installs the tarball into a copy of `test/consumer` outside the
 * repository, compiles that game, builds its place and plays it on the emulated cloud of the test place.
 */
export async function checkConsumer(testPlace: string, progress: (text: string) => void): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "baton-consumer-"));
	try {
		progress("pack");
		await npm(["pack", "--pack-destination", folder], root);
		const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
		if (tarball === undefined) throw new StepFailure("npm pack made no tarball");

		progress("install");
		const game = join(folder, "game");
		cpSync(fromRoot("test", "consumer"), game, { recursive: true });
		await npm(["install", join(folder, tarball), "--prefer-offline", "--no-audit", "--no-fund"], game);

		progress("compile");
		await compile("the consumer", ["-p", game, "--rojo", join(game, "default.project.json")]);

		progress("play, check the types");
		const place = join(folder, "game.rbxlx");
		await buildPlace(join(game, "default.project.json"), place);
		await Promise.all([runLuauProgram({ places: [testPlace, place], program: "consumer" }), checkReadonly(game)]);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
