import assert from "node:assert/strict";
import { test } from "node:test";
import ts from "typescript";
import { fromRoot } from "../lib/root.ts";

const isSnippet = (path: string): boolean => /\/src\/snippet\d+\.ts$/.test(path);

/** For each of these sources, what does not compile in it, as if each were a file of the package. */
function problemsOf(sources: ReadonlyArray<string>): Array<Array<string>> {
	const config = ts.readConfigFile(fromRoot("tsconfig.json"), (path) => ts.sys.readFile(path));
	const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, fromRoot());
	const settings = { ...options, noEmit: true, incremental: false, tsBuildInfoFile: undefined };
	const host = ts.createCompilerHost(settings);
	const plain = ts.createCompilerHost(settings);
	const textOf = (path: string): string => sources[Number(/(\d+)\.ts$/.exec(path)?.[1])] ?? "";
	host.fileExists = (path) => isSnippet(path) || plain.fileExists(path);
	host.readFile = (path) => (isSnippet(path) ? textOf(path) : plain.readFile(path));
	host.getSourceFile = (path, target) =>
		isSnippet(path) ? ts.createSourceFile(path, textOf(path), target) : plain.getSourceFile(path, target);
	const paths = sources.map((_, index) => fromRoot("src", `snippet${index}.ts`));
	const program = ts.createProgram(paths, settings, host);
	return paths.map((_, index) => {
		const file = program.getSourceFiles().find(({ fileName }) => fileName.endsWith(`/src/snippet${index}.ts`));
		assert.ok(file, "the snippet is part of the program");
		return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map((problem) =>
			ts.flattenDiagnosticMessageText(problem.messageText, "\n"),
		);
	});
}

/** A snippet with a driver and a profile of `{ coins, bag: { items, names } }`. */
function withProfile(statements: string): string {
	return `
		import { DataDriver, Profile } from "./index";
		interface Data { coins: number; bag: { items: Array<string>; owner?: { name: string } }; scores: Map<string, number> }
		declare const profile: Profile<Data>;
		declare const driver: DataDriver<Data>;
		declare const player: Player;
		export declare const { fromProfileStore, fromLapis }: typeof import("./index");
		${statements}
		export {};
	`;
}

/** These compile. */
const RIGHT = `
	export const coins: number = profile.data.coins;
	export const first: string = profile.data.bag.items[0];
	profile.update((data) => ({ ...data, coins: data.coins + 1 }));
	profile.update((data) => ({ ...data, bag: { ...data.bag, items: [...data.bag.items, "sword"] } }));
	const loaded = driver.load("key");
	if (loaded.success) loaded.value.update((data) => data);
	const inferred = new DataDriver({ name: "N", defaults: { coins: 0, list: new Array<number>() } });
	export const list: ReadonlyArray<number> | undefined = inferred.profileOf(player)?.data.list;
	const adopting = new DataDriver({ name: "N", defaults: { coins: 0 }, importLegacy: (value) => (value === 1 ? { coins: 1 } : undefined) });
	const moving = new DataDriver({ name: "N", defaults: { coins: 0 }, importLegacy: fromLapis((data) => data as { coins: number }) });
	export const coinsOf: number | undefined = (adopting ?? moving).profileOf(player)?.data.coins;
`;

/** Each of these changes data that are readonly. */
const CHANGES = [
	"profile.data.coins += 1;",
	"profile.data.coins = 5;",
	"profile.data.coins++;",
	"profile.data = profile.data;",
	'profile.data.bag.items[0] = "sword";',
	'profile.data.bag.items.push("sword");',
	'profile.data.bag.owner!.name = "me";',
	'profile.data.scores.set("a", 1);',
	"profile.update((data) => { data.coins += 1; return data; });",
	'profile.update((data) => { data.bag.items.push("sword"); return data; });',
	'driver.peek("k").unwrap()!.coins = 1;',
	"driver.profileOf(player)!.data.coins = 1;",
	"profile.onChanged.connect((data) => { data.coins = 1; });",
];

/** Each of these has a wrong type. */
const WRONG = [
	'new DataDriver({ name: "N" });',
	'new DataDriver({ name: "N", defaults: { coins: 0 }, lockwaitSeconds: 5 });',
	'new DataDriver({ name: "N", defaults: { coins: 0 }, studio: "Live" });',
	'new DataDriver({ name: "N", defaults: { coins: 0 }, importLegacy: () => ({ gold: 1 }) });',
	'new DataDriver({ name: "N", defaults: { coins: 0 }, importLegacy: fromProfileStore(() => ({ gold: 1 })) });',
	'driver.load("k", { waitForlock: true });',
	'profile.update((data) => ({ ...data, coins: "many" }));',
	"profile.update(() => ({ coins: 1 }));",
];

test("the data of a profile is deep readonly: no assignment to it compiles; nor do options of the wrong type", () => {
	const [right, ...others] = problemsOf([RIGHT, ...CHANGES, ...WRONG].map(withProfile));
	assert.deepEqual(right, []);
	CHANGES.forEach((statement, index) => {
		const problems = others[index] ?? [];
		assert.ok(problems.length > 0, `this compiles: ${statement}`);
		assert.ok(
			problems.every((text) => /read-only|readonly|does not exist on type/.test(text)),
			`${statement} fails for another reason: ${problems.join("; ")}`,
		);
	});
	WRONG.forEach((statement, index) => {
		assert.ok((others[CHANGES.length + index] ?? []).length > 0, `this compiles: ${statement}`);
	});
});
