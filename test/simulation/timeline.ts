import { describeCall } from "../cloud/trace";
import { World } from "../cloud/world";
import { Book } from "./book";

/** How much of it is shown. */
const LINES = 160;

/** Which rules were broken, what was thrown, and what had happened to the first one's key. */
export function failureText(title: string, world: World, book: Book, thrown: unknown): string {
	const told = book.violations.map(({ at, key, text }) => `  ${string.format("%.3f", at)} ${key}: ${text}`);
	if (thrown !== undefined) told.push(tostring(thrown));
	return `${title}:\n${told.join("\n")}\n${timeline(world, book)}`;
}

/** What happened to the first broken rule's key, up to a little after it broke. */
function timeline(world: World, book: Book): string {
	const [first] = book.violations;
	if (first === undefined) return "";
	const { key } = first;
	const userId = key.match("^Player_(%d+)")[0];
	const lines = new Array<{ readonly at: number; readonly order: number; readonly text: string }>();
	const add = (at: number, text: string): void => {
		if (at <= first.at + 0.5) lines.push({ at, order: lines.size(), text });
	};
	for (const { at, server, text } of world.trace.events) {
		const isNamed = text.find(key, 1, true)[0] !== undefined;
		const named = text.match("Player_%d+")[0] ?? text.match("Guild_%d+")[0];
		const user = text.match("^%l+ (%d+)")[0];
		if (named !== undefined && !isNamed) continue;
		if (user !== undefined && user !== userId) continue;
		add(at, `${string.format("%.3f", at)} ${server} ${text}`);
	}
	for (const call of world.trace.calls) if (call.key === key) add(call.at, describeCall(call));
	lines.sort((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
	const texts = lines.map(({ text }) => text);
	const shown = new Array<string>();
	for (let index = math.max(0, texts.size() - LINES); index < texts.size(); index++) shown.push(texts[index]);
	return shown.join("\n");
}
