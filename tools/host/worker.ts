import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { fetchLoopback, startLoopback } from "./loopback.ts";
import { readPlace, withSources } from "./place.ts";
import { placeFunctions } from "./placeFunctions.ts";
import type { FromWorker, HostEvent, ToWorker, WorkerInput } from "./protocol.ts";
import { startVm, type Vm } from "./vm.ts";

const port = parentPort!;
const input = workerData as WorkerInput;

function send(message: FromWorker): void {
	port.postMessage(message);
}

async function run(): Promise<void> {
	const places = input.places.map((path, index) => {
		const place = readPlace(readFileSync(path, "utf8"));
		return index === 0 ? withSources(place, input.sources ?? {}) : place;
	});
	const answers: Array<(path: string) => void> = [];
	port.on("message", (message: ToWorker) => answers.shift()?.(message.next));

	const vm: Vm = await startVm({
		...placeFunctions({ place: (number) => places[number - 1] ?? [], runtime: runtimeSource, vm: () => vm }),
		hostEmit: (text: string) => {
			send({ type: "event", event: JSON.parse(text) as HostEvent });
		},
		hostNext: () =>
			new Promise<string>((resolve) => {
				answers.push(resolve);
				send({ type: "next" });
			}),
		hostCpuMicros: () => {
			const { user, system } = process.cpuUsage();
			return user + system;
		},
		hostFetch: fetchLoopback,
		hostLoopback: startLoopback,
		hostScript: () => vm.load(`local game, require, task = ...; ${input.argument?.script ?? ""}`, "=TaskScript"),
		hostExit: () => process.exit(0),
		hostArgument: (name: string) => input.argument?.[name] ?? "",
	});
	await vm.load(runtimeSource("main"), "=host/main.luau")(input.program);
	send({ type: "finished" });
}

/** A file of the host's Luau runtime. */
function runtimeSource(name: string): string {
	return readFileSync(fileURLToPath(new URL(`./luau/${name}.luau`, import.meta.url)), "utf8");
}

try {
	await run();
} catch (error) {
	send({ type: "crashed", message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}
port.close();
