/** What stands around the generated table. */
const BEGIN = "<!-- npm run bench -- --write writes from here -->";
const END = "<!-- to here -->";

/** The text of a document with `table` between the two markers. Throws where they are missing. */
export function withTable(text: string, table: string): string {
	const begin = text.indexOf(BEGIN);
	const end = text.indexOf(END);
	if (begin < 0 || end < begin) throw new Error(`the document has no place for the table: "${BEGIN}" and "${END}"`);
	return `${text.slice(0, begin + BEGIN.length)}\n\n${table}\n\n${text.slice(end)}`;
}
