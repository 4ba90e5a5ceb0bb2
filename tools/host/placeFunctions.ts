import type { PlaceInstance } from "./place.ts";
import type { HostFunction, Vm } from "./vm.ts";

/** Where the host's Luau runtime comes from, and the places that it boots. */
export interface PlaceInput {
	readonly places: ReadonlyArray<ReadonlyArray<PlaceInstance>>;
	/** The text of a file of the runtime, named without its ending. */
	readonly runtime: (name: string) => string;
	/** The VM that calls; it starts after its functions are made. */
	readonly vm: () => Vm;
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

/** What the runtime needs of its host to load itself and the modules of places; the same in Node and in a browser. */
export function placeFunctions({ places, runtime, vm }: PlaceInput): Record<string, HostFunction> {
	const source = (place: number, index: number): string => places[place - 1]?.[index - 1]?.source ?? "";
	return {
		// `import` is the first argument of every file but the first.
		hostLoad: (name: string) => vm().load(`local import = ...; ${runtime(name)}`, `=host/${name}.luau`),
		hostTree: (place: number) => vm().load(treeSource(places[place - 1] ?? []), `=host/place`),
		hostUsesEnvironment: (place: number, index: number) => /\b[gs]etfenv\b/.test(source(place, index)),
		hostCompile: (place: number, index: number, chunkName: string, names: string) =>
			vm().load(names === "" ? source(place, index) : `local ${names} = ...; ${source(place, index)}`, chunkName),
	};
}
