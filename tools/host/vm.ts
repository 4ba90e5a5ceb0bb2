/** Wasm pages (64 KB) of Luau's heap, if nothing else is asked for: 1 GB, of which only what is touched is used. */
const HEAP_PAGES = 16384;

/** What Luau may call: strings, numbers and booleans only; a promise blocks Luau until it settles. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each function knows what it is called with
export type HostFunction = (...args: Array<any>) => unknown;

/** What is used of `WebAssembly`, which Node's types leave to the DOM's. */
interface WasmApi {
	instantiate: (source: unknown, imports?: unknown) => Promise<unknown>;
	Suspending?: unknown;
	promising?: unknown;
}

export interface Vm {
	/** Compiles a chunk and returns the Luau function; throws on a syntax error. */
	load(source: string, chunkName: string): (...args: Array<unknown>) => Promise<Array<unknown>>;
}

function readUnsigned(bytes: Uint8Array, start: number): { value: number; next: number } {
	let value = 0;
	let shift = 0;
	let at = start;
	for (;;) {
		const byte = bytes[at++]!;
		value += (byte & 0x7f) * 2 ** shift;
		if ((byte & 0x80) === 0) return { value, next: at };
		shift += 7;
	}
}

function writeUnsigned(value: number): Array<number> {
	const out: Array<number> = [];
	let rest = value;
	do {
		const low = rest % 128;
		rest = Math.floor(rest / 128);
		out.push(rest > 0 ? low | 0x80 : low);
	} while (rest > 0);
	return out;
}

/** The same module with its memory section (id 5) set to `pages`: luau-web cannot grow its memory later. */
export function raiseHeapLimit(module: Uint8Array, pages: number): Uint8Array {
	let at = 8;
	while (at < module.length) {
		const size = readUnsigned(module, at + 1);
		const end = size.next + size.value;
		if (module[at] === 5) {
			const body = [1, 1, ...writeUnsigned(pages), ...writeUnsigned(pages)];
			const section = [5, ...writeUnsigned(body.length), ...body];
			const out = new Uint8Array(at + section.length + (module.length - end));
			out.set(module.subarray(0, at), 0);
			out.set(section, at);
			out.set(module.subarray(end), at + section.length);
			return out;
		}
		at = end;
	}
	throw new Error("luau-web's WebAssembly module has no memory section; its heap cannot be raised.");
}

/**
 * Starts the Luau VM of this thread: one for each worker thread, never destroyed. `functions` become Luau globals; none
 * of them may call back into Luau.
 */
export async function startVm(functions: Record<string, HostFunction>, heapPages = HEAP_PAGES): Promise<Vm> {
	const wasm = (globalThis as unknown as { WebAssembly: WasmApi }).WebAssembly;
	// With these present (Node 24 and later), luau-web picks a build in which pcall catches nothing.
	delete wasm.Suspending;
	delete wasm.promising;

	const instantiate = wasm.instantiate;
	wasm.instantiate = (source, imports) =>
		instantiate(source instanceof Uint8Array ? raiseHeapLimit(source, heapPages) : source, imports);
	const { LuauState } = await import("luau-web");
	const state = await LuauState.createAsync(functions);
	wasm.instantiate = instantiate;
	return { load: (source, chunkName) => state.loadstring(source, chunkName, true) };
}
