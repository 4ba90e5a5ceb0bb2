import { copyFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { runLuauProgram } from "../host/runProgram.ts";
import { makeGame, type Packed, whilePacked } from "./packedGame.ts";
import { step } from "./report.ts";
import { fromRoot } from "./root.ts";

/** The example game's place: the one for a run on real Roblox. */
export const EXAMPLE_PLACE = fromRoot("build", "example.rbxlx");

/** Builds {@link EXAMPLE_PLACE}. */
export async function makeExamplePlace(): Promise<string> {
	await step("build the example's place", (progress) =>
		whilePacked(async (packed) => {
			const { place } = await makeGame(packed, ["example"], progress);
			mkdirSync(dirname(EXAMPLE_PLACE), { recursive: true });
			copyFileSync(place, EXAMPLE_PLACE);
		}),
	);
	return EXAMPLE_PLACE;
}

/** Builds the example game with the packed package and plays it on the emulated cloud of the test place. */
export async function checkExample(packed: Packed, testPlace: string, progress: (text: string) => void): Promise<void> {
	const { place } = await makeGame(packed, ["example"], progress);
	progress("play");
	await runLuauProgram({ places: [testPlace, place], program: "example" });
}
