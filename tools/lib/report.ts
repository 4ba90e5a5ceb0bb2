import ora from "ora";

/** The steps that run now, with what each tells of itself: one line on stderr shows them. */
const active = new Map<string, string>();
const spinner = ora({ stream: process.stderr, discardStdin: false });

function refresh(): void {
	if (!process.stderr.isTTY) return;
	const text = [...active].map(([title, note]) => (note === "" ? title : `${title}: ${note}`)).join(" · ");
	if (active.size === 0) spinner.stop();
	else if (spinner.isSpinning) spinner.text = text;
	else spinner.start(text);
}

/** Writes a line above the line of progress. */
function writeLine(stream: NodeJS.WriteStream, text: string): void {
	if (spinner.isSpinning) spinner.clear();
	stream.write(`${text}\n`);
}

/** Prints to stdout. */
export function print(text: string): void {
	writeLine(process.stdout, text);
}

/** Prints to stderr: progress, and whatever machines must not read. */
export function note(text: string): void {
	writeLine(process.stderr, text);
}

/** Runs one step of a command with a line of progress on stderr. Several may run at once. */
export async function step<T>(title: string, work: (progress: (text: string) => void) => Promise<T>): Promise<T> {
	const started = performance.now();
	const end = (symbol: string): void => {
		active.delete(title);
		note(`${symbol} ${title} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
		refresh();
	};
	active.set(title, "");
	refresh();
	try {
		const value = await work((text) => {
			active.set(title, text);
			refresh();
		});
		end("✔");
		return value;
	} catch (error) {
		end("✖");
		throw error;
	}
}

function indent(text: string, by: string): string {
	return text
		.split("\n")
		.map((line) => by + line)
		.join("\n");
}

export interface Failure {
	/** The file that the failure is in, if any. */
	readonly path: string;
	/** The full name of what failed. */
	readonly name: string;
	readonly message: string;
	readonly trace: string;
}

/** Prints what failed: its full name, file, message (module and line in it) and traceback. */
export function printFailures(failures: ReadonlyArray<Failure>): void {
	for (const { path, name, message, trace } of failures) {
		print(`\n✖ ${name}`);
		if (path !== "") print(indent(path, "  "));
		if (message.trim() !== "") print(indent(message.trim(), "  "));
		if (trace.trim() !== "") print(indent(trace.trim(), "    at "));
	}
	if (failures.length > 0) print("");
}
