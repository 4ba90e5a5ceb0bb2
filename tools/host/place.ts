import { XMLParser } from "fast-xml-parser";

/** One instance of a place file; `parent` is an index into the same list, -1 for a child of the DataModel. */
export interface PlaceInstance {
	readonly className: string;
	readonly name: string;
	readonly parent: number;
	/** Luau source, for scripts. */
	readonly source?: string;
	/** True for a script that must not start by itself. */
	readonly disabled?: boolean;
}

interface XmlItem {
	"@class": string;
	Properties?: Record<string, unknown>;
	Item?: Array<XmlItem>;
}

interface XmlNode {
	"@name"?: string;
	"#text"?: string;
	"#cdata"?: string | Array<string>;
}

const parser = new XMLParser({
	ignoreAttributes: false,
	attributeNamePrefix: "@",
	cdataPropName: "#cdata",
	parseTagValue: false,
	parseAttributeValue: false,
	trimValues: false,
	processEntities: true,
	isArray: (_name, path) => /(^|\.)Item$/.test(String(path)),
});

function asArray<T>(value: T | Array<T> | undefined): Array<T> {
	if (value === undefined) return [];
	return Array.isArray(value) ? value : [value];
}

/** The text of one property: CDATA sections joined; text beside them means that the writer cut the source. */
function propertyText(node: XmlNode | string, owner: string): string {
	if (typeof node === "string") return node;
	const text = node["#text"] ?? "";
	if (node["#cdata"] === undefined) return text;
	if (text.trim() !== "") {
		throw new Error(
			`The source of ${owner} is cut in the place file: it holds "]]>", which ends an XML CDATA section. Write it in two pieces ("]]" .. ">").`,
		);
	}
	return asArray(node["#cdata"]).join("");
}

function property(item: XmlItem, tag: string, name: string, owner: string): string | undefined {
	for (const node of asArray(item.Properties?.[tag] as XmlNode | Array<XmlNode> | undefined)) {
		if (typeof node === "object" && node["@name"] === name) return propertyText(node, owner);
	}
	return undefined;
}

/** Reads the instances of a place that Rojo built as `.rbxlx`. Parents come before their children. */
export function readPlace(xml: string): Array<PlaceInstance> {
	const cut = /\]\]>(?!\s*<\/(string|ProtectedString)>|<!\[CDATA\[)/.exec(xml);
	if (cut !== null) {
		const before = xml.slice(0, cut.index);
		const owner = [...before.matchAll(/<string name="Name">([^<]*)<\/string>/g)].at(-1)?.[1] ?? "a script";
		throw new Error(
			`The source of ${owner} is cut in the place file: it holds "]]>", which ends an XML CDATA section. Write it in two pieces ("]]" .. ">").`,
		);
	}
	const document = parser.parse(xml) as { roblox?: { Item?: Array<XmlItem> } };
	if (document.roblox === undefined) throw new Error("This is no Roblox place: it has no <roblox> element.");
	const instances: Array<PlaceInstance> = [];
	const visit = (item: XmlItem, parent: number): void => {
		const className = item["@class"];
		const name = property(item, "string", "Name", className) ?? className;
		const source = property(item, "string", "Source", name) ?? property(item, "ProtectedString", "Source", name);
		const disabled =
			property(item, "bool", "Disabled", name) === "true" || property(item, "bool", "Enabled", name) === "false";
		instances.push({ className, name, parent, source, disabled });
		const index = instances.length - 1;
		for (const child of item.Item ?? []) visit(child, index);
	};
	for (const item of document.roblox.Item ?? []) visit(item, -1);
	return instances;
}

/** The same place with other sources for some of its modules, by path (`ServerScriptService/Baton/src/result`). */
export function withSources(
	place: ReadonlyArray<PlaceInstance>,
	sources: Readonly<Record<string, string>>,
): Array<PlaceInstance> {
	const paths: Array<string> = [];
	for (const { name, parent } of place) paths.push(parent < 0 ? name : `${paths[parent]}/${name}`);
	for (const path of Object.keys(sources)) {
		if (!paths.includes(path)) throw new Error(`the place has no module ${path}`);
	}
	return place.map((instance, index) => ({ ...instance, source: sources[paths[index]!] ?? instance.source }));
}
