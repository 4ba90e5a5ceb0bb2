import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runLuauProgram } from "../host/runProgram.ts";
import { StepFailure } from "./failure.ts";
import { makeGame, type Packed } from "./packedGame.ts";
import { runNode } from "./process.ts";
import { fromRoot } from "./root.ts";

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
 * Checks the package as a game uses it: installs its tarball into a copy of `test/consumer`, compiles that game, builds
 * its place and plays it on the emulated cloud of the test place.
 */
export async function checkConsumer(
	packed: Packed,
	testPlace: string,
	progress: (text: string) => void,
): Promise<void> {
	const { game, place } = await makeGame(packed, ["test", "consumer"], progress);
	progress("play, check the types");
	await Promise.all([runLuauProgram({ places: [testPlace, place], program: "consumer" }), checkReadonly(game)]);
}
