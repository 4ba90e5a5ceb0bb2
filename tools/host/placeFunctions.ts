import type { PlaceInstance } from "./place.ts";
import type { HostFunction, Vm } from "./vm.ts";

/** Where the host's Luau runtime comes from, and the places that it boots. */
export interface PlaceInput {
	/** The instances of the place of that number, counted from 1. */
	readonly place: (number: number) => ReadonlyArray<PlaceInstance>;
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
			`source=${source !== undefined},disabled=${disabled === true},` +
			`environment=${source !== undefined && /\b[gs]etfenv\b/.test(source)}}`,
	);
	return `local list = {}\n${items.map((item) => `list[#list+1]=${item}`).join("\n")}\nreturn list`;
}

/** What the runtime needs of its host to load itself and the modules of places; the same in Node and in a browser. */
export function placeFunctions({ place, runtime, vm }: PlaceInput): Record<string, HostFunction> {
	const source = (number: number, index: number): string => place(number)[index - 1]?.source ?? "";
	return {
		// `import` is the first argument of every file but the first.
		hostLoad: (name: string) => vm().load(`local import = ...; ${runtime(name)}`, `=host/${name}.luau`),
		hostTree: (number: number) => vm().load(treeSource(place(number)), `=host/place`),
		hostCompile: (number: number, index: number, chunkName: string, names: string) =>
			vm().load(
				names === "" ? source(number, index) : `local ${names} = ...; ${source(number, index)}`,
				chunkName,
			),
	};
}
