import { spawn } from "node:child_process";
import { root } from "./root.ts";

export interface Finished {
	readonly code: number;
	/** Both output streams, in the order they came. */
	readonly output: string;
}

/** Runs a program without a shell and collects what it prints. */
export function runProgram(
	program: string,
	args: ReadonlyArray<string>,
	options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, {
			cwd: options.cwd ?? root,
			env: options.env ?? process.env,
			stdio: ["ignore", "pipe", "pipe"],
		});
		const chunks: Array<Buffer> = [];
		child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
		child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
		child.on("error", reject);
		child.on("close", (code, signal) => {
			const output = Buffer.concat(chunks).toString("utf8");
			resolve({ code: code ?? 1, output: signal === null ? output : `${output}\nended by ${signal}` });
		});
	});
}

/** Runs a script with this Node. */
export function runNode(
	args: ReadonlyArray<string>,
	options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
	return runProgram(process.execPath, args, options);
}
