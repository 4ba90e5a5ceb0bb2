/** What stands around the generated table. */
const BEGIN = "<!-- npm run bench -- --readme writes from here -->";
const END = "<!-- to here -->";

/** A text with `table` between the two markers. Throws where they are missing. */
export function withTable(text: string, table: string): string {
	const begin = text.indexOf(BEGIN);
	const end = text.indexOf(END);
	if (begin < 0 || end < begin) throw new Error(`README.md has no place for the table: "${BEGIN}" and "${END}"`);
	return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
