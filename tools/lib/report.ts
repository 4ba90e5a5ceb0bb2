import ora from "ora";

/** Runs one step of a command with a line of progress on stderr. */
export async function step<T>(title: string, work: (progress: (text: string) => void) => Promise<T>): Promise<T> {
	const started = performance.now();
	const spinner = ora({ text: title, stream: process.stderr, discardStdin: false });
	if (process.stderr.isTTY) spinner.start();
	const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
	try {
		const value = await work((text) => {
			spinner.text = `${title}: ${text}`;
		});
		spinner.stopAndPersist({ symbol: "✔", text: `${title} (${seconds()})` });
		return value;
	} catch (error) {
		spinner.stopAndPersist({ symbol: "✖", text: `${title} (${seconds()})` });
		throw error;
	}
}

function indent(text: string, by: string): string {
	return text
		.split("\n")
		.map((line) => by + line)
		.join("\n");
}

/** Prints each failed spec with its full name, message, module, line and traceback. */
export function printFailures(
	failures: ReadonlyArray<{ path: string; name: string; message: string; trace: string }>,
): void {
	for (const { path, name, message, trace } of failures) {
		process.stdout.write(`\n✖ ${name}\n  ${path}\n${indent(message, "  ")}\n`);
		if (trace.trim() !== "") process.stdout.write(`${indent(trace.trim(), "    at ")}\n`);
	}
	if (failures.length > 0) process.stdout.write("\n");
}
