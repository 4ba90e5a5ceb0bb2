import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { compile } from "./compile.ts";
import { StepFailure } from "./failure.ts";
import { npm } from "./npm.ts";
import { buildPlace } from "./rojo.ts";
import { fromRoot, root } from "./root.ts";

/** The package as a game installs it, in a folder outside the repository. */
export interface Packed {
	readonly tarball: string;
	readonly folder: string;
}

/** Packs the package for as long as `use` runs. */
export async function whilePacked<T>(use: (packed: Packed) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), "baton-games-"));
	try {
		await npm(["pack", "--pack-destination", folder], root);
		const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
		if (tarball === undefined) throw new StepFailure("npm pack made no tarball");
		return await use({ tarball: join(folder, tarball), folder });
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** A game in a folder of its own, and its place. */
export interface PackedGame {
	readonly game: string;
	readonly place: string;
}

/** Copies a game of the repository, installs the package into it, compiles it and builds its place. */
export async function makeGame(
	{ tarball, folder }: Packed,
	path: ReadonlyArray<string>,
	progress: (text: string) => void,
): Promise<PackedGame> {
	const source = fromRoot(...path);
	const game = join(folder, basename(source));
	const isSource = (from: string) => !["node_modules", "out", "include"].includes(basename(from));
	cpSync(source, game, { recursive: true, filter: isSource });
	progress("install");
	await npm(["install", tarball, "--prefer-offline", "--no-audit", "--no-fund"], game);
	progress("compile");
	await compile(path.join("/"), ["-p", game, "--rojo", join(game, "default.project.json")]);
	const place = `${game}.rbxlx`;
	await buildPlace(join(game, "default.project.json"), place);
	return { game, place };
}
