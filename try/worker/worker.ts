import placeUrl from "../../build/try/place.json?url";
import type { PlaceInstance } from "../../tools/host/place.ts";
import { placeFunctions } from "../../tools/host/placeFunctions.ts";
import { startVm, type Vm } from "../../tools/host/vm.ts";
import type { RecordRequest, WorkerMessage } from "./messages.ts";

/** 128 MB of heap: plenty for one case, and no more than a phone gives. */
const HEAP_PAGES = 2048;

const files = import.meta.glob<string>("../../tools/host/luau/*.luau", {
	query: "?raw",
	import: "default",
	eager: true,
});

function tell(message: WorkerMessage): void {
	self.postMessage(message);
}

/** Requests that nobody waits for yet, and who waits for the next one. */
const requests: Array<RecordRequest> = [];
let onRequest: (() => void) | undefined;

self.addEventListener("message", (event: MessageEvent<RecordRequest>) => {
	requests.push(event.data);
	onRequest?.();
});

async function nextRequest(): Promise<RecordRequest> {
	if (requests.length === 0) await new Promise<void>((resolve) => (onRequest = resolve));
	return requests.shift()!;
}

/** luau-web is built for windows and Node, and refuses to start where it sees a worker: it gets to see a window. */
function passForWindow(): void {
	Object.assign(globalThis, { window: globalThis });
	Reflect.deleteProperty(globalThis, "WorkerGlobalScope");
}

async function loadPlace(): Promise<Array<PlaceInstance>> {
	const response = await fetch(placeUrl);
	if (!response.ok) throw new Error(`${placeUrl} answers ${response.status}`);
	return (await response.json()) as Array<PlaceInstance>;
}

async function run(): Promise<void> {
	passForWindow();
	let place: ReadonlyArray<PlaceInstance> = [];
	const loaded = loadPlace().then((instances) => (place = instances));
	const runtime = (name: string): string => files[`../../tools/host/luau/${name}.luau`]!;
	let current: RecordRequest | undefined;
	const vm: Vm = await startVm(
		{
			...placeFunctions({ place: () => place, runtime, vm: () => vm }),
			hostEmit: (text: string) => {
				tell(JSON.parse(text) as WorkerMessage);
			},
			hostNext: async () => {
				current = await nextRequest();
				return current.case;
			},
			hostArgument: (name: string) => String(current?.[name as keyof RecordRequest] ?? ""),
		},
		HEAP_PAGES,
	);
	await loaded;
	await vm.load(runtime("main"), "=host/main.luau")("record");
}

run().catch((error: unknown) => {
	tell({ type: "crashed", problem: error instanceof Error ? error.message : String(error) });
});
