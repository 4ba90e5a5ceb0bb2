import { readdirSync, readFileSync } from "node:fs";
import { fromRoot } from "../lib/root.ts";

/** One code block of the documentation. */
export interface CodeBlock {
	/** From the repository's root. */
	readonly page: string;
	/** The line of its first line of code. */
	readonly line: number;
	readonly code: string;
}

/** The pages of the documentation, from the repository's root. */
export function pages(): ReadonlyArray<string> {
	const docs = readdirSync(fromRoot("docs")).filter((name) => name.endsWith(".md"));
	return ["README.md", ...docs.map((name) => `docs/${name}`)];
}

/** The TypeScript blocks of a page's text. */
export function blocksOf(page: string, text: string): ReadonlyArray<CodeBlock> {
	const blocks = new Array<CodeBlock>();
	let open: { line: number; indent: string; lines: Array<string> } | undefined;
	text.split("\n").forEach((content, index) => {
		const fence = /^(\s*)```(\w*)\s*$/.exec(content);
		if (open === undefined) {
			if (fence?.[2] === "ts") open = { line: index + 2, indent: fence[1]!, lines: [] };
			return;
		}
		if (fence === null) {
			open.lines.push(content.startsWith(open.indent) ? content.slice(open.indent.length) : content);
			return;
		}
		blocks.push({ page, line: open.line, code: open.lines.join("\n") });
		open = undefined;
	});
	return blocks;
}

/** All TypeScript blocks of the documentation. */
export function allBlocks(): ReadonlyArray<CodeBlock> {
	return pages().flatMap((page) => blocksOf(page, readFileSync(fromRoot(page), "utf8")));
}
