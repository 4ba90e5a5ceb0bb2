import { runLuauProgram } from "./runProgram.ts";

/** Runs a script in a place in real Luau, as an Open Cloud task does. Rejects with what the script throws. */
export async function runTask(
	place: string,
	script: string,
): Promise<{ readonly results: Array<unknown>; readonly logs: Array<string> }> {
	let results: Array<unknown> = [];
	const logs: Array<string> = [];
	await runLuauProgram(
		{ places: [place], program: "task", argument: { script } },
		{
			onEvent: (event) => {
				if (event.type === "log") logs.push(event.text);
				else if (event.type === "taskResults") results = event.results;
			},
		},
	);
	return { results, logs };
}
