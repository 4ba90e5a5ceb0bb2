import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { fetchLoopback, startLoopback } from "./loopback.ts";
import { type PlaceInstance, readPlace, withSources } from "./place.ts";
import type { FromWorker, HostEvent, ToWorker, WorkerInput } from "./protocol.ts";
import { startVm } from "./vm.ts";

const port = parentPort!;
const input = workerData as WorkerInput;

function send(message: FromWorker): void {
	port.postMessage(message);
}

function luauString(text: string): string {
	return `"${text.replace(/[\\"\n\r\0]/g, (char) => `\\${char.charCodeAt(0).toString().padStart(3, "0")}`)}"`;
}

/** The instances of a place as a Luau table; sources stay on this side until they are compiled. */
function treeSource(place: ReadonlyArray<PlaceInstance>): string {
	const items = place.map(
		({ className, name, parent, source, disabled }) =>
			`{className=${luauString(className)},name=${luauString(name)},parent=${parent + 1},` +
			`source=${source !== undefined},disabled=${disabled === true}}`,
	);
	return `local list = {}\n${items.map((item) => `list[#list+1]=${item}`).join("\n")}\nreturn list`;
}

async function run(): Promise<void> {
	const places = input.places.map((path, index) => {
		const place = readPlace(readFileSync(path, "utf8"));
		return index === 0 ? withSources(place, input.sources ?? {}) : place;
	});
	const source = (place: number, index: number): string => places[place - 1]?.[index - 1]?.source ?? "";
	const answers: Array<(path: string) => void> = [];
	port.on("message", (message: ToWorker) => answers.shift()?.(message.next));

	const vm = await startVm({
		hostLoad: (name: string) => vm.load(runtimeSource(name), `=host/${name}.luau`),
		hostTree: (place: number) => vm.load(treeSource(places[place - 1] ?? []), `=host/place`),
		hostUsesEnvironment: (place: number, index: number) => /\b[gs]etfenv\b/.test(source(place, index)),
		hostCompile: (place: number, index: number, chunkName: string, names: string) =>
			vm.load(names === "" ? source(place, index) : `local ${names} = ...; ${source(place, index)}`, chunkName),
		hostEmit: (text: string) => {
			send({ type: "event", event: JSON.parse(text) as HostEvent });
		},
		hostNext: () =>
			new Promise<string>((resolve) => {
				answers.push(resolve);
				send({ type: "next" });
			}),
		hostFetch: fetchLoopback,
		hostLoopback: startLoopback,
		hostExit: () => process.exit(0),
		hostArgument: (name: string) => input.argument?.[name] ?? "",
	});
	await vm.load(runtimeSource("main"), "=host/main.luau")(input.program);
	send({ type: "finished" });
}

/** A file of the host's Luau runtime; `import` is its first argument. */
function runtimeSource(name: string): string {
	const text = readFileSync(fileURLToPath(new URL(`./luau/${name}.luau`, import.meta.url)), "utf8");
	return name === "main" ? text : `local import = ...; ${text}`;
}

try {
	await run();
} catch (error) {
	send({ type: "crashed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
port.close();
