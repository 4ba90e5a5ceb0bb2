import { StepFailure } from "../lib/failure.ts";

/** One change of one file: a text that is found there exactly once, and what takes its place. */
export interface Edit {
	/** The source file, from the repository's top folder. */
	readonly file: string;
	readonly find: string;
	readonly replace: string;
}

/** A deliberate fault, which the specs or the random search must notice. */
export interface Mutant extends Edit {
	/** What the faulty code does, in few words; unique. */
	readonly name: string;
	/** What it breaks: a number of the protocol's rules, or the words of the promise. */
	readonly rule: string;
	/** Words, each entry for specs whose path holds all words of it; these specs run first, in this order. */
	readonly hint: ReadonlyArray<string>;
	/** Further changes, where one alone does not break the rule since another line keeps it, too. */
	readonly also?: ReadonlyArray<Edit>;
}

/** A mutant that does not fit the sources any more. */
export class StaleMutant extends StepFailure {}

/** All changes that make up a mutant. */
export function editsOf(mutant: Mutant): Array<Edit> {
	const { file, find, replace } = mutant;
	return [{ file, find, replace }, ...(mutant.also ?? [])];
}

/** The text with an edit made. Throws {@link StaleMutant} where what it looks for is not there exactly once. */
export function patched(text: string, { file, find, replace }: Edit): string {
	const count = text.split(find).length - 1;
	if (count !== 1) throw new StaleMutant(`${file} holds "${find.trim()}" ${count} times instead of once`);
	return text.replace(find, () => replace);
}

/** The files that a mutant changes, with their changed text. `read` gives the text of a file. */
export function patchedFiles(mutant: Mutant, read: (file: string) => string): Map<string, string> {
	const files = new Map<string, string>();
	for (const edit of editsOf(mutant)) {
		files.set(edit.file, patched(files.get(edit.file) ?? read(edit.file), edit));
	}
	return files;
}
