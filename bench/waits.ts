import { LatencyProfileName } from "../test/cloud/latency";
import { World } from "../test/cloud/world";
import { HandoffRow, handoffRows } from "../test/story/handoff";
import { Ending } from "../test/story/story";
import { Cell, Row } from "./cell";
import { Library } from "./library";

/** The rows of the handoff table, as the story plays them. */
export const waitRows: ReadonlyArray<Row> = handoffRows.map(({ id, title }) => ({ id, part: "waits", title }));

/** Plays one row with one library. */
export function measureWait(
	{ id, body }: HandoffRow,
	library: Library,
	profile: LatencyProfileName,
	seed: number,
): Cell {
	const cell = { row: id, library: library.name, profile };
	const lack = library.lacks[id];
	if (lack !== undefined) return { ...cell, text: lack };
	const world = new World({ profile, seed });
	let ending: Ending | undefined;
	world.run(() => {
		ending = body(world, library.open);
	});
	return { ...cell, outcome: ending!.outcome, seconds: ending!.waitSeconds };
}
