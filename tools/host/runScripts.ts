import { runLuauProgram } from "./runProgram.ts";

export interface ScriptRun {
	/** What the scripts printed and warned, line by line. */
	readonly output: ReadonlyArray<string>;
	/** Errors that ended a script or a thread of one. */
	readonly errors: ReadonlyArray<{ message: string; trace: string }>;
}

/**
 * Runs the server scripts of a place in real Luau, on a virtual clock, until they have nothing left to do. Rejects when
 * they do not come to an end within the limit of real seconds.
 */
export async function runScripts(place: string, options: { limitSeconds?: number } = {}): Promise<ScriptRun> {
	const output: Array<string> = [];
	const errors: Array<{ message: string; trace: string }> = [];
	await runLuauProgram(
		{ places: [place], program: "scripts" },
		{
			limitSeconds: options.limitSeconds,
			onEvent: (event) => {
				if (event.type === "log") output.push(...event.text.split("\n"));
				else if (event.type === "scriptError") errors.push({ message: event.message, trace: event.trace });
			},
		},
	);
	return { output, errors };
}
